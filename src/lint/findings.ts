// Makes findings of what rules report: adds id and severity, finds line and column, and makes one of those that say the same. Loaded with the
// first problem, because a sound agent has none.

import type { Agent } from '../model/agent.ts'
import type { Range } from '../model/document.ts'
import type { Finding, Place, Problem } from '../model/finding.ts'
import { withoutCredentials } from '../secret/credential.ts'
import { LineIndex } from '../text/decode.ts'
import { groupFindings, type SingleFinding } from './group-findings.ts'
import { commonWords } from './grouped-words.ts'
import type { Rule } from './rules/rule.ts'

/** A problem, and the rule that reported it. */
export interface Reported {
  readonly rule: Rule
  readonly problem: Problem
  /** The rule reported more, which is left out. */
  readonly isLast: boolean
}

export class Findings {
  readonly #places: Places
  readonly #found = new Map<Rule, SingleFinding[]>()

  constructor(agent: Agent) {
    this.#places = new Places(agent)
  }

  add(reported: readonly Reported[]): void {
    for (const one of reported) {
      const found = this.#found.get(one.rule)
      const single = this.#single(one)
      if (found === undefined) this.#found.set(one.rule, [single])
      else found.push(single)
    }
  }

  /** Returns the findings of all that was added since the last call, in the order of the rules. */
  grouped(rules: readonly Rule[]): Finding[] {
    const grouped = rules.flatMap(rule => groupFindings(this.#found.get(rule) ?? []))
    this.#found.clear()
    return grouped
  }

  #single({ rule, problem, isLast }: Reported): SingleFinding {
    if (isLast) {
      const message = `${problem.message}; what follows of ${rule.id} is not listed`
      return { finding: toFinding(this.#places, rule, { ...problem, message }) }
    }
    const common = commonWords(this.#places.agent, problem, rule.severity)
    return { finding: toFinding(this.#places, rule, problem), common }
  }
}

function toFinding(places: Places, rule: Rule, problem: Problem): Finding {
  const { file, advice, undecidable } = problem
  // A report is kept and read by many: what a rule quotes may be a credential.
  const [message, fix] = [withoutCredentials(problem.message), withoutCredentials(problem.fix)]
  const about = {
    rule: rule.id,
    severity: rule.severity,
    file,
    message,
    fix,
    ...(advice !== undefined && { advice }),
    ...(undecidable && { undecidable }),
  }
  const where = problem.place && places.locate(file, problem.place)
  if (where === undefined) return { ...about, line: 1, column: 1 }
  const { lines, range } = where
  // A finding about a whole table or tool is shown on its first line: a range of forty lines would not help.
  const end = lines.at(lines.firstLineEnd(range))
  return { ...about, ...lines.at(range.start), endLine: end.line, endColumn: end.column }
}

/** Positions of problems, in any order of files: the lines of each file are counted once. */
class Places {
  readonly agent: Agent
  readonly #unreadable: ReadonlyMap<string, string | undefined>
  readonly #lines = new Map<string, LineIndex>()

  constructor(agent: Agent) {
    this.agent = agent
    this.#unreadable = new Map(agent.unreadable.map(({ path, text }) => [path, text]))
  }

  locate(file: string, place: Place): { readonly lines: LineIndex; readonly range: Range } | undefined {
    if ('pointer' in place) {
      const document = this.agent.documents.get(file)
      if (document === undefined) return undefined
      return { lines: this.#linesOf(file, document.text), range: document.locate(place.pointer, place.part) }
    }
    const text = this.#unreadable.get(file)
    if (text === undefined) return undefined
    return { lines: this.#linesOf(file, text), range: { start: place.offset, end: place.offset } }
  }

  #linesOf(file: string, text: string): LineIndex {
    const lines = this.#lines.get(file) ?? new LineIndex(text)
    this.#lines.set(file, lines)
    return lines
  }
}
