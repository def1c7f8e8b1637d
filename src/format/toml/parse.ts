// The same as parse-in-steps.ts, at once: the parser that nearly no text needs is there from the beginning.
import type { Parsed } from '../../model/document.ts'
import { atOnce } from '../../model/steps.ts'
import type { ParseBudget } from '../text/parse-budget.ts'
import { parseTomlInSteps } from './parse-in-steps.ts'
import { keepTomlSyntax } from './read-tree-at-once.ts'

/** Reads TOML 1.0 strictly, as {@link parseTomlInSteps} does. Never throws for any bytes. */
export function parseToml(path: string, bytes: Uint8Array, budget?: ParseBudget): Parsed {
  return atOnce(parseTomlInSteps(path, bytes, budget), keepTomlSyntax)
}
