// An agent's folder → the same with every digest of its manifest right, on disk.
import { join } from 'node:path'
import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import { type DigestChange, type Digested, digestManifest } from './digest.ts'

export interface DigestResult {
  /** As the caller called it. */
  readonly agent: string
  /** In the byte order of paths; empty when every digest was right. */
  readonly changes: readonly DigestChange[]
  /** Whether the manifest changed; with `check`, whether it would have. */
  readonly changed: boolean
}

export async function digestAgent(target: Target, isCheck: boolean, io: Setting): Promise<DigestResult> {
  const agent = await readSourceFolder(target, 'all', io)
  const digested = digestManifest(agent)
  const { changes } = digested
  const changed = changes.length > 0
  if (changed && !isCheck) await writeDigests(target, agent, digested, io)
  return { agent: target.label, changes, changed }
}

/** A manifest that was edited since the agent was read is not overwritten. */
export async function writeDigests(
  { path, label }: Target,
  agent: Agent,
  { text }: Digested,
  { signal }: Pick<Setting, 'signal'>,
): Promise<void> {
  await replaceFile(join(path, MANIFEST_FILE), text, {
    label: `${label}/${MANIFEST_FILE}`,
    before: agent.files.get(MANIFEST_FILE)?.bytes,
    hint: 'Run rlp agent digest again',
    signal,
  })
}
