// The manifest's [lint] table → the suppressions in it, and what is wrong with them.

import { MANIFEST_FILE } from '../model/agent.ts'
import type { Pointer, ShapeProblem } from '../model/document.ts'
import type { Finding, Severity } from '../model/finding.ts'
import { isTable } from '../model/own.ts'
import { checkShape } from './schema/check.ts'

/** One entry of `[lint].suppress` that is well formed. */
export interface SuppressEntry {
  /** Where in the manifest it stands. */
  readonly at: Pointer
  /** As written: whether there is such a rule is not known here. */
  readonly rule: string
  readonly reason: string
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly until: string | undefined
  /** The one file that it is about; all of them without it. */
  readonly file: string | undefined
}

/** More entries are a malformed table (see the schema): the work of matching grows with their number. */
const MAX_ENTRIES = 100
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/** A manifest's value without `[lint]`, on which no verdict may depend: this is what its shape is judged by. */
export function withoutLint(manifest: unknown): unknown {
  if (!isTable(manifest) || !Object.hasOwn(manifest, 'lint')) return manifest
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'lint'))
}

/** Where `[lint]` differs from its schema, and dates that no calendar has. */
export function lintTableProblems(manifest: unknown): Omit<ShapeProblem, 'keyword'>[] {
  const lint = isTable(manifest) && Object.hasOwn(manifest, 'lint') ? manifest['lint'] : undefined
  if (lint === undefined) return []
  const dates = rawEntries(lint).flatMap((entry, index) => {
    const until = isTable(entry) ? entry['until'] : undefined
    if (typeof until !== 'string' || !DAY.test(until) || isDay(until)) return []
    const message = `There is no day ${until}`
    const fix = 'Write the last day as YYYY-MM-DD'
    return { pointer: ['lint', 'suppress', index, 'until'], part: 'value' as const, message, fix }
  })
  return [...checkShape('lint', lint), ...dates]
}

/** The suppressions of a manifest, in their order. Of a malformed table none count: half of it may be the half that was not meant. */
export function suppressEntries(manifest: unknown): SuppressEntry[] {
  if (!isTable(manifest) || !isTable(manifest['lint']) || lintTableProblems(manifest).length > 0) return []
  return rawEntries(manifest['lint']).flatMap((entry, index) => {
    if (!isTable(entry)) return []
    const { rule, reason, until, file } = entry
    if (typeof rule !== 'string' || typeof reason !== 'string') return []
    return {
      at: ['lint', 'suppress', index],
      rule,
      reason: reason.trim(),
      until: typeof until === 'string' ? until : undefined,
      file: typeof file === 'string' ? file : undefined,
    }
  })
}

/** Whether an entry speaks of this finding. Whether it may, and still does, are other questions. */
export function speaksOf(entry: SuppressEntry, { rule, file }: Pick<Finding, 'rule' | 'file'>): boolean {
  return entry.rule === rule && (entry.file === undefined || entry.file === file)
}

export function isExpired({ until }: Pick<SuppressEntry, 'until'>, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today
}

/** Families whose errors only the caller may turn off: they decide what is covered, read, and granted. */
const GUARDED = ['caps', 'secrets', 'manifest', 'json', 'toml', 'files']
/** Nothing in a bundle may silence what watches over its suppressions. */
const WATCH = /^manifest\/(?:lint-table|suppression(?:-refused)?)$/

/**
 * Why no manifest may suppress a rule, or undefined when it may.
 *
 * @param severity the one that counts in this run
 */
export function refusalOf(
  rule: { readonly id: string; readonly severity: Severity; readonly scope: 'bundle' | 'source' },
  severity: Severity = rule.severity,
): string | undefined {
  const family = rule.id.split('/', 1)[0] ?? ''
  if (WATCH.test(rule.id)) return 'it watches over suppressions'
  if (GUARDED.includes(family) && (rule.severity === 'error' || severity === 'error')) {
    return `errors of the family ${family}/ count whatever ${MANIFEST_FILE} says`
  }
  if (rule.severity === 'error' && rule.scope === 'bundle')
    return 'verification refuses a bundle that breaks it'
  return undefined
}

/** The day of a time, `YYYY-MM-DD` in UTC. */
export function utcDay(time: Date): string {
  return time.toISOString().slice(0, 10)
}

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && utcDay(time) === text
}

function rawEntries(lint: unknown): readonly unknown[] {
  const entries = isTable(lint) ? lint['suppress'] : undefined
  return Array.isArray(entries) ? entries.slice(0, MAX_ENTRIES) : []
}
