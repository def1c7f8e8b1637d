// Reads the records of earlier reports strictly: only what rlp itself may have written is used again.
import { findJsonProblem } from '../json/scan.ts'
import { WRAPPER_NAMES } from '../model/bundle-form.ts'
import { isTable, own } from '../model/own.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { readReference } from '../version/reference.ts'
import type { EarlierLines, FleetRecord } from './task.ts'

/** Verdicts on the same bytes. */
export interface EarlierVerdicts {
  readonly agent: NonNullable<FleetRecord['agent']>
  /** By the digest of everything that a verdict depends on. */
  readonly byBasis: ReadonlyMap<string, FleetRecord>
}

/** A line says the same also where these differ: two bundles with the same bytes, or one in the reports of two nights. */
const MAY_DIFFER = {
  target: undefined,
  reused: undefined,
  fetched: undefined,
  judged: undefined,
  warnings: undefined,
}

/**
 * What earlier reports say of the bytes with a digest, if their verdicts may be used again. They hold one agent: undefined also if two lines
 * name different ones, because then a report was changed. Of two lines with one basis that differ, neither counts.
 */
export function earlierVerdicts({ sha256, lines }: EarlierLines): EarlierVerdicts | undefined {
  // Copies of one bundle have the same lines.
  const known = READ.get(lines)
  if (known !== undefined) return known.verdicts
  const verdicts = verdictsIn(sha256, lines)
  READ.set(lines, { verdicts })
  return verdicts
}

const READ = new WeakMap<readonly string[], { readonly verdicts: EarlierVerdicts | undefined }>()

function verdictsIn(sha256: string, lines: readonly string[]): EarlierVerdicts | undefined {
  let agent: EarlierVerdicts['agent'] | undefined
  const byBasis = new Map<string, FleetRecord>()
  const contradicting = new Set<string>()
  for (const line of lines) {
    const record = readRecord(line)
    if (record?.sha256 !== sha256 || record.agent === null || record.basis === null) continue
    agent ??= record.agent
    if (agent.name !== record.agent.name || agent.variant !== record.agent.variant) return undefined
    const first = byBasis.get(record.basis)
    if (first === undefined) byBasis.set(record.basis, record)
    else if (saidBy(first) !== saidBy(record)) contradicting.add(record.basis)
  }
  for (const basis of contradicting) byBasis.delete(basis)
  return agent === undefined || readReference(agent.name) === undefined ? undefined : { agent, byBasis }
}

function saidBy(record: FleetRecord): string {
  return JSON.stringify({ ...record, ...MAY_DIFFER })
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
