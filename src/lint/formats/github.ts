// Lint's report as workflow commands of GitHub Actions, which show as annotations beside the code.
import { inert } from '../../cli/render/layout.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import { annotationCommand } from '../../report/github.ts'
import { checkoutOf, slashed } from '../../report/place.ts'
import { printable } from '../../text/printable.ts'
import { otherPlacesText } from '../message-words.ts'
import { type Format, fileOf, type LintReport, type View } from './format.ts'

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  Severity,
  string
>

/** GitHub shows this many annotations of a kind from one step and silently drops the rest. */
const MOST = 10

export const github = {
  speaks: 'commands',
  render(report, view) {
    const shown = { error: 0, warning: 0, info: 0 }
    const lines: string[] = []
    const rest: string[] = []
    for (const { finding, file } of findingsOf(report, view)) {
      if (shown[finding.severity]++ < MOST) lines.push(annotation(finding, file))
      else rest.push(logLine(finding, file))
    }
    for (const { error } of report.failed)
      lines.push(annotationCommand('error', { title: 'rlp' }, printable(error.message)))
    if (rest.length > 0)
      lines.push(`GitHub shows ${MOST} annotations of a kind; these ${rest.length} are only here:`, ...rest)
    return lines.map(line => `${line}\n`).join('')
  },
  renderFailure({ error }) {
    const hint = error.hint === undefined ? '' : `\n${printable(error.hint)}`
    return `${annotationCommand('error', { title: 'rlp' }, printable(error.message) + hint)}\n`
  },
} as const satisfies Format

interface Placed {
  readonly finding: Finding
  /** From the root of the checkout. */
  readonly file: string
}

/** Without suppressed ones. */
function findingsOf({ linted }: LintReport, { cwd, env }: View): Placed[] {
  const checkout = checkoutOf(cwd, env['GITHUB_WORKSPACE'])
  return linted.flatMap(target =>
    target.findings
      .filter(({ suppressed }) => suppressed === undefined)
      .map(finding => ({ finding, file: slashed(checkout, fileOf(target, finding)) })),
  )
}

function annotation(finding: Finding, file: string): string {
  const { severity, rule, line, column, endLine, endColumn, message, fix } = finding
  // GitHub refuses columns of a place that spans lines.
  const columns = endLine === line && endColumn !== undefined ? { col: column, endColumn } : {}
  const end = endLine === undefined ? {} : { endLine }
  const properties = { file: printable(file), line, ...end, ...columns, title: rule }
  const also = otherPlacesText(finding)
  const lines = [printable(message), `Fix: ${printable(fix)}`, ...(also === undefined ? [] : [also])]
  return annotationCommand(COMMANDS[severity], properties, lines.join('\n'))
}

function logLine({ severity, rule, line, column, message }: Finding, file: string): string {
  return inert(`${severity} ${printable(`${file}:${line}:${column} ${message}`)} (${rule})`)
}
