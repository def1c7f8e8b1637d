// The same as read-tree.ts, at once, with the parser.
import type { TextProblem } from '../../model/document.ts'
import { atOnce } from '../../model/steps.ts'
import type { TomlTree } from './node.ts'
import { readTomlTreeInSteps, TOML_SYNTAX } from './read-tree.ts'
import * as syntax from './syntax.ts'

/** As {@link readTomlTreeInSteps}. */
export function readTomlTree(text: string): TomlTree | TextProblem {
  return atOnce(readTomlTreeInSteps(text), keepTomlSyntax)
}

export function keepTomlSyntax(): void {
  TOML_SYNTAX.keep(syntax)
}
