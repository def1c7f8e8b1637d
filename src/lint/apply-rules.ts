// Agent and rules → Finding[]: runs every rule, adds id and severity, finds line and column, sorts.

import { utcDay } from '../format/agent/lint-table.ts'
import { withoutCredentials } from '../format/secret/credential.ts'
import { LineIndex } from '../format/text/lines.ts'
import type { Agent } from '../model/agent.ts'
import type { Range } from '../model/document.ts'
import type { Finding, Place, Problem } from '../model/finding.ts'
import { ownMembers } from '../model/own.ts'
import { atOnce, hasBreath, type Steps } from '../model/steps.ts'
import { byPlace } from './by-place.ts'
import { groupFindings, type SingleFinding } from './group-findings.ts'
import { commonWords } from './grouped-words.ts'
import { type Looked, type Prepared, type Rule, UNPREPARED } from './rules/rule.ts'

/** Problems per rule and agent, so that a hostile document cannot fill a disk. The last one says that there are more. */
const MAX_PER_RULE = 1000

/** Each is at a part that a limit bounds, a tool or a schema. */
const LOOKS_A_TIME = 8

/** What the rules go by beside the agent. */
export interface Knowing {
  readonly prepared?: Prepared
  /** The time of this run, for rules about dates; without it they say nothing. */
  readonly now?: Date | undefined
}

/** All findings, in the order of file, place and rule. Nothing is suppressed here: `suppress` does that, and verification never does. */
export function applyRules(agent: Agent, rules: readonly Rule[], knowing?: Knowing): Finding[] {
  return atOnce(applyInSteps(agent, rules, knowing))
}

/** The same, cut where a turn is due: after a rule, a problem, or what a rule has looked at without finding any. */
export function* applyInSteps(agent: Agent, rules: readonly Rule[], knowing: Knowing = {}): Steps<Finding[]> {
  const { prepared = UNPREPARED, now } = ownMembers(knowing)
  const places = new Places(agent)
  const findings: Finding[] = []
  for (const rule of rules) findings.push(...(yield* bounded(places, rule, rule.check(agent, prepared))))
  const seen = { findings: [...findings], rules, today: now && utcDay(now) }
  for (const rule of rules)
    if (rule.review) findings.push(...(yield* bounded(places, rule, rule.review(agent, seen))))
  return findings.sort(byPlace)
}

function* bounded(places: Places, rule: Rule, problems: Iterable<Looked>): Steps<readonly Finding[]> {
  const found: SingleFinding[] = []
  let looks = 0
  for (const problem of problems) {
    // To ask for the time costs more than most looks.
    if (++looks % LOOKS_A_TIME === 0 && !hasBreath()) yield
    if (problem === undefined) continue
    if (found.length === MAX_PER_RULE) {
      const more = { ...problem, message: `${problem.message}; what follows of ${rule.id} is not listed` }
      found.push({ finding: toFinding(places, rule, more) })
      break
    }
    const common = commonWords(places.agent, problem, rule.severity)
    found.push({ finding: toFinding(places, rule, problem), ...(common !== undefined && { common }) })
  }
  if (!hasBreath()) yield
  return groupFindings(found)
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
