// A sound bundle and a key → its envelope with one more signature (docs/spec/signature.md). Pure except for the signer.

import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import { ownMembers } from '../model/own.ts'
import type { AnchorKey, Signer } from '../model/signer.ts'
import {
  isUtcSecond,
  preAuthEncoding,
  readEnvelope,
  type SignatureEnvelope,
  writeEnvelope,
  writeStatement,
} from '../signature/envelope.ts'
import { anchorString, isSignature, keyProblem } from '../signature/kinds/index.ts'
import { type EndAsked, nearEnd, statedEnd } from './end-asked.ts'
import { signBytes } from './sign-bytes.ts'

/**
 * The statement to sign. A second signer signs the existing one.
 * @param judged the statement that keyless signatures beside it sign, if that is what was judged
 * @throws RlpError USAGE if an end is not a UTC second, EXISTS if `notAfter` differs from the statement that others have signed
 */
export function payloadFor(agent: Agent, options: EndAsked, judged?: Uint8Array | undefined): Uint8Array {
  const { notAfter, renew, isCounted } = ownMembers(options)
  const end = renew ?? notAfter
  if (end !== undefined && !isUtcSecond(end))
    throw new RlpError('USAGE', `Cannot sign until "${end}": it is not a UTC second`, {
      hint: 'Write for example 2027-11-20T00:00:00Z',
    })
  const existing = envelopeOf(agent)
  const before = statedEnd(agent)?.notAfter
  if (existing !== undefined && (end === undefined || end === before)) return existing.payload
  if (existing !== undefined && end !== undefined) {
    if ((renew !== undefined || isCounted) && nearEnd(agent, end) !== undefined) return existing.payload
    if (renew === undefined)
      throw new RlpError(
        'EXISTS',
        `Cannot sign "${agent.label}" until ${end}: it is signed until ${before ?? 'further notice'}`,
        {
          hint: 'Sign without --not-after to add a signature with that end. To start again with a later end, sign with --renew, and let everyone who signed do the same',
        },
      )
  }
  if (judged !== undefined && renew === undefined) return judged
  const manifest = agent.files.get(MANIFEST_FILE)
  const { name, version, variant } = agent.manifest ?? {}
  if (
    manifest?.bytes === undefined ||
    manifest.digest === undefined ||
    name === undefined ||
    version === undefined
  )
    throw new TypeError('a sound bundle has a manifest with name and version')
  return writeStatement({
    blake3: manifest.digest,
    sha256: hash('sha256', manifest.bytes, 'hex'),
    agent: { name, version, ...(variant !== undefined && { variant }) },
    ...(end !== undefined && { notAfter: end }),
  })
}

/** Someone who signs. */
export interface Signing {
  readonly key: AnchorKey
  /** A signature over a payload. It may take long: a person may have to confirm it. */
  signature(payload: Uint8Array, doing: string): Promise<Uint8Array>
}

export function signingWith(signer: Signer): Signing {
  return {
    key: signer.key,
    signature: (payload, doing) => signBytes(preAuthEncoding(payload), signer, doing),
  }
}

/**
 * The new bytes of SIGNATURES/manifest.sig. The signatures that are there are kept if they sign the same statement. A second signature of
 * one key replaces its first. Every signature is checked before it is added, our own too.
 * @param isAlone leave out the signatures that are there, for an envelope that is kept beside the bundle
 * @throws RlpError NOT_VERIFIED, LIMIT_EXCEEDED beyond sixteen signatures
 */
export function withSignature(
  agent: Agent,
  payload: Uint8Array,
  key: AnchorKey,
  signature: Uint8Array,
  isAlone = false,
): Uint8Array {
  const isGood = keyProblem(key) === undefined && isSignature(key, preAuthEncoding(payload), signature)
  if (!isGood)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot sign "${agent.label}": the signature is not one of this key over this bundle`,
      { hint: 'Sign exactly the bytes that --export-payload writes, with the same end' },
    )
  const keyid = anchorString(key)
  const existing = isAlone ? undefined : envelopeOf(agent)
  const isSame = existing !== undefined && Buffer.compare(existing.payload, payload) === 0
  const others = isSame ? existing.signatures.filter(one => one.keyid !== keyid) : []
  if (others.length + 1 > MAX_SIGNATURES)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot sign "${agent.label}": it has ${MAX_SIGNATURES} signatures already`,
      { hint: 'Start a new statement with --renew 90d, and let those sign it who are needed' },
    )
  return writeEnvelope({ payload, signatures: [...others, { keyid, sig: signature }] })
}

function envelopeOf(agent: Agent): SignatureEnvelope | undefined {
  const bytes = agent.files.get(SIGNATURE_FILE)?.bytes
  const read = bytes && readEnvelope(bytes)
  return read?.ok ? read.value : undefined
}
