// A report of many bundles and a signer → one more line, which signs all lines before it; and back. Signed reports that are put together stay
// signed: each line signs what is between it and the signature before.
import { createHash } from 'node:crypto'
import { findJsonProblem } from '../json/scan.ts'
import { UsageError } from '../model/error.ts'
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import type { AnchorKey, Signer } from '../model/signer.ts'
import { signBytes } from '../sign/sign.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { preAuthEncoding } from '../signature/envelope.ts'
import { anchorString, isSignature } from '../signature/kinds/index.ts'

export const REPORT_TYPE = 'application/vnd.runloop.verification-report.v1+json'
/** How the line begins. No text of a report can hold it after a newline. */
export const SIGNATURE_LINE: Buffer = Buffer.from('{"type":"signature",')
const NEWLINE = 0x0a

/** Sees the lines of a report as they are written. */
export class ReportSeal {
  readonly #signer: Signer
  readonly #hash = createHash('sha256')
  #bytes = 0

  constructor(signer: Signer) {
    this.#signer = signer
  }

  /** @param text with its newline */
  take(text: string): void {
    this.#hash.update(text)
    this.#bytes += Buffer.byteLength(text)
  }

  /** The last line, with its newline. @throws RlpError as the signer does */
  async line(): Promise<string> {
    const payload = payloadOf(this.#hash.digest('hex'), this.#bytes)
    const sig = await signBytes(preAuthEncoding(payload, REPORT_TYPE), this.#signer, 'sign the report')
    return `${JSON.stringify({
      type: 'signature',
      payloadType: REPORT_TYPE,
      payload: payload.toString('base64'),
      signatures: [{ keyid: anchorString(this.#signer.key), sig: Buffer.from(sig).toString('base64') }],
    })}\n`
  }
}

/** @throws UsageError unless every byte of a report was signed by one of these keys */
export function demandSigned(report: Uint8Array, label: string, keys: readonly AnchorKey[]): void {
  const bytes = Buffer.from(report.buffer, report.byteOffset, report.length)
  const refuse = (state: string) => {
    throw new UsageError(`Cannot rely on "${label}": ${state}`, {
      field: 'since-key',
      hint: 'Name the key that signed it, or verify everything once more without --since, and sign that report with --key',
    })
  }
  if (bytes.length === 0) refuse('it is empty, so nothing in it is signed')
  for (let from = 0; from < bytes.length; ) {
    const at = signatureAfter(bytes, from)
    const end = at === -1 ? -1 : bytes.indexOf(NEWLINE, at)
    if (end === -1) refuse(from === 0 ? 'it is not signed' : `what follows byte ${from} is not signed`)
    const signed = bytes.subarray(from, at)
    const payload = payloadOf(createHash('sha256').update(signed).digest('hex'), signed.length)
    const problem = lineProblem(bytes.subarray(at, end), payload, keys)
    if (problem !== undefined) refuse(`${problem} (bytes ${from} to ${at})`)
    from = end + 1
  }
}

function payloadOf(sha256: string, bytes: number): Buffer {
  return Buffer.from(JSON.stringify({ sha256, bytes }))
}

function signatureAfter(bytes: Buffer, from: number): number {
  if (bytes.subarray(from, from + SIGNATURE_LINE.length).equals(SIGNATURE_LINE)) return from
  const before = bytes.indexOf(Buffer.concat([Buffer.of(NEWLINE), SIGNATURE_LINE]), from)
  return before === -1 ? -1 : before + 1
}

function lineProblem(line: Buffer, payload: Buffer, keys: readonly AnchorKey[]): string | undefined {
  const damaged = 'its signature is damaged'
  if (line.length > MAX_ENVELOPE_BYTES) return damaged
  const text = line.toString()
  if (findJsonProblem(text) !== undefined) return damaged
  const value: unknown = JSON.parse(text)
  if (!isTable(value) || value['payloadType'] !== REPORT_TYPE) return damaged
  if (value['payload'] !== payload.toString('base64')) return 'it is not what was signed'
  const { signatures } = value
  if (!Array.isArray(signatures) || signatures.length > MAX_SIGNATURES) return damaged
  const message = preAuthEncoding(payload, REPORT_TYPE)
  const isBy = (key: AnchorKey) =>
    signatures.some(one => {
      const sig = isTable(one) && typeof one['sig'] === 'string' ? canonicalBase64(one['sig']) : undefined
      return sig !== undefined && isSignature(key, message, sig)
    })
  return keys.some(isBy) ? undefined : 'no key of --since-key has signed it'
}
