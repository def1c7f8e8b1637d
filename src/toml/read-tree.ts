// TOML text → a tree of values with positions, by the plain reader if it can, else by the parser.
import type { TextProblem } from '../model/document.ts'
import type { TomlTree } from './node.ts'
import { readPlainToml } from './plain.ts'
import { buildTomlTree } from './tree.ts'

/** The parser is large, and nearly every text is plain: who reads texts in turns loads it when the first text needs it. */
export type TomlSyntax = typeof import('./syntax.ts')

/** The tree of a text that the plain reader can read; undefined for any other. The parser alone reports problems, so that every text gets the same message. */
export function readPlainTree(text: string): TomlTree | undefined {
  const plain = readPlainToml(text)
  const tree = plain && buildTomlTree(text, plain)
  return tree === undefined || 'code' in tree ? undefined : tree
}

/** The tree, or the first problem: `syntax`, `duplicate-key`, `unsafe-value` or `too-deep`, with its offset. */
export function readTreeBy({ parseTomlSyntax }: TomlSyntax, text: string): TomlTree | TextProblem {
  const top = parseTomlSyntax(text)
  return 'code' in top ? top : buildTomlTree(text, top)
}
