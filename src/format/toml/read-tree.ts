// TOML text → a tree of values with positions, by the plain reader if it can, else by the parser.
import type { TextProblem } from '../../model/document.ts'
import { type LoadingSteps, needed, onDemand } from '../../model/steps.ts'
import type { TomlTree } from './node.ts'
import { readPlainToml } from './plain.ts'
import { buildTomlTree } from './tree.ts'

/** The parser is large, and nearly every text is plain. */
export const TOML_SYNTAX = onDemand(() => import('./syntax.ts'))

/**
 * Reads a text that `findTomlProblem` accepted. Cut before and after the parser, which is loaded when the first text needs it.
 * @returns the tree, or the first problem: `syntax`, `duplicate-key`, `unsafe-value` or `too-deep`, with its offset
 */
export function* readTomlTreeInSteps(text: string): LoadingSteps<TomlTree | TextProblem> {
  const plain = readPlainToml(text)
  const tree = plain && buildTomlTree(text, plain)
  // Only the parser reports problems, so that every text gets the same message.
  if (tree !== undefined && !('code' in tree)) return tree
  yield
  const { parseTomlSyntax } = yield* needed(TOML_SYNTAX)
  const top = parseTomlSyntax(text)
  yield
  return 'code' in top ? top : buildTomlTree(text, top)
}
