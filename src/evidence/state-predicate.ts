// States anything about a sound bundle, signed, for the command and for the library.

import type { Target } from '../io/find/find-agents.ts'
import type { PathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { bundleIdentity } from '../version/reference.ts'
import { anyStatement, type PredicateGiven } from './any-statement.ts'
import type { Attested, Attesting } from './attest.ts'
import { attestationFile } from './attesting-given.ts'
import { readSoundHere, type SoundHow } from './verified.ts'

export interface StatedPredicate extends Attested {
  /** As the caller called it. */
  readonly bundle: string
  /** The predicate type. */
  readonly type: string
}

interface Predicating extends Pick<SoundHow, 'locks' | 'unsigned'> {
  /** Reads the key, which may ask for its passphrase: only for a bundle and a predicate that can be used. */
  readonly attesting: () => Promise<Attesting>
  /** In place of the file beside the bundle. */
  readonly file: PathGiven | undefined
}

/** @throws RlpError NOT_VERIFIED for a bundle that is not sound, or not as the lock pins it; as the predicate, reading and signing do */
export async function statePredicate(
  target: Target,
  given: PredicateGiven,
  { attesting, file, ...how }: Predicating,
  io: Setting,
): Promise<StatedPredicate> {
  const { about } = await readSoundHere(target, io, { ...how, doing: 'attest' })
  const payload = anyStatement(about, given)
  const { type } = given
  const { label } = target
  const stated = { payload, type, label, identity: bundleIdentity(about.manifest.blake3) }
  const attested = await (await attesting()).attest(stated, attestationFile(target, file, io), io)
  return { bundle: label, type, ...attested }
}
