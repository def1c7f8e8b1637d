// The tools of a list that lint refuses, each with its first error, so that one message can name them all.

import { type Agent, TOOLS_FILE } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { FixedMap } from '../model/frozen.ts'
import { lineColumn } from '../text/decode.ts'
import { quoteText } from '../text/quote.ts'

/** Some of the tools that were to be added have errors. */
export class WrongTools extends RlpError {
  /** What is wrong with each, by its id. */
  readonly wrong: ReadonlyMap<string, string>

  constructor(message: string, hint: string, wrong: ReadonlyMap<string, string>) {
    super('LINT_FAILED', message, { hint })
    // The library freezes what an error says, and a Map cannot be frozen.
    this.wrong = new FixedMap(wrong)
  }
}

/** The first error in the entry of each tool, by its id. */
export function errorsByTool(
  { documents, tools }: Agent,
  problems: readonly Finding[],
): ReadonlyMap<string, Finding> {
  const found = new Map<string, Finding>()
  const document = documents.get(TOOLS_FILE)
  if (document === undefined || tools === undefined) return found
  const places = tools.tools.map(({ id }, index) => {
    const { start, end } = document.locate(['tools', index])
    return { id, start: lineColumn(document.text, start), end: lineColumn(document.text, end) }
  })
  for (const problem of problems) {
    if (problem.file !== TOOLS_FILE) continue
    const place = places.find(({ start, end }) => isAtOrAfter(problem, start) && isAtOrAfter(end, problem))
    if (place !== undefined && !found.has(place.id)) found.set(place.id, problem)
  }
  return found
}

interface Position {
  readonly line: number
  readonly column: number
}

function isAtOrAfter(one: Position, other: Position): boolean {
  return one.line > other.line || (one.line === other.line && one.column >= other.column)
}

/** The most tools that one message names. */
const MOST_NAMED = 20

/**
 * @param problem the first error, which may be in no tool
 * @param count of the tools that were to be added
 */
export function wrongTools(
  agent: Agent,
  problem: Finding,
  found: ReadonlyMap<string, Finding>,
  count: number,
): WrongTools {
  const wrong = new Map([...found].map(([id, { message }]) => [id, message]))
  if (wrong.size < 2) {
    const [id] = wrong.keys()
    const what = id === undefined ? `${count} tools` : `the tool "${id}"`
    return new WrongTools(`Cannot add ${what} to "${agent.label}": ${problem.message}`, problem.fix, wrong)
  }
  const named = [...wrong].slice(0, MOST_NAMED).map(([id, why]) => `${quoteText(id)}: ${why}`)
  const more = wrong.size > MOST_NAMED ? `; and ${wrong.size - MOST_NAMED} more` : ''
  const message = `Cannot add ${wrong.size} of ${count} tools to "${agent.label}": ${named.join('; ')}${more}`
  return new WrongTools(message, `Correct each; of the first: ${problem.fix}`, wrong)
}
