// TOML text → a tree of values with positions, by the plain reader if it can, else by the parser.
import type { TextProblem } from '../../model/document.ts'
import { atOnce, type Steps } from '../../model/steps.ts'
import type { TomlTree } from './node.ts'
import { readPlainToml } from './plain.ts'
import { parseTomlSyntax } from './syntax.ts'
import { buildTomlTree } from './tree.ts'

/**
 * Reads a text that `findTomlProblem` accepted.
 * @returns the tree, or the first problem: `syntax`, `duplicate-key`, `unsafe-value` or `too-deep`, with its offset
 */
export function readTomlTree(text: string): TomlTree | TextProblem {
  return atOnce(readTomlTreeInSteps(text))
}

/** The same, cut before and after the parser. */
export function* readTomlTreeInSteps(text: string): Steps<TomlTree | TextProblem> {
  const plain = readPlainToml(text)
  const tree = plain && buildTomlTree(text, plain)
  // Only the parser reports problems, so that every text gets the same message.
  if (tree !== undefined && !('code' in tree)) return tree
  yield
  const top = parseTomlSyntax(text)
  yield
  return 'code' in top ? top : buildTomlTree(text, top)
}
