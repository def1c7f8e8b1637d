// The last line of a report: what it is about, and what was found. Reports are held against each other by it when they are merged.
import { acceptJson } from '../json/parse.ts'
import { findJsonProblem } from '../json/scan.ts'
import { isTable, own } from '../model/own.ts'
import { nothingPassed, type PassedOver } from '../model/report.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { isUtcSecond } from '../signature/envelope.ts'
import { ParseBudget } from '../text/parse-budget.ts'
import { readShard, type Shard } from './shard.ts'

/** What a report says about the list that its job has walked. */
export interface Listed {
  readonly targets: number
  /** Those of this part. */
  readonly here: number
  /** Lower-case hex, over all targets (docs/spec/shards.md). */
  readonly sha256: string
}

/** What a merged report says about its parts. */
export interface MergedParts {
  readonly parts: number
  /** The numbers of those that are missing, as `3, 7-9`; null if none is. */
  readonly missing: string | null
  /** Anchor strings of the keys that signed the parts; empty if no signature was demanded. */
  readonly keys: readonly string[]
}

export interface ReportSummary {
  readonly type: 'summary'
  readonly bundles: number
  readonly accepted: number
  readonly reused: number
  /** How many of the reused bundles were not fetched, because their manifests had not changed. Left out if it is 0. */
  readonly unfetched?: number
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>
  readonly skipped: PassedOver
  /** How many repositories each host has listed; left out if none was asked. It is that host's word. */
  readonly listedBy?: Readonly<Record<string, number>>
  readonly exit: number
  /** The version of rlp. */
  readonly program: string
  /** `3/8`; null for a whole list. */
  readonly shard: string | null
  readonly run: string | null
  /** UTC seconds. */
  readonly began: string
  readonly ended: string
  readonly listed: Listed
  /** A digest of everything that verdicts depend on beside the bundles; null if it changed while the report was written. */
  readonly basis: string | null
  /** Of a merged report alone. */
  readonly merged?: MergedParts
}

/** How the line begins. */
export const SUMMARY_LINE: Buffer = Buffer.from('{"type":"summary",')

/** The summary of a part, and which one it is. */
export interface PartSummary extends ReportSummary {
  readonly part: Shard
}

/** The value of a line; undefined for one that other readers might read differently. */
export function lineValue(text: string): unknown {
  const plain = acceptJson(text, new ParseBudget())
  if (plain !== undefined) return plain.value
  return findJsonProblem(text) === undefined ? JSON.parse(text) : undefined
}

/** Reads a summary, or says what is wrong with it. */
export function readSummary(
  text: string,
): { readonly summary: ReportSummary } | { readonly problem: string } {
  const value = lineValue(text)
  if (!isTable(value)) return { problem: 'the summary is damaged' }
  if (value['listed'] === undefined || value['basis'] === undefined)
    return { problem: 'it was written by an older rlp, which does not say what it is about' }
  return isSummary(value)
    ? { summary: value as unknown as ReportSummary }
    : { problem: 'the summary is damaged' }
}

function isSummary(value: Readonly<Record<string, unknown>>): boolean {
  const { bundles, accepted, reused, exit, program, shard, run, began, ended, basis } = value
  const { listed, listedBy = {}, unfetched = 0, verdicts, skipped, merged } = value
  return (
    [bundles, accepted, reused, exit].every(isCount) &&
    isWord(program) &&
    (shard === null || (isWord(shard) && readShard(shard) !== undefined)) &&
    (run === null || isWord(run)) &&
    [began, ended].every(time => isWord(time) && isUtcSecond(time)) &&
    (basis === null || isDigest(basis)) &&
    isTable(listed) &&
    isCount(listed['targets']) &&
    isCount(listed['here']) &&
    isDigest(listed['sha256']) &&
    isTable(verdicts) &&
    Object.entries(verdicts).every(([word, count]) => own(VERDICTS, word) !== undefined && isCount(count)) &&
    isCount(unfetched) &&
    isTable(listedBy) &&
    Object.entries(listedBy).every(([host, count]) => isWord(host) && isCount(count)) &&
    isTable(skipped) &&
    Object.keys(nothingPassed()).every(name => isCount(own(skipped, name))) &&
    (merged === undefined || isTable(merged))
  )
}

const LONGEST_WORD = 200

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_WORD
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isDigest(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}
