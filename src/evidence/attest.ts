// A statement and a signer → one more envelope in a bundle's file of attestations. What others have put there stays as it is.
import { withAttestation } from '../format/evidence/join-lines.ts'
import { readAttestations, sigstoreLines, writeAttestations } from '../format/evidence/lines.ts'
import { preAuthEncoding } from '../format/signature/envelope.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import type { Setting } from '../io/setting.ts'
import type { Signer } from '../model/signer.ts'
import { type AttestationFile, changeBeside } from '../sign/lines-beside.ts'
import { signBytes } from '../sign/sign-bytes.ts'

export interface Attested {
  /** The file, as the caller called it. */
  readonly file: string
  /** Anchor string of the key that signed. */
  readonly signer: string
}

/** @throws RlpError as the signer does; LIMIT_EXCEEDED where the file would be larger than what is read; then the file is as it was */
export async function attest(
  payload: Uint8Array,
  signer: Signer,
  file: AttestationFile,
  io: Pick<Setting, 'signal'>,
): Promise<Attested> {
  const doing = `attest in "${file.label}"`
  const keyid = anchorString(signer.key)
  const sig = await signBytes(preAuthEncoding(payload), signer, doing)
  const hint = 'Delete lines that are about other bundles, or name another file with --attest'
  await changeBeside(file, { doing, hint, signal: io.signal }, before => {
    const envelopes = readAttestations(file.label, before).envelopes.map(({ bytes }) => bytes)
    const now = withAttestation(envelopes, { payload, signatures: [{ keyid, sig }] })
    return writeAttestations([...now, ...sigstoreLines(before)])
  })
  return { file: file.label, signer: keyid }
}
