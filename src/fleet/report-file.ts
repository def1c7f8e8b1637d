// Reads the records of an earlier report, and signs a new one. The last line of a report signs all lines between it and the signature
// before, so that signed reports stay signed when they are put together. A record is parsed when its bundle is asked about.

import { createHash } from 'node:crypto'
import { findJsonProblem } from '../json/scan.ts'
import { WRAPPER_NAMES } from '../model/bundle-form.ts'
import { UsageError } from '../model/error.ts'
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import type { AnchorKey, Signer } from '../model/signer.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { signBytes } from '../sign/sign.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { isUtcSecond, preAuthEncoding } from '../signature/envelope.ts'
import { anchorString, isSignature } from '../signature/kinds/index.ts'
import { readReference } from '../version/reference.ts'
import type { FleetRecord } from './task.ts'

const NEWLINE = 0x0a
const BUNDLE = Buffer.from('{"type":"bundle","sha256":')
const SUMMARY = Buffer.from('{"type":"summary",')

/** Verdicts on the same bytes. */
interface EarlierVerdicts {
  readonly agent: NonNullable<FleetRecord['agent']>
  /** By the digest of everything that a verdict depends on. */
  readonly byBasis: ReadonlyMap<string, FleetRecord>
}

export class EarlierReport {
  readonly #bytes: Buffer
  /** Where the lines of a bundle begin. */
  readonly #lines = new Map<string, number[]>()
  readonly #parsed = new Map<string, EarlierVerdicts>()

  /**
   * @param bytes may be shared with other threads. A last line without its newline is left out: its writer was stopped
   * @throws UsageError for a line that no report has
   */
  constructor(bytes: Uint8Array, label: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    let number = 1
    for (let at = 0, end = this.#endOf(at); end !== -1; at = end + 1, end = this.#endOf(at), number++) {
      const isBundle = this.#begins(BUNDLE, at)
      if (!isBundle && !this.#begins(SUMMARY, at) && !this.#begins(SIGNATURE_LINE, at))
        throw notOurs(label, number)
      const from = at + BUNDLE.length
      if (!isBundle || this.#bytes[from] !== 0x22) continue
      const sha256 = this.#bytes.toString('latin1', from + 1, from + 65)
      const before = this.#lines.get(sha256)
      if (before === undefined) this.#lines.set(sha256, [at])
      else before.push(at)
    }
  }

  /**
   * What a report says of the bytes with a digest, if its verdicts may be used again. They hold one agent: undefined also if two lines name
   * different ones: then the report was changed.
   */
  about(sha256: string): EarlierVerdicts | undefined {
    const parsed = this.#parsed.get(sha256)
    if (parsed !== undefined) return parsed
    const lines = this.#lines.get(sha256) ?? []
    const verdicts = this.#verdictsIn(lines, sha256)
    // A bundle can be there many times, and each time it is asked about.
    if (lines.length > 1 && verdicts !== undefined) this.#parsed.set(sha256, verdicts)
    return verdicts
  }

  #verdictsIn(lines: readonly number[], sha256: string): EarlierVerdicts | undefined {
    let agent: EarlierVerdicts['agent'] | undefined
    const byBasis = new Map<string, FleetRecord>()
    for (const at of lines) {
      const record = readRecord(this.#bytes.toString('utf8', at, this.#endOf(at)))
      if (record?.sha256 !== sha256 || record.agent === null || record.basis === null) continue
      agent ??= record.agent
      if (agent.name !== record.agent.name || agent.variant !== record.agent.variant) return undefined
      if (!byBasis.has(record.basis)) byBasis.set(record.basis, record)
    }
    return agent === undefined || readReference(agent.name) === undefined ? undefined : { agent, byBasis }
  }

  #endOf(at: number): number {
    return this.#bytes.indexOf(NEWLINE, at)
  }

  #begins(prefix: Buffer, at: number): boolean {
    return (
      this.#bytes.compare(prefix, 0, prefix.length, at, Math.min(at + prefix.length, this.#bytes.length)) ===
      0
    )
  }
}

function notOurs(label: string, number: number): UsageError {
  return new UsageError(
    `Cannot compare with "${label}": line ${number} is not one of a report of rlp agent verify --format ndjson`,
    { field: 'since', hint: 'Name a report as it was written, or leave --since out' },
  )
}

/** Undefined for anything but a record that was written by this program, and for one without a basis: its bundle is judged anew. */
function readRecord(text: string): FleetRecord | undefined {
  if (findJsonProblem(text) !== undefined) return undefined
  const value: unknown = JSON.parse(text)
  if (!isTable(value)) return undefined
  const { verdict, exit, accepted, agent, basis, notAfter, judged, form } = value
  const known = typeof verdict === 'string' ? own(VERDICTS, verdict) : undefined
  const mayBeZero = verdict === 'trusted' || verdict === 'unsigned'
  const isSound =
    known !== undefined &&
    (exit === known.exit || (exit === 0 && mayBeZero)) &&
    accepted === (exit === 0) &&
    (form === 'archive' || WRAPPER_NAMES.some(wrapper => form === wrapper)) &&
    typeof basis === 'string' &&
    (notAfter === null || (typeof notAfter === 'string' && !Number.isNaN(Date.parse(notAfter)))) &&
    typeof judged === 'string' &&
    isUtcSecond(judged) &&
    isAgent(agent) &&
    isReasons(value['reasons'])
  return isSound && (verdict as Verdict) !== 'indeterminate' ? (value as unknown as FleetRecord) : undefined
}

function isAgent(value: unknown): boolean {
  if (!isTable(value)) return false
  const { name, version, variant, kind } = value
  return [name, version, kind, variant ?? ''].every(text => typeof text === 'string')
}

function isReasons(value: unknown): boolean {
  const isText = (text: unknown) => typeof text === 'string'
  return (
    Array.isArray(value) &&
    value.every(
      one => isTable(one) && isText(one['code']) && isText(one['message']) && isText(one['hint'] ?? ''),
    )
  )
}

const REPORT_TYPE = 'application/vnd.runloop.verification-report.v1+json'
/** How the line begins. No text of a report can hold it after a newline. */
const SIGNATURE_LINE: Buffer = Buffer.from('{"type":"signature",')

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
