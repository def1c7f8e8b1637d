// Signs a statement with a key or an identity, into a bundle's file of attestations. What others have put there stays as it is.

import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import type { CertificateFacts } from '../model/keyless.ts'
import { byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import type { Signer } from '../model/signer.ts'
import { type AttestationFile, besideIn, changeBeside, lineAdded } from '../sign/attestation-file.ts'
import type { Keyless } from '../sign/keyless/keyless.ts'
import { signBytes } from '../sign/sign.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { anchorString } from '../signature/kinds/index.ts'
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
export interface ToAttest {
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

/** @param approve sees what becomes public before anything does, and throws to prevent it */
export function attestingByIdentity(
  keyless: Keyless,
  approve: (stated: ToAttest) => Promise<void> = async () => {},
): Attesting {
  return {
    async attest(stated, file, { signal }) {
      const how = attestingIn(file, signal)
      // Look first for all that would keep the line from being read: what a log has, it has for ever.
      refuseLarge(stated)
      await besideIn(file, how)
      await approve(stated)
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
