// Marks the findings that the manifest's [lint] or the caller's settings suppress, and applies the levels that a caller gives to rules. No
// finding is dropped.
import { isExpired, refusalOf, speaksOf, suppressEntries, utcDay } from '../agent/lint-table.ts'
import { type Agent, MANIFEST_FILE } from '../model/agent.ts'
import type { Finding, Severity, Suppression } from '../model/finding.ts'
import { DESCRIBED_RULES } from './rules/agentcli.ts'
import { RULES } from './rules/index.ts'

/** The caller's setting for a rule. */
export interface RuleSetting {
  /** A rule's id, or `family/*`. */
  readonly rule: string
  readonly level: Severity | 'off'
  /** The option that set it; `--rule` by default. */
  readonly said?: string
}

interface SuppressOptions {
  /** The time of this run: entries with a date expire. */
  readonly now: Date
  /** If two are about one rule, the later counts. */
  readonly settings?: readonly RuleSetting[]
}

/** From `lint`, in the same order. The caller's settings win over the manifest's. */
export function suppress(agent: Agent, findings: readonly Finding[], options: SuppressOptions): Finding[] {
  const entries = suppressEntries(agent.documents.get(MANIFEST_FILE)?.value)
  const today = utcDay(options.now)
  const live = entries.filter(entry => !isExpired(entry, today))
  return findings.map(found => {
    const setting = options.settings?.findLast(({ rule }) => isAbout(rule, found.rule))
    if (setting?.level === 'off')
      return { ...found, suppressed: { by: 'flag', reason: setting.said ?? `--rule ${setting.rule}=off` } }
    const severity = setting?.level ?? found.severity
    const finding =
      severity === found.severity ? found : { ...found, severity, defaultSeverity: found.severity }
    const rule = RULES.find(({ id }) => id === found.rule)
    const entry = live.find(one => speaksOf(one, found))
    if (rule === undefined || entry === undefined || refusalOf(rule, severity) !== undefined) return finding
    const { reason, until } = entry
    const suppressed: Suppression = { by: 'manifest', reason, ...(until !== undefined && { until }) }
    return { ...finding, suppressed }
  })
}

/** Whether a setting's `rule`, an id or `family/*`, is about the rule of this id. */
export function isAbout(setting: string, id: string): boolean {
  return setting.endsWith('/*') ? id.startsWith(setting.slice(0, -1)) : id === setting
}

/** How much interfaces.json has to state. */
export type InterfaceLevel = 'schema' | 'complete'

/** Level of Agent Tool records → the levels of the rules about facts that a record leaves out (docs/interfaces.md). */
const INTERFACE_LEVELS = {
  schema: { 'tools/interface-complete': 'off' },
  complete: { 'tools/interface-complete': 'error', 'tools/interface-classifier': 'error' },
} as const satisfies Record<InterfaceLevel, Readonly<Record<string, RuleSetting['level']>>>

export function interfaceSettings(level: InterfaceLevel | undefined): RuleSetting[] {
  const levels: Readonly<Record<string, RuleSetting['level']>> =
    level === undefined ? {} : INTERFACE_LEVELS[level]
  const said = `--interfaces ${level}`
  return Object.entries(levels).map(([rule, level]) => ({ rule, level, said }))
}

/** Whether a setting is about any rule: a rule's id, or `family/*`. */
export function isAboutAny(setting: string): boolean {
  return DESCRIBED_RULES.some(({ id }) => isAbout(setting, id))
}
