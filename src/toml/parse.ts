// TOML at once, with the parser there from the beginning.
import type { Parsed, TextProblem } from '../model/document.ts'
import type { ParseBudget } from '../text/parse-budget.ts'
import type { TomlTree } from './node.ts'
import { readPlainTree, readToml, readTomlBy, readTreeBy } from './read.ts'
import * as syntax from './syntax.ts'

/** Reads TOML 1.0 strictly, as {@link readToml} does. Never throws for any bytes. */
export function parseToml(path: string, bytes: Uint8Array, budget?: ParseBudget): Parsed {
  const read = readToml(path, bytes, budget)
  return read.ok === 'needs parser' ? readTomlBy(syntax, read) : read
}

/** The tree of a text in which `findTomlProblem` found nothing, or the first problem. */
export function readTomlTree(text: string): TomlTree | TextProblem {
  return readPlainTree(text) ?? readTreeBy(syntax, text)
}
