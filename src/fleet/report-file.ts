// Reads the records of an earlier report. A record is parsed when its bundle is asked about.

import { findJsonProblem } from '../json/scan.ts'
import { WRAPPER_NAMES } from '../model/bundle-form.ts'
import { UsageError } from '../model/error.ts'
import { isTable, own } from '../model/own.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { readReference } from '../version/reference.ts'
import { SIGNATURE_LINE } from './seal.ts'
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
