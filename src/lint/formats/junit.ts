// Lint's report as JUnit's XML, which most pipelines show: a case for each finding, and one for each agent as a whole.

import type { Finding } from '../../model/finding.ts'
import { junitDocument, junitSuite } from '../../report/junit.ts'
import { checkoutOf, slashed } from '../../report/place.ts'
import { xmlText } from '../../text/markup.ts'
import type { LintedTarget } from '../linted.ts'
import { otherPlacesText } from '../message-words.ts'
import { type Format, fileOf, type LintReport, type View } from './format.ts'

export const lintJunit = {
  render(report, view) {
    const suites = [
      ...report.linted.map(target => suiteOf(target, report, view)),
      ...report.failed.map(({ target, error }) => unread(target, error)),
    ]
    return junitDocument('rlp agent lint', suites)
  },
  renderFailure: ({ target, error }) => junitDocument('rlp agent lint', [unread(target, error)]),
} as const satisfies Format

function suiteOf(target: LintedTarget, { fails }: LintReport, { cwd, env }: View): string {
  const { label } = target.agent
  const findings = target.findings.filter(({ suppressed }) => suppressed === undefined)
  const failing = findings.filter(fails)
  const checkout = checkoutOf(cwd, env['CI_PROJECT_DIR'] ?? env['GITHUB_WORKSPACE'])
  const names = namesOf(findings)
  const cases = findings.map((finding, index) => {
    const place = `${slashed(checkout, fileOf(target, finding))}:${finding.line}:${finding.column}`
    const also = otherPlacesText(finding)
    const lines = [
      `${place}: ${finding.message}`,
      `Fix: ${finding.fix}`,
      ...(also === undefined ? [] : [also]),
    ]
    const text = lines.map(xmlText).join('\n')
    const shown = fails(finding)
      ? `<failure type="${finding.severity}" message="${xmlText(finding.message)}">${text}</failure>`
      : `<system-out>${finding.severity}: ${text}</system-out>`
    return `    <testcase classname="${xmlText(label)}" name="${names[index] ?? ''}">${shown}</testcase>`
  })
  // An agent without findings has been looked at all the same.
  const whole =
    failing.length === 0 ? [`    <testcase classname="${xmlText(label)}" name="nothing fails lint"/>`] : []
  return junitSuite(label, [...whole, ...cases], { failures: failing.length })
}

/** Rule and file; equal ones are counted, because pipelines keep one case of a name. */
function namesOf(findings: readonly Finding[]): string[] {
  const seen = new Map<string, number>()
  return findings.map(({ rule, file }) => {
    const name = file === '' ? rule : `${rule} in ${file}`
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return xmlText(nth === 1 ? name : `${name} (${nth})`)
  })
}

function unread(target: string, { message, hint }: { message: string; hint?: string | undefined }): string {
  const text = hint === undefined ? message : `${message}. ${hint}`
  const failed = `    <testcase classname="${xmlText(target)}" name="it can be read"><error message="${xmlText(message)}">${xmlText(text)}</error></testcase>`
  return junitSuite(target, [failed], { errors: 1 })
}
