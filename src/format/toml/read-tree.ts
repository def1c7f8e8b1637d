// TOML text → a tree of values with positions, by the plain reader where that is enough, else by the parser.
import type { TextProblem } from '../../model/document.ts'
import type { TomlTree } from './node.ts'
import { readPlainToml } from './plain.ts'
import { parseTomlSyntax } from './syntax.ts'
import { buildTomlTree } from './tree.ts'

/**
 * Reads a text that `findTomlProblem` found within its bounds.
 *
 * @returns the tree, or the first problem: `syntax`, `duplicate-key`, `unsafe-value` or `too-deep`, with its offset
 */
export function readTomlTree(text: string): TomlTree | TextProblem {
  const plain = readPlainToml(text)
  const tree = plain && buildTomlTree(text, plain)
  // What is wrong with a text is for the parser to say, in one way for all texts.
  if (tree !== undefined && !('code' in tree)) return tree
  const top = parseTomlSyntax(text)
  return 'code' in top ? top : buildTomlTree(text, top)
}
