// A sound bundle and a key → its envelope with one more signature (docs/spec/signature.md). Pure except for the signer.

import { hash } from 'node:crypto'
import {
  isUtcSecond,
  preAuthEncoding,
  readEnvelope,
  readStatement,
  type SignatureEnvelope,
  writeEnvelope,
  writeStatement,
} from '../format/signature/envelope.ts'
import { anchorString, isSignature, keyProblem } from '../format/signature/kinds/index.ts'
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { MAX_SIGNATURES } from '../model/limits.ts'
import { ownMembers } from '../model/own.ts'
import type { AnchorKey, Signer } from '../model/signer.ts'
import { signBytes } from './sign-bytes.ts'

export interface SignOptions {
  /** A UTC second after which the signature ends. */
  readonly notAfter?: string | undefined
  /** Drops the existing signatures and makes a new statement. */
  readonly replace?: boolean | undefined
}

/**
 * The statement to sign. A second signer signs the existing one.
 * @param judged the statement that keyless signatures beside it sign, if that is what was judged
 * @throws RlpError USAGE if `notAfter` is not a UTC second, EXISTS if it differs from the statement that others have signed
 */
export function payloadFor(agent: Agent, options: SignOptions, judged?: Uint8Array | undefined): Uint8Array {
  const { notAfter, replace } = ownMembers(options)
  if (notAfter !== undefined && !isUtcSecond(notAfter))
    throw new RlpError('USAGE', `Cannot sign until "${notAfter}": it is not a UTC second`, {
      hint: 'Write for example 2027-11-20T00:00:00Z',
    })
  const existing = replace ? undefined : envelopeOf(agent)
  if (existing !== undefined) {
    const stated = readStatement(existing.payload)
    const before = stated.ok ? stated.value.notAfter : undefined
    if (notAfter === undefined || notAfter === before) return existing.payload
    throw new RlpError(
      'EXISTS',
      `Cannot sign "${agent.label}" until ${notAfter}: it is signed until ${before ?? 'further notice'}`,
      { hint: 'Sign without --not-after to add a signature, or with --replace to drop the other signatures' },
    )
  }
  if (judged !== undefined) return judged
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
    ...(notAfter !== undefined && { notAfter }),
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
 * The new bytes of SIGNATURES/manifest.sig. A second signature of one key replaces its first. Every signature is checked before it is added,
 * our own too.
 * @throws RlpError NOT_VERIFIED, LIMIT_EXCEEDED beyond sixteen signatures
 */
export function withSignature(
  agent: Agent,
  payload: Uint8Array,
  key: AnchorKey,
  signature: Uint8Array,
  { replace }: SignOptions,
): Uint8Array {
  const isGood = keyProblem(key) === undefined && isSignature(key, preAuthEncoding(payload), signature)
  if (!isGood)
    throw new RlpError(
      'NOT_VERIFIED',
      `Cannot sign "${agent.label}": the signature is not one of this key over this bundle`,
      { hint: 'Sign exactly the bytes that --export-payload writes, with the same --not-after' },
    )
  const keyid = anchorString(key)
  const others =
    (replace ? undefined : envelopeOf(agent))?.signatures.filter(one => one.keyid !== keyid) ?? []
  if (others.length + 1 > MAX_SIGNATURES)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot sign "${agent.label}": it has ${MAX_SIGNATURES} signatures already`,
      { hint: 'Drop those that are not needed by signing with --replace' },
    )
  return writeEnvelope({ payload, signatures: [...others, { keyid, sig: signature }] })
}

function envelopeOf(agent: Agent): SignatureEnvelope | undefined {
  const bytes = agent.files.get(SIGNATURE_FILE)?.bytes
  const read = bytes && readEnvelope(bytes)
  return read?.ok ? read.value : undefined
}
