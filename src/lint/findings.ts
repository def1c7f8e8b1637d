// Makes findings of the problems that rules report: adds id and severity, finds line and column, and makes one of those that say the same
// of several tools. Loaded with the first problem, because a sound agent has none.

import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import type { Range } from '../model/document.ts'
import type { Finding, OtherPlace, Place, Problem, Severity } from '../model/finding.ts'
import { isTable, ownMembers } from '../model/own.ts'
import { withoutCredentials } from '../secret/credential.ts'
import { LineIndex } from '../text/decode.ts'
import { quoteText } from '../text/quote.ts'
import { byPlace } from './by-place.ts'
import { listText } from './message-words.ts'
import { toolAt } from './rules/agent-parts.ts'
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

/** A finding of one place, and the words that it may have in common with others. */
interface SingleFinding {
  readonly finding: Finding
  /** Absent for a finding that stays alone. */
  readonly common?: CommonWords | undefined
}

interface CommonWords {
  /** What has the problem, mostly the id of a tool; in quotes. */
  readonly name: string
  /** Findings of a rule in a file with the same key are one. */
  readonly key: string
  readonly fix: string
  /** The message of several. */
  message(count: number, names: readonly string[]): string
}

/** The most names in a message; all of them are at the places. */
const MOST_NAMED = 8

const NONE: readonly Finding[] = []

/** @param singles of one rule */
function groupFindings(singles: readonly SingleFinding[]): readonly Finding[] {
  // No rule finds anything in a sound bundle, and every load asks all rules.
  if (singles.length === 0) return NONE
  const groups = new Map<string, SingleFinding[]>()
  for (const [index, single] of singles.entries()) {
    const { finding, common } = single
    const key = JSON.stringify(common === undefined ? index : [finding.file, common.key])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [single])
    else group.push(single)
  }
  return [...groups.values()].map(joined)
}

/** `"a", "b" and 3 more`. */
function namesText(names: readonly string[]): string {
  return listText(names, MOST_NAMED)
}

function joined(group: readonly SingleFinding[]): Finding {
  const sorted = [...group].sort((a, b) => byPlace(a.finding, b.finding))
  const [first, ...others] = sorted
  if (first === undefined) throw new TypeError('a group is empty')
  const { finding, common } = first
  if (common === undefined || others.length === 0) return finding
  const names = sorted.map(nameOf)
  return {
    ...finding,
    message: common.message(names.length, names),
    fix: common.fix,
    others: others.map(placeOf),
  }
}

function placeOf(single: SingleFinding): OtherPlace {
  const { line, column, endLine, endColumn } = single.finding
  return {
    name: nameOf(single),
    line,
    column,
    ...(endLine !== undefined && { endLine }),
    ...(endColumn !== undefined && { endColumn }),
  }
}

function nameOf({ common }: SingleFinding): string {
  return common?.name ?? ''
}

/** Undefined for errors: what adds tools blames each tool by the place of its error. */
function commonWords(agent: Agent, problem: Problem, severity: Severity): CommonWords | undefined {
  if (severity === 'error') return undefined
  const { message, fix, shared } = problem
  if (shared !== undefined)
    return {
      name: withoutCredentials(shared.name),
      key: shared.words,
      fix: withoutCredentials(ownMembers(shared).fix ?? fix),
      message: (count, names) => withoutCredentials(`${count} ${shared.words}: ${namesText(names)}`),
    }
  const id = toolIdAt(agent, problem)
  if (id === undefined) return undefined
  return {
    name: withoutCredentials(quoteText(id)),
    key: JSON.stringify([message, fix]),
    fix: withoutCredentials(fix),
    message: (count, names) => withoutCredentials(`${message} (${whereText(count, names)})`),
  }
}

function whereText(count: number, names: readonly string[]): string {
  const tools = new Set(names).size
  return tools === 1 ? `at ${count} places` : `in ${tools} tools: ${namesText(names)}`
}

/** The id of the tool that a place is in: an entry of tools.json, or a record about a tool in interfaces.json. */
function toolIdAt(agent: Agent, { file, place }: Problem): string | undefined {
  if (place === undefined || !('pointer' in place)) return undefined
  const { pointer } = place
  if (file === TOOLS_FILE && pointer[0] === 'tools') return toolAt(agent, pointer[1])?.id
  if (file !== INTERFACES_FILE) return undefined
  const { value } = agent.documents.get(file) ?? {}
  const [list, index] =
    isTable(value) && pointer[0] === 'records' ? [value['records'], pointer[1]] : [value, pointer[0]]
  const record: unknown = Array.isArray(list) ? list[Number(index)] : undefined
  const id = isTable(record) ? record['tool_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
