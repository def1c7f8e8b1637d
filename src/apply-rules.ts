// Agent and rules → Finding[]: runs every rule, stamps id and severity, finds line and column, sorts.
import { utcDay } from './format/lint-table.ts'
import { lineColumn } from './format/text/decode.ts'
import type { Agent } from './model/agent.ts'
import type { Range } from './model/document.ts'
import type { Finding, Place, Problem } from './model/finding.ts'
import type { Rule } from './rules/rule.ts'

/** Findings per rule and agent; a hostile document must not fill a disk with its findings. The last one says that there are more. */
const MAX_PER_RULE = 1000

/**
 * All findings, in the order of file, place and rule. Nothing is suppressed here: `suppress` does that, and verification never does.
 *
 * @param now the time of this run, for rules about dates; without it they say nothing
 */
export function applyRules(agent: Agent, rules: readonly Rule[], now?: Date): Finding[] {
  const findings = rules.flatMap(rule => bounded(agent, rule, rule.check(agent)))
  const seen = { findings: [...findings], rules, today: now && utcDay(now) }
  for (const rule of rules) findings.push(...bounded(agent, rule, rule.review?.(agent, seen) ?? []))
  return findings.sort(byPlace)
}

function bounded(agent: Agent, rule: Rule, problems: Iterable<Problem>): Finding[] {
  const findings: Finding[] = []
  for (const problem of problems) {
    if (findings.length === MAX_PER_RULE) {
      const more = { ...problem, message: `${problem.message}; what follows of ${rule.id} is not listed` }
      findings.push(toFinding(agent, rule, more))
      break
    }
    findings.push(toFinding(agent, rule, problem))
  }
  return findings
}

function toFinding(agent: Agent, rule: Rule, problem: Problem): Finding {
  const { file, message, fix, undecidable } = problem
  const about = {
    rule: rule.id,
    severity: rule.severity,
    file,
    message,
    fix,
    ...(undecidable && { undecidable }),
  }
  const where = problem.place && locate(agent, file, problem.place)
  if (where === undefined) return { ...about, line: 1, column: 1 }
  const start = lineColumn(where.text, where.range.start)
  // A finding about a whole table or tool is shown on its first line; a range of forty lines helps nobody.
  const end = lineColumn(where.text, endOfLine(where.text, where.range))
  return { ...about, ...start, endLine: end.line, endColumn: end.column }
}

function locate(agent: Agent, file: string, place: Place): { text: string; range: Range } | undefined {
  if ('pointer' in place) {
    const document = agent.documents.get(file)
    return document && { text: document.text, range: document.locate(place.pointer, place.part) }
  }
  const text = agent.unreadable.find(({ path }) => path === file)?.text
  return text === undefined ? undefined : { text, range: { start: place.offset, end: place.offset } }
}

function endOfLine(text: string, { start, end }: Range): number {
  const newline = text.indexOf('\n', start)
  if (newline === -1 || newline >= end) return end
  return Math.max(start, text[newline - 1] === '\r' ? newline - 1 : newline)
}

function byPlace(a: Finding, b: Finding): number {
  return (
    compare(a.file, b.file) ||
    a.line - b.line ||
    a.column - b.column ||
    compare(a.rule, b.rule) ||
    compare(a.message, b.message)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
