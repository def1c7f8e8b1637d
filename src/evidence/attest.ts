// Signs statements with a key or an identity, into the file of attestations of a bundle. What others have put there stays as it is.

import type { Target } from '../io/find/search-folders.ts'
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { CertificateFacts } from '../model/keyless.ts'
import { byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import type { Signer } from '../model/signer.ts'
import { isOciReference } from '../oci/scheme.ts'
import { type AttestationFile, besideIn, changeBeside, lineAdded } from '../sign/attestation-file.ts'
import type { KeylessGiven } from '../sign/keyless/keyless.ts'
import type { SigningIdentity } from '../sign/keyless-inputs.ts'
import { signBytes } from '../sign/sign.ts'
import type { KeyGiven } from '../sign/sign-bundle.ts'
import { isUtcSecond, preAuthEncoding } from '../signature/envelope.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { withAttestation } from '../statement/join-lines.ts'
import { readAttestations, sigstoreLines, writeAttestations } from '../statement/lines.ts'
import { PREDICATES, type PredicateName } from '../statement/predicates/index.ts'
import { type AttestedBundle, writeAttested } from '../statement/statement.ts'
import { bundleIdentity } from '../version/reference.ts'

export interface Attested {
  /** The file, as the caller called it. */
  readonly file: string
  /** Who signed: the anchor string of a key, or an identity as a trust policy that names it calls it, `oidc:…`. */
  readonly signer: string
  /** What the certificate of an identity says of who signed. Left out for a key. */
  readonly certificate?: CertificateFacts
  /** Index of the entry in the log; null without a log. Left out for a key. */
  readonly logIndex?: string | null
  /** When it was signed, as log or time stamp says: a UTC second. Left out for a key. */
  readonly time?: string
  /** Whether the file has another statement, or another signature, than before. */
  readonly changed: boolean
}

/** A statement that is ready to be signed. */
interface ToAttest {
  readonly payload: Uint8Array
  /** Its predicate type. */
  readonly type: string
  /** The bundle that it is about, as the caller called it. */
  readonly label: string
  /** `blake3:…` of that bundle's manifest. */
  readonly identity: string
}

export function toAttest(
  name: PredicateName,
  about: AttestedBundle,
  predicate: object,
  label: string,
): ToAttest {
  const { type } = PREDICATES[name]
  const identity = bundleIdentity(about.manifest.blake3)
  return { payload: writeAttested(about, type, predicate), type, label, identity }
}

/** Someone who signs statements. */
export interface Attesting {
  /** @throws RlpError as signing does; LIMIT_EXCEEDED where the file would be larger than what is read; then the file is as it was */
  attest(stated: ToAttest, file: AttestationFile, io: Pick<Setting, 'signal'>): Promise<Attested>
}

/** The envelope and its certificate have to fit into what is read of one Sigstore bundle, and base64 takes a third more. */
const MOST_STATED = Math.floor(((KEYLESS_LIMITS.bytes - 16 * 1024) / 4) * 3)

export function attestingByKey(signer: Signer): Attesting {
  return {
    async attest({ payload }, file, { signal }) {
      const how = attestingIn(file, signal)
      const keyid = anchorString(signer.key)
      const sig = await signBytes(preAuthEncoding(payload), signer, how.doing)
      const changed = await changeBeside(file, how, before => {
        const envelopes = readAttestations(file.label, before).envelopes.map(({ bytes }) => bytes)
        const now = withAttestation(envelopes, { payload, signatures: [{ keyid, sig }] })
        return writeAttestations([...now, ...sigstoreLines(before)])
      })
      return { file: file.label, signer: keyid, changed }
    },
  }
}

export function attestingByIdentity({ keyless, approve }: SigningIdentity): Attesting {
  return {
    async attest(stated, file, { signal }) {
      const how = attestingIn(file, signal)
      // Look first for all that would keep the line from being read: what a log has, it has for ever.
      refuseLarge(stated)
      await besideIn(file, how)
      await approve?.({ label: stated.label, identity: stated.identity, states: stated.type })
      const {
        line,
        signer,
        certificate,
        logIndex = null,
        time,
      } = await keyless.sign(stated.payload, how.doing)
      const changed = await changeBeside(file, how, before => lineAdded(before, line))
      return { file: file.label, signer, certificate, logIndex, time, changed }
    },
  }
}

function attestingIn({ label }: AttestationFile, signal: AbortSignal) {
  const hint = 'Delete lines that are about other bundles, or name another file with --attest'
  return { doing: `attest in "${label}"`, hint, signal }
}

function refuseLarge({ payload, label }: ToAttest): void {
  if (payload.length <= MOST_STATED) return
  throw new RlpError(
    'LIMIT_EXCEEDED',
    `Cannot attest "${label}" with an identity: the statement has ${payload.length} bytes, and readers take at most ${byteLimit(MOST_STATED)}`,
    { hint: 'Sign it with a key, or state less' },
  )
}

/** Who signs a statement, and where it goes. */
export interface SigningGiven extends Partial<KeyGiven> {
  /**
   * Signs with an identity in place of a key. Identity and digest become public in a log, for ever. The statement is then about the archive
   * without signatures.
   */
  readonly keyless?: KeylessGiven
  /** Where the signed statement goes; `<bundle>.intoto.jsonl` where this is left out. */
  readonly attest?: PathGiven
  /** When it was made, a UTC second; without it the statement says no time. */
  readonly time?: string
}

export function refuseTime(time: string | undefined): void {
  if (time === undefined || isUtcSecond(time)) return
  throw new UsageError(`Cannot use the time "${time}": it is not a UTC second`, {
    field: 'time',
    hint: 'Write for example 2026-11-20T00:00:00Z',
  })
}

/** @throws UsageError for a stored bundle: no file is beside it */
export function attestationFile(
  { path, label }: Target,
  named: AttestationFile | undefined,
): AttestationFile {
  if (named !== undefined) return named
  if (!isOciReference(path)) return { path: besideBundle(path), label: besideBundle(label) }
  throw new UsageError(`Cannot attest beside "${label}": it is stored elsewhere`, {
    hint: 'Say with --attest which file the statement goes to',
  })
}

export function namedFile(named: PathGiven, io: Pick<Setting, 'cwd'>): AttestationFile {
  return { path: pathGiven(named, io, 'attest in'), label: String(named) }
}

/** The statements about a bundle. */
interface ToState {
  readonly name: PredicateName
  readonly about: AttestedBundle
  readonly predicate: object
  readonly target: Target
}

export interface StatedAbout {
  /** As the caller called it. */
  readonly bundle: string
  /** Where it was signed, with `key` or `keyless`. */
  readonly attested: Attested | undefined
  /** Whether a file of attestations has another statement than before. Without a signer nothing changes. */
  readonly changed: boolean
}

/** Signs what is stated, as the caller has said who signs and where it goes. */
export type SignStated = (stated: ToState) => Promise<StatedAbout>

/**
 * @param attesting undefined without a signer
 * @param file in place of the file beside the bundle
 * @throws RlpError as signing and writing do; UsageError for a stored bundle without `file`
 */
export async function stateSigned(
  { name, about, predicate, target }: ToState,
  attesting: Attesting | undefined,
  file: AttestationFile | undefined,
  io: Pick<Setting, 'signal'>,
): Promise<StatedAbout> {
  const { label } = target
  if (attesting === undefined) return { bundle: label, attested: undefined, changed: false }
  const stated = toAttest(name, about, predicate, label)
  const attested = await attesting.attest(stated, attestationFile(target, file), io)
  return { bundle: label, attested, changed: attested.changed }
}
