// One run of rules through an agent: adds id and severity to each problem, finds its line and column, and sorts.

import { utcDay } from '../format/agent/lint-table.ts'
import { withoutCredentials } from '../format/secret/credential.ts'
import { LineIndex } from '../format/text/lines.ts'
import type { Agent } from '../model/agent.ts'
import type { Range } from '../model/document.ts'
import type { Finding, Place, Problem } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import type { Turn } from '../model/turn.ts'
import { byPlace } from './by-place.ts'
import { groupFindings, type SingleFinding } from './group-findings.ts'
import { commonWords } from './grouped-words.ts'
import { type Rule, UNPREPARED } from './rules/rule.ts'
import type { Prepared } from './subjects.ts'
import { Walk, type WalkStage } from './walk.ts'

/** Problems per rule and agent, so that a hostile document cannot fill a disk. The last one says that there are more. */
const MAX_PER_RULE = 1000

/** What the rules go by beside the agent. */
export interface Knowing {
  readonly prepared?: Prepared
  /** The time of this run, for rules about dates; without it they say nothing. */
  readonly now?: Date | undefined
}

/** One walk of rules through an agent, and what they have found. */
export class RuleRun {
  readonly #agent: Agent
  readonly #rules: readonly Rule[]
  readonly #today: string | undefined
  readonly #places: Places
  readonly #found = new Map<Rule, SingleFinding[]>()
  readonly #walk: Walk

  constructor(agent: Agent, rules: readonly Rule[], stages: readonly WalkStage[], knowing: Knowing = {}) {
    const { prepared = UNPREPARED, now } = ownMembers(knowing)
    this.#agent = agent
    this.#rules = rules
    this.#today = now && utcDay(now)
    this.#places = new Places(agent)
    this.#walk = new Walk(agent, rules, prepared, stages, rule => problem => this.#add(rule, problem))
  }

  /** Visits everything, with turns of the event loop in between: after each tool, schema and file. */
  async inTurns(turn: Turn): Promise<Finding[]> {
    do {
      const pause = turn()
      if (pause !== undefined) await pause
    } while (this.#walk.next())
    return this.#findings()
  }

  /** Visits everything at once. */
  atOnce(): Finding[] {
    while (this.#walk.next());
    return this.#findings()
  }

  #findings(): Finding[] {
    const findings = this.#grouped(this.#rules)
    const reviewing = this.#rules.filter(({ review }) => review !== undefined)
    if (reviewing.length > 0) {
      const seen = { findings: [...findings], rules: this.#rules, today: this.#today }
      for (const rule of reviewing) rule.review?.(this.#agent, seen, problem => this.#add(rule, problem))
      findings.push(...this.#grouped(reviewing))
    }
    return findings.sort(byPlace)
  }

  #grouped(rules: readonly Rule[]): Finding[] {
    const grouped = rules.flatMap(rule => groupFindings(this.#found.get(rule) ?? []))
    this.#found.clear()
    return grouped
  }

  #add(rule: Rule, problem: Problem): void {
    const found = this.#found.get(rule) ?? []
    if (found.length === 0) this.#found.set(rule, found)
    if (found.length > MAX_PER_RULE) return
    if (found.length === MAX_PER_RULE) {
      const more = { ...problem, message: `${problem.message}; what follows of ${rule.id} is not listed` }
      found.push({ finding: toFinding(this.#places, rule, more) })
      return
    }
    const common = commonWords(this.#agent, problem, rule.severity)
    found.push({
      finding: toFinding(this.#places, rule, problem),
      ...(common !== undefined && { common }),
    })
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
