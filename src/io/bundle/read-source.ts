// A folder that an author works in → its agent. Other work goes on while it is parsed.
import { readInSteps } from '../../format/agent/read-in-steps.ts'
import type { Agent } from '../../model/agent.ts'
import type { Target } from '../find/find-agents.ts'
import { readTree } from '../read/read-tree.ts'
import type { Setting } from '../setting.ts'
import { inTurns } from '../wait/breathe.ts'

/** @param digest `held` leaves large files unread */
export async function readSourceFolder(
  { path, label }: Pick<Target, 'path' | 'label'>,
  digest: 'all' | 'held',
  { signal, onProgress }: Partial<Pick<Setting, 'signal' | 'onProgress'>>,
): Promise<Agent> {
  const files = await readTree(path, label, { as: 'source', digest, signal, onProgress })
  return inTurns(readInSteps(files, label), `reading "${label}"`, signal)
}
