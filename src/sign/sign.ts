// Adds a signature to the envelope of a sound bundle (docs/spec/signature.md), and decides when signatures end. Pure except for the signer,
// who is asked in one place: whatever kind of signer it is, its answer is checked before anything is done with it.
import { hash } from 'node:crypto'
import { type Agent, MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { RlpError, UsageError } from '../model/error.ts'
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
import { endIn, type StatedEnd } from '../signature/stated-end.ts'
import type { World } from '../verb/index.ts'

/**
 * The statement to sign. A second signer signs the existing one.
 * @param judged the statement that keyless signatures beside it sign, if that is what was judged
 * @throws RlpError USAGE if an end is not a UTC second, EXISTS if `notAfter` differs from the statement that others have signed
 */
export function payloadFor(agent: Agent, options: EndOptions, judged?: Uint8Array | undefined): Uint8Array {
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

/** When signatures end. */
export interface EndOptions {
  /** A UTC second. It has to be the end of the signatures that are there, if there are any. */
  readonly notAfter?: string | undefined
  /** A UTC second. Starts a new statement, unless the end that is there is {@link nearEnd}. */
  readonly renew?: string | undefined
  /** `notAfter` was counted from now, so the end that is there may differ from it as for `renew`. */
  readonly isCounted?: boolean | undefined
}

const DAY_MS = 86_400_000
const TEN_MINUTES_MS = 600_000

/** @throws UsageError */
export function refuseBothEnds({ notAfter, renew }: EndOptions, { spelt }: Pick<World, 'spelt'>): void {
  if (notAfter === undefined || renew === undefined) return
  throw new UsageError(`Cannot use ${spelt('notAfter')} with ${spelt('renew')}: each names an end`, {
    field: 'renew',
    hint: `Leave ${spelt('notAfter')} out: ${spelt('renew')} is the new end`,
  })
}

/** The end of the signatures that are in a bundle; undefined if it is unsigned. */
export function statedEnd({ files }: Pick<Agent, 'files'>): StatedEnd | undefined {
  return endIn(files.get(SIGNATURE_FILE)?.bytes)
}

/**
 * The end that is there, if it is close enough to the one that was asked for. People who renew one after the other then sign one statement,
 * although each of their ends is counted from another second.
 */
export function nearEnd(agent: Agent, asked: string): string | undefined {
  const there = statedEnd(agent)?.notAfter
  if (there === undefined) return undefined
  const later = Date.parse(there) - Date.parse(asked)
  return later >= -DAY_MS && later <= TEN_MINUTES_MS ? there : undefined
}

/**
 * @param doing the work, in the grammar of messages: `sign "dist/mailer-0.1.0.agent.bundle"`
 * @throws RlpError NOT_VERIFIED for a signature of another key, of other bytes, or of none; and as the signer does
 */
export async function signBytes(message: Uint8Array, signer: Signer, doing: string): Promise<Uint8Array> {
  const problem = keyProblem(signer.key)
  if (problem !== undefined)
    throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: the key of the signer ${problem}`, {
      hint: 'Use another key',
    })
  // A copy: a signer that changes what it was given must not change what is checked.
  const signature: unknown = await signer.sign(new Uint8Array(message))
  if (signature instanceof Uint8Array && isSignature(signer.key, message, signature))
    return new Uint8Array(signature)
  throw new RlpError(
    'NOT_VERIFIED',
    `Cannot ${doing}: what the signer answered is no signature of ${anchorString(signer.key)} over these bytes`,
    {
      hint: 'Check that the signer uses the key that it names, and signs the bytes as they are, with Ed25519',
    },
  )
}
