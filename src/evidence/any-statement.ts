// A sound bundle, a type and a predicate of the caller's → the statement that is signed. What only rlp may state is not stated here.

import { RlpError, UsageError } from '../model/error.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../model/limits.ts'
import { readObject } from '../oci/document.ts'
import { PREDICATE_TYPE } from '../signature/envelope.ts'
import { PREDICATES } from '../statement/predicates/index.ts'
import { type AttestedBundle, readAttested, writeAttestedText } from '../statement/statement.ts'
import { refuseNoUri } from './build-facts.ts'

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
