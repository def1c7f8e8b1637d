// Lint's report as SARIF 2.1.0: a result for each finding, and a notification for whatever could not be looked at.
import { resolve } from 'node:path'
import type { Failed } from '../../cli/each.ts'
import type { Finding, OtherPlace, Severity } from '../../model/finding.ts'
import { sarifLog, sarifPlace, sarifResult, sarifRun, sarifText } from '../../report/sarif.ts'
import { printable } from '../../text/printable.ts'
import type { LintedTarget, SkippedRules } from '../linted.ts'
import { skippedText } from '../message-words.ts'
import { DESCRIBED_RULES } from '../rules/agentcli.ts'
import { isAbout, type RuleSetting } from '../suppress.ts'
import { fingerprints } from './fingerprints.ts'
import { type Format, fileOf, type LintReport } from './format.ts'

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>

export const sarif = {
  render: (report, { cwd }) => write(report, cwd),
  renderFailure: (failed, exit, { cwd }) => write({ linted: [], failed: [failed], settings: [], exit }, cwd),
} as const satisfies Format

function write(
  { linted, failed, settings, exit }: Omit<LintReport, 'fails' | 'isDryRun'>,
  cwd: string,
): string {
  const overrides = describeSettings(settings)
  const notifications = [
    ...failed.map(one => notification(one, cwd)),
    ...linted.flatMap(target => target.skipped.map(one => skippedNotification(one, target, cwd))),
  ]
  const run = sarifRun('rlp agent lint', describeRules(), {
    executionSuccessful: failed.length === 0,
    exitCode: exit,
    ...(overrides.length > 0 && { ruleConfigurationOverrides: overrides }),
    ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
  })
  const results = linted.flatMap(target => resultsOf(target, cwd))
  return sarifLog(run, results)
}

function resultsOf(target: LintedTarget, cwd: string) {
  const names = fingerprints(target.agent, target.findings)
  return target.findings.map((finding, index) => {
    const { rule, severity, message, fix, suppressed, others = [] } = finding
    const path = fileOf(target, finding)
    return sarifResult(DESCRIBED_RULES, rule, `${sarifText(message)}. ${sarifText(fix)}.`, {
      level: LEVELS[severity],
      locations: [sarifPlace(cwd, path, region(finding))],
      ...(others.length > 0 && {
        relatedLocations: others.map((other, at) => ({
          id: at + 1,
          message: { text: sarifText(other.name) },
          ...sarifPlace(cwd, path, region(other)),
        })),
      }),
      partialFingerprints: { 'rlpFinding/v1': names[index] ?? '' },
      // Without this member, a result would count as not reviewed.
      suppressions: suppressed === undefined ? [] : [suppression(suppressed)],
      properties: { agent: printable(target.agent.label), fix: sarifText(fix) },
    })
  })
}

/** A finding about a whole file is placed on its first line, because code scanning shows no finding without a line. */
function region({ line, column, endLine, endColumn }: Omit<OtherPlace, 'name'>) {
  if (endLine === undefined) return { startLine: 1 }
  return { startLine: line, startColumn: column, endLine, endColumn }
}

function suppression({ by, reason, until }: NonNullable<Finding['suppressed']>) {
  return {
    kind: by === 'manifest' ? 'inSource' : 'external',
    status: 'accepted',
    justification: sarifText(reason),
    ...(until !== undefined && { properties: { until } }),
  }
}

function skippedNotification(skipped: SkippedRules, target: LintedTarget, cwd: string) {
  const path = resolve(target.folder, skipped.file)
  return {
    level: 'note',
    descriptor: { id: 'RULES_SKIPPED' },
    message: { text: sarifText(skippedText(skipped, target.agent.label)) },
    locations: [sarifPlace(cwd, path)],
  }
}

function notification({ target, error }: Failed, cwd: string) {
  return {
    level: 'error',
    descriptor: { id: error.code },
    message: {
      text: sarifText(error.hint === undefined ? error.message : `${error.message}. ${error.hint}`),
    },
    ...(target !== '' && {
      locations: [sarifPlace(cwd, resolve(cwd, target))],
    }),
  }
}

/** Every rule, with or without findings: `ruleIndex` counts in this order. */
function describeRules() {
  return DESCRIBED_RULES.map(({ id, severity, scope, summary, why, fix, autofix, isOptIn }) => {
    const family = id.split('/', 1)[0] ?? ''
    return {
      id,
      shortDescription: { text: sentence(summary) },
      fullDescription: { text: why },
      help: { text: `${why} ${fix}`, markdown: `${escaped(why)}\n\n**Fix:** ${escaped(fix)}` },
      defaultConfiguration: { enabled: isOptIn !== true, level: LEVELS[severity] },
      properties: {
        // Code scanning reads these two names.
        tags: [family, ...(scope === 'bundle' ? ['verification'] : [])],
        'problem.severity': severity === 'info' ? 'recommendation' : severity,
        scope,
        autofix: autofix !== undefined,
      },
    }
  })
}

/** What `--rule` changed, rule by rule. */
function describeSettings(settings: readonly RuleSetting[]) {
  return DESCRIBED_RULES.flatMap(({ id }, index) => {
    const setting = settings.findLast(({ rule }) => isAbout(rule, id))
    if (setting === undefined) return []
    const { level } = setting
    const configuration = level === 'off' ? { enabled: false } : { enabled: true, level: LEVELS[level] }
    return { descriptor: { id, index }, configuration }
  })
}

function sentence(words: string): string {
  // Keeps the spelling of a file name or key.
  if (/^\S*[._=]/.test(words)) return `${words}.`
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}

/** Rules are plain text: markup characters are escaped. */
function escaped(words: string): string {
  return words.replace(/[\\`*_<|[\]]/g, '\\$&')
}
