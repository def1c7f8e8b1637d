// Agent → Finding[]: runs every rule, stamps id and severity, finds line and column, sorts.
import { lineColumn } from './format/text.ts'
import type { Agent } from './model/agent.ts'
import type { Range } from './model/document.ts'
import type { Finding, Place, Problem } from './model/finding.ts'
import { RULES } from './rules/index.ts'
import type { FileFix, Rule } from './rules/rule.ts'

/** Findings per rule and agent; a hostile document must not fill a disk with its findings. */
const MAX_PER_RULE = 1000

/** All findings, in the order of file, place and rule. */
export function lint(agent: Agent, rules: readonly Rule[] = RULES): Finding[] {
  const findings: Finding[] = []
  for (const rule of rules) {
    let count = 0
    for (const problem of rule.check(agent)) {
      if (++count > MAX_PER_RULE) break
      findings.push(toFinding(agent, rule, problem))
    }
  }
  return findings.sort(byPlace)
}

/** What the safe fixes of all rules would write. */
export function fixes(agent: Agent, rules: readonly Rule[] = RULES): FileFix[] {
  return rules.flatMap(rule => [...(rule.autofix?.(agent) ?? [])])
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
  const end = lineColumn(where.text, where.range.end)
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
