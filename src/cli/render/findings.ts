// Findings → text for people.
import type { Agent } from '../../model/agent.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import { codeFrame } from './frame.ts'
import { printable } from './sanitize.ts'
import type { Style } from './style.ts'
import { wrap } from './wrap.ts'

/** More than this many findings help nobody on a screen; `--json` has all. */
const MOST = 100

export interface Linted {
  readonly agent: Agent
  readonly findings: readonly Finding[]
}

export function renderFindings({ agent, findings }: Linted, style: Style, columns: number): string {
  const shown = findings.slice(0, MOST).map(finding => renderFinding(agent, finding, style, columns))
  if (findings.length > MOST) shown.push(`… and ${findings.length - MOST} more; --json lists all of them\n`)
  return shown.map(text => `${text}\n`).join('')
}

function renderFinding(agent: Agent, finding: Finding, style: Style, columns: number): string {
  const { file, line, column, severity, message, fix, rule } = finding
  const path = [agent.label === '.' ? '' : agent.label, file].filter(part => part !== '').join('/')
  const head = `${style.bold(printable(path))}:${line}:${column} ${paint(severity, style)} ${printable(message)} ${style.dim(rule)}`
  const text = agent.documents.get(file)?.text ?? agent.unreadable.find(({ path }) => path === file)?.text
  const frame = text === undefined || finding.endLine === undefined ? [] : codeFrame(text, finding, style)
  const fixed = wrap(printable(fix), Math.max(30, columns - 7))
  const lines = fixed.map((part, index) =>
    index === 0 ? `  ${style.cyan('fix:')} ${part}` : `       ${part}`,
  )
  return [head, ...frame, ...lines].join('\n')
}

function paint(severity: Severity, style: Style): string {
  return severity === 'error'
    ? style.red('error')
    : severity === 'warning'
      ? style.yellow('warning')
      : style.cyan('info')
}

/** `2 errors, 1 warning in 3 agents`, or `3 agents, no findings`. */
export function summary(linted: readonly Linted[]): string {
  const all = linted.flatMap(({ findings }) => findings)
  const agents = plural(linted.length, 'agent')
  if (all.length === 0) return `${agents}, no findings`
  const counted = (['error', 'warning', 'info'] as const)
    .map(severity => ({ severity, count: all.filter(finding => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => (severity === 'info' ? `${count} info` : plural(count, severity)))
  return `${counted.join(', ')} in ${agents}`
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`
}
