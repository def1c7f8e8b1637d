// Lint's report as SARIF 2.1.0 (OASIS, with errata 01). No times and no absolute paths: the same findings give the same bytes.
import { resolve } from 'node:path'
import type { Failed } from '../../cli/each.ts'
import { serialize } from '../../contract/serialize.ts'
import type { Finding, OtherPlace } from '../../model/finding.ts'
import { printable, printableJson } from '../../text/printable.ts'
import type { LintedTarget, SkippedRules } from '../linted.ts'
import { DESCRIBED_RULES } from '../rules/described.ts'
import { skippedText } from '../skipped-text.ts'
import { fingerprints } from './fingerprints.ts'
import type { Format, LintReport } from './format.ts'
import { fileOf } from './place.ts'
import { artifactOf, driverOf, SARIF_BASES, SARIF_SCHEMA, sarifText } from './sarif-log.ts'
import { describeRules, describeSettings, LEVELS } from './sarif-rules.ts'

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
  const invocation = {
    executionSuccessful: failed.length === 0,
    exitCode: exit,
    ...(overrides.length > 0 && { ruleConfigurationOverrides: overrides }),
    ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
  }
  const run = {
    tool: {
      driver: driverOf('rlp agent lint', describeRules()),
    },
    invocations: [invocation],
    originalUriBaseIds: SARIF_BASES,
    columnKind: 'utf16CodeUnits',
    results: linted.flatMap(target => resultsOf(target, cwd)),
  }
  return `${printableJson(serialize({ $schema: SARIF_SCHEMA, version: '2.1.0', runs: [run] }))}\n`
}

function resultsOf(target: LintedTarget, cwd: string) {
  const names = fingerprints(target.agent, target.findings)
  return target.findings.map((finding, index) => {
    const { rule, severity, message, fix, suppressed, others = [] } = finding
    const artifactLocation = artifactOf(cwd, fileOf(target, finding))
    return {
      ruleId: rule,
      ruleIndex: DESCRIBED_RULES.findIndex(({ id }) => id === rule),
      kind: 'fail',
      level: LEVELS[severity],
      message: { text: `${sarifText(message)}. ${sarifText(fix)}.` },
      locations: [{ physicalLocation: { artifactLocation, region: region(finding) } }],
      ...(others.length > 0 && {
        relatedLocations: others.map((other, at) => ({
          id: at + 1,
          message: { text: sarifText(other.name) },
          physicalLocation: { artifactLocation, region: region(other) },
        })),
      }),
      partialFingerprints: { 'rlpFinding/v1': names[index] ?? '' },
      // Without this member, a result would count as not reviewed.
      suppressions: suppressed === undefined ? [] : [suppression(suppressed)],
      properties: { agent: printable(target.agent.label), fix: sarifText(fix) },
    }
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
    locations: [{ physicalLocation: { artifactLocation: artifactOf(cwd, path) } }],
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
      locations: [{ physicalLocation: { artifactLocation: artifactOf(cwd, resolve(cwd, target)) } }],
    }),
  }
}
