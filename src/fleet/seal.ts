// Signs a report, and checks the signatures of one. The last line of a report signs all lines between it and the signature before, so that
// signed reports stay signed when they are put together.

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

const REPORT_TYPE = 'application/vnd.runloop.verification-report.v1+json'
/** How the line begins. No text of a report can hold it after a newline. */
export const SIGNATURE_LINE: Buffer = Buffer.from('{"type":"signature",')

/** Sees the lines of a report as they are written. */
export class ReportSeal {
  readonly #signer: Signer
  readonly #hash = createHash('sha256')
  #bytes = 0

  constructor(signer: Signer) {
    this.#signer = signer
  }

  /** @param lines with their newlines */
  take(lines: string | Uint8Array): void {
    this.#hash.update(lines)
    this.#bytes += typeof lines === 'string' ? Buffer.byteLength(lines) : lines.length
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

/** Holds a report against its signatures while it is read. Nothing of it may be used before {@link end} has returned. */
export class SealCheck {
  readonly #label: string
  readonly #hint: string
  readonly #keys: readonly AnchorKey[]
  /** Anchor strings of the keys that have signed. */
  readonly signers = new Set<string>()
  #hash = createHash('sha256')
  /** Where the part begins that the next signature is about. */
  #from = 0
  #bytes = 0

  /** @param hint what to do about a report that is not signed as demanded */
  constructor(label: string, keys: readonly AnchorKey[], hint: string) {
    this.#label = label
    this.#hint = hint
    this.#keys = keys
  }

  /** @param lines whole ones, with their newlines, and none of them a signature */
  take(lines: Uint8Array): void {
    this.#hash.update(lines)
    this.#bytes += lines.length
  }

  /** @param line one that begins as {@link SIGNATURE_LINE}, without its newline. @throws UsageError */
  sign(line: Buffer): void {
    const payload = payloadOf(this.#hash.digest('hex'), this.#bytes)
    const checked = checkLine(line, payload, this.#keys)
    const at = this.#from + this.#bytes
    if ('problem' in checked) this.#refuse(`${checked.problem} (bytes ${this.#from} to ${at})`)
    this.signers.add(anchorString(checked.key))
    this.#hash = createHash('sha256')
    this.#from = at + line.length + 1
    this.#bytes = 0
  }

  /** @param rest bytes of a last line without its newline. @throws UsageError unless every byte was signed */
  end(rest = 0): void {
    if (this.#bytes === 0 && rest === 0 && this.#from > 0) return
    if (this.#bytes === 0 && rest === 0) this.#refuse('it is empty, so nothing in it is signed')
    this.#refuse(this.#from === 0 ? 'it is not signed' : `what follows byte ${this.#from} is not signed`)
  }

  #refuse(state: string): never {
    throw new UsageError(`Cannot rely on "${this.#label}": ${state}`, {
      field: 'since-key',
      hint: this.#hint,
    })
  }
}

function payloadOf(sha256: string, bytes: number): Buffer {
  return Buffer.from(JSON.stringify({ sha256, bytes }))
}

/** @returns the first of the keys that has signed, or why none has */
function checkLine(
  line: Buffer,
  payload: Buffer,
  keys: readonly AnchorKey[],
): { readonly key: AnchorKey } | { readonly problem: string } {
  const damaged = { problem: 'its signature is damaged' }
  if (line.length > MAX_ENVELOPE_BYTES) return damaged
  const text = line.toString()
  if (findJsonProblem(text) !== undefined) return damaged
  const value: unknown = JSON.parse(text)
  if (!isTable(value) || value['payloadType'] !== REPORT_TYPE) return damaged
  if (value['payload'] !== payload.toString('base64')) return { problem: 'it is not what was signed' }
  const { signatures } = value
  if (!Array.isArray(signatures) || signatures.length > MAX_SIGNATURES) return damaged
  const message = preAuthEncoding(payload, REPORT_TYPE)
  const isBy = (key: AnchorKey) =>
    signatures.some(one => {
      const sig = isTable(one) && typeof one['sig'] === 'string' ? canonicalBase64(one['sig']) : undefined
      return sig !== undefined && isSignature(key, message, sig)
    })
  const key = keys.find(isBy)
  return key === undefined ? { problem: 'no key of --since-key has signed it' } : { key }
}
