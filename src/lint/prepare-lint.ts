// Finds out what rules are told beside the agent, because no rule can wait for the disk.
import { gitIgnored } from '../io/find/git-ignored.ts'
import type { Agent } from '../model/agent.ts'
import { findSecrets } from './find-secrets.ts'
import type { Prepared } from './subjects.ts'

/**
 * Looks for credentials in the files, and for files that git ignores.
 * @param folder of the agent's source, absolute; undefined for one that is in an archive
 * @throws RlpError CANCELLED when `signal` aborts
 */
export async function prepareLint(
  agent: Agent,
  folder?: string | undefined,
  signal?: AbortSignal,
): Promise<Prepared> {
  const paths = agent.files.list.map(({ path }) => path)
  return {
    secrets: await findSecrets(agent, signal),
    ignored: folder === undefined ? [] : await gitIgnored(folder, paths),
  }
}
