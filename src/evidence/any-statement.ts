// States anything about a sound bundle, with a type and a predicate of the caller's. Types that only rlp may state are refused.
import type { Target } from '../io/find/search-folders.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../model/limits.ts'
import { readObject } from '../oci/document.ts'
import type { AttestationFile } from '../sign/attestation-file.ts'
import { PREDICATE_TYPE } from '../signature/envelope.ts'
import { PREDICATES } from '../statement/predicates/index.ts'
import { type AttestedBundle, readAttested, writeAttestedText } from '../statement/statement.ts'
import { bundleIdentity } from '../version/reference.ts'
import { type Attested, type Attesting, attestationFile } from './attest.ts'
import { refuseNoUri } from './provenance.ts'
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
  readonly file: AttestationFile | undefined
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
  const attested = await (await attesting()).attest(stated, attestationFile(target, file), io)
  return { bundle: label, type, ...attested }
}

export interface PredicateGiven {
  /** A URI. */
  readonly type: string
  /** A JSON object. */
  readonly predicate: Uint8Array
  /** What it is called in messages. */
  readonly label: string
}

/** @throws UsageError for a type that is no URI, or that only rlp may state */
export function refuseType(type: string): void {
  refuseNoUri('type', type)
  const instead =
    type === PREDICATE_TYPE
      ? 'rlp agent sign makes the statement that is a signature'
      : type === PREDICATES.summary.type
        ? 'rlp agent verify BUNDLE --key KEY --verifier URI --resource URI states it, of what it has found trusted'
        : undefined
  if (instead === undefined) return
  throw new UsageError(`Cannot attest the type "${type}": it is not stated by hand`, {
    field: 'type',
    hint: instead,
  })
}

/** @throws RlpError as {@link refuseType}; MALFORMED for what is no strict JSON object, LIMIT_EXCEEDED for one that no reader would read */
export function anyStatement(about: AttestedBundle, { type, predicate, label }: PredicateGiven): Uint8Array {
  refuseType(type)
  if (predicate.length > ATTESTATION_LIMITS.bytes)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot attest "${label}": it has more than ${byteLimit(ATTESTATION_LIMITS.bytes)}`,
      { hint: 'State a summary, and where the whole is' },
    )
  const read = readObject(predicate)
  if ('problem' in read) throw noPredicate(label, read.problem)
  const payload = writeAttestedText(about, type, Buffer.from(predicate).toString('utf8').trim())
  const again = readAttested(payload)
  if (!again.ok) throw noPredicate(label, again.problem)
  return payload
}

function noPredicate(label: string, seen: string): UsageError {
  return new UsageError(`Cannot attest "${label}": ${seen}`, {
    field: 'predicate',
    hint: 'Name a file that holds one JSON object',
  })
}
