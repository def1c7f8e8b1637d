// A statement and a signer → one more envelope in a bundle's file of attestations. What others have put there stays as it is.
import { withAttestation } from '../format/evidence/join-lines.ts'
import { MOST_FILE_BYTES, readAttestations, writeAttestations } from '../format/evidence/lines.ts'
import { preAuthEncoding } from '../format/signature/envelope.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import { withMutex } from '../io/mutex/mutex.ts'
import { entryAt } from '../io/read/entry.ts'
import { openFile, readWhole } from '../io/read/read-file.ts'
import type { Setting } from '../io/setting.ts'
import { writeAtomic } from '../io/write/write-atomic.ts'
import type { AttestationBytes } from '../model/attestation.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import type { Signer } from '../model/signer.ts'
import { signBytes } from '../sign/sign-bytes.ts'

export interface AttestationFile {
  /** Absolute. */
  readonly path: string
  readonly label: string
}

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
  { path, label }: AttestationFile,
  io: Pick<Setting, 'signal'>,
): Promise<Attested> {
  const doing = `attest in "${label}"`
  const keyid = anchorString(signer.key)
  const sig = await signBytes(preAuthEncoding(payload), signer, doing)
  const work = async () => {
    const { envelopes: before, bundles } = await linesIn(path, label)
    const envelopes = withAttestation(before, { payload, signatures: [{ keyid, sig }] })
    const bytes = writeAttestations([...envelopes, ...bundles])
    const { problem } = readAttestations(label, bytes)
    if (problem !== undefined) throw tooMuch(doing, problem.message)
    await writeAtomic(path, bytes, { label, signal: io.signal })
  }
  await withMutex(`${path}.rlp-lock`, doing, work, io.signal)
  return { file: label, signer: keyid }
}

interface Lines {
  readonly envelopes: readonly Uint8Array[]
  /** Sigstore bundles. */
  readonly bundles: readonly Uint8Array[]
}

async function linesIn(path: string, label: string): Promise<Lines> {
  if (entryAt(path) === undefined) return { envelopes: [], bundles: [] }
  const file = await openFile(path, { follow: true, label })
  try {
    if (file.size > MOST_FILE_BYTES)
      throw tooMuch(`attest in "${label}"`, `it has more than ${byteLimit(MOST_FILE_BYTES)}`)
    const { envelopes, problem, keyless } = readAttestations(label, await readWhole(file, label))
    const wrong = problem ?? keyless?.problem
    if (wrong !== undefined) throw tooMuch(`attest in "${label}"`, wrong.message)
    const bytesOf = (lines: readonly AttestationBytes[]) => lines.map(({ bytes }) => bytes)
    return { envelopes: bytesOf(envelopes), bundles: bytesOf(keyless?.bundles ?? []) }
  } finally {
    file.handle.close()
  }
}

function tooMuch(doing: string, state: string): RlpError {
  return new RlpError('LIMIT_EXCEEDED', `Cannot ${doing}: ${state}`, {
    hint: 'Delete lines that are about other bundles, or name another file with --attest',
  })
}
