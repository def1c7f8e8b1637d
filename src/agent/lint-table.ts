// The manifest's [lint] table → its suppressions, and its problems.
import { MANIFEST_FILE } from '../model/agent.ts'
import type { Pointer, ShapeProblem } from '../model/document.ts'
import type { Finding, Severity } from '../model/finding.ts'
import { isTable } from '../model/own.ts'
import { checkShape } from '../schema/check.ts'

/** One well-formed entry of `[lint].suppress`. */
interface SuppressEntry {
  /** Its place in the manifest. */
  readonly at: Pointer
  /** As written; it may name a rule that does not exist. */
  readonly rule: string
  readonly reason: string
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly until: string | undefined
  /** The one file that it is about; all files if absent. */
  readonly file: string | undefined
}

/** With more entries the table is malformed (see the schema): the work of matching grows with their number. */
const MAX_ENTRIES = 100
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/** A manifest's value without `[lint]`, because no verdict may depend on that table. */
export function withoutLint(manifest: unknown): unknown {
  if (!isTable(manifest) || !Object.hasOwn(manifest, 'lint')) return manifest
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'lint'))
}

/** Where `[lint]` breaks its schema, and dates that do not exist. */
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

/** The suppressions of a manifest, in their order. In a malformed table none count: the readable half may be the wrong one. */
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

/** Whether an entry matches this finding. Whether it is allowed and still valid is decided elsewhere. */
export function speaksOf(entry: SuppressEntry, { rule, file }: Pick<Finding, 'rule' | 'file'>): boolean {
  return entry.rule === rule && (entry.file === undefined || entry.file === file)
}

export function isExpired({ until }: Pick<SuppressEntry, 'until'>, today: string | undefined): boolean {
  return until !== undefined && today !== undefined && until < today
}

/** Families whose errors only the caller may turn off: they decide what is covered, read and granted. */
const GUARDED = ['caps', 'secrets', 'manifest', 'json', 'toml', 'files']
/** A bundle must not silence the rules about its own suppressions. */
const WATCH = /^manifest\/(?:lint-table|suppression(?:-refused)?)$/

/**
 * Why no manifest may suppress a rule; undefined if it may.
 * @param severity the one that counts in this run
 */
export function refusalOf(
  rule: { readonly id: string; readonly severity: Severity; readonly scope: 'bundle' | 'source' },
  severity: Severity = rule.severity,
): string | undefined {
  const family = rule.id.split('/', 1)[0] ?? ''
  if (WATCH.test(rule.id)) return 'it watches over suppressions'
  if (GUARDED.includes(family) && (rule.severity === 'error' || severity === 'error'))
    return `${MANIFEST_FILE} cannot suppress errors of the family ${family}/`
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
