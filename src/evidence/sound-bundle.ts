// A bundle that was just made → what a statement about its making names. Whether anybody trusts its signers is not asked.

import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Target } from '../io/find/find-agents.ts'
import { PassedBytes } from '../io/read/passed-bytes.ts'
import type { Setting } from '../io/setting.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { Report } from '../model/report.ts'
import { UsageError } from '../model/usage-error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { locksGiven } from '../verify/lock-given.ts'
import { assertSound, lookInto } from '../verify/sound.ts'
import { aboutBundle, missedIn, statedFile } from './verified.ts'

export interface SoundHow {
  /** Locks that have to pin the bundle; absolute. */
  readonly locks?: readonly string[] | undefined
  /** What the file is called in the statement. */
  readonly named?: string
  /** Whether an identity signs the statement, which is then about the archive without its signatures. */
  readonly unsigned?: boolean
  /** For messages; `state the provenance of` where it is left out. */
  readonly doing?: string
}

/**
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not as the lock pins it; LOCK_UNUSABLE; and as reading does
 */
export async function soundBundle(
  { path, label }: Target,
  { signal, onProgress }: Pick<Setting, 'signal' | 'onProgress'>,
  how: SoundHow = {},
): Promise<{ readonly agent: Agent; readonly about: AttestedBundle }> {
  const { locks, named = path, unsigned = false, doing = 'state the provenance of' } = ownMembers(how)
  if (isOciReference(path))
    throw new UsageError(`Cannot ${doing} "${label}": it is stored already`, {
      hint: 'State it of the file, and rlp agent push takes it along',
    })
  const passed = new PassedBytes()
  const candidate = await readBundle(path, {
    keep: 'all',
    label,
    signal,
    onProgress,
    unsigned,
    through: chunks => passed.through(chunks),
  })
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  const { report, outline } = await lookInto(candidate, signal, await locksGiven(locks))
  assertSound(report, doing)
  assertPinned(report, doing)
  const sha256 = unsigned ? candidate.unsignedSha256 : passed.sha256
  return {
    agent: outline.agent,
    about: aboutBundle(outline.agent, statedFile(named, candidate, outline.agent, sha256)),
  }
}

function assertPinned(report: Report, doing: string): void {
  const wrong = missedIn(report)
  if (wrong === undefined) return
  const code = wrong.result === 'undecided' ? 'LOCK_UNUSABLE' : 'NOT_VERIFIED'
  const [reason] = wrong.reasons
  throw new RlpError(code, `Cannot ${doing} "${report.target}": ${wrong.detail}`, {
    hint: reason?.hint ?? '',
  })
}
