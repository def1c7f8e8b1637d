// A bundle that was just made → what a statement about its making names. Whether anybody trusts its signers is not asked.
import { basename } from 'node:path'
import type { AttestedBundle } from '../format/evidence/statement.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import type { Target } from '../io/find-agents.ts'
import { PassedBytes } from '../io/passed-bytes.ts'
import { readBundle } from '../io/read-bundle.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import { UsageError } from '../model/usage-error.ts'
import { assertSound, lookInto } from '../verify/sound.ts'
import { aboutBundle } from './verified.ts'

const DOING = 'state the provenance of'

/**
 * @param named what the file is called in the statement
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound, and as reading does
 */
export async function soundBundle(
  { path, label }: Target,
  { signal, onProgress }: Pick<Setting, 'signal' | 'onProgress'>,
  named = path,
): Promise<{ readonly agent: Agent; readonly about: AttestedBundle }> {
  if (isOciReference(path))
    throw new UsageError(`Cannot ${DOING} "${label}": it is stored already`, {
      hint: 'State it where the bundle is built, of the file',
    })
  const passed = new PassedBytes()
  const candidate = await readBundle(path, {
    ...{ keep: 'all', label, signal, onProgress },
    through: chunks => passed.through(chunks),
  })
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  const { report, outline } = await lookInto(candidate, signal)
  assertSound(report, DOING)
  const { sha256 } = passed
  const file = sha256 === undefined ? undefined : { name: basename(named), sha256 }
  return { agent: outline.agent, about: aboutBundle(outline.agent, file) }
}
