// What is packed: an agent's folder, or a foreign archive of one.

import type { Target } from '../io/find/find-agents.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { countedInTurns } from '../lint/counted.ts'
import { prepareLint } from '../lint/prepare-lint.ts'
import type { Agent } from '../model/agent.ts'
import type { Finding } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import type { DigestChange } from './digest.ts'
import { assertPackable } from './pack.ts'

export interface Source {
  readonly agent: Agent
  /** Of an archive: the digests that were written into its manifest. Undefined for a folder, whose digests must be right. */
  readonly changes?: readonly DigestChange[]
}

/**
 * @param digest `held` leaves large files of a folder to be read while they are packed
 * @throws RlpError
 */
export async function readSource(
  { path, label }: Target,
  digest: 'all' | 'held',
  io: Pick<Setting, 'signal' | 'onProgress'>,
): Promise<Source> {
  const { signal, onProgress } = ownMembers(io)
  if (kindAt(path) === 'file') {
    const { readForeign } = await import('./foreign.ts')
    return readForeign(path, { label, signal })
  }
  return { agent: await readSourceFolder({ path, label }, digest, { signal, onProgress }) }
}

/** @throws RlpError also when lint finds errors */
export async function readPackable(
  target: Target,
  setting: Pick<Setting, 'signal'>,
): Promise<Source & { readonly findings: readonly Finding[] }> {
  const source = await readSource(target, 'held', setting)
  const folder = source.changes === undefined ? target.path : undefined
  const prepared = await prepareLint(source.agent, folder, setting.signal)
  const turn = turnsOf(`checking "${target.label}"`, setting.signal)
  const findings = await countedInTurns(source.agent, new Date(), prepared, turn)
  if (source.changes === undefined) assertPackable(source.agent, findings)
  else assertPackable(source.agent, findings, (await import('./foreign.ts')).LINT_UNPACKED)
  return { ...source, findings }
}
