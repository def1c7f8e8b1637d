// Every text in src/ that names a command of rlp, but for help: examples, notes and summaries of commands are run and read elsewhere.
import {
  isCallExpression,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  type PropertyAssignment,
  type SourceFile,
} from 'typescript/unstable/ast'
import { nodesIn, placeOf, type Sources } from '../source.ts'

export interface HintInSource {
  /** `src/room/file.ts:12`. */
  readonly place: string
  /** As it is in the source, with `{}` for what is put in. */
  readonly text: string
  /** The commands that it names. */
  readonly names: readonly string[]
}

const HELP = ['examples', 'notes', 'describe', 'summary']
/** What makes an input of a verb from the words for its flag. */
const INPUT = /^(?:text|texts|whether|count|duration|path|labelledFile|bundles|stored)$/

/** @param names of all commands: `agent pack` */
export function hintsInSource({ modules }: Sources, names: readonly string[]): readonly HintInSource[] {
  const named = new RegExp(String.raw`\brlp (${names.join('|')})(?![\w-])`, 'g')
  return modules.flatMap(module =>
    nodesIn(module.tree).flatMap(node => {
      const text = textOf(node)
      const found = [...(text?.matchAll(named) ?? [])].map(([, name = '']) => name)
      const inText = [...new Set(found)]
      if (text === undefined || inText.length === 0 || isHelp(node, module.tree)) return []
      return [{ place: placeOf(module, node), text, names: inText }]
    }),
  )
}

/** Whether a hint is made of this text. What the library calls `force` is --force on the command line, and BUNDLE is the one that was named. */
export function madeOf(text: string): (hint: string) => boolean {
  const parts = text.split(/\{\}|`\w+`|\bBUNDLE\b/).map(part => part.replace(/\s+/g, ' '))
  const last = parts.length - 1
  parts[last] = (parts[last] ?? '').trimEnd()
  return hint => {
    let at = 0
    return parts.every(part => {
      const found = hint.indexOf(part, at)
      at = found + part.length
      return found !== -1
    })
  }
}

function textOf(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!isTemplateExpression(node)) return undefined
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('{}')
}

function isHelp(node: Node, tree: SourceFile): boolean {
  const { parent } = node
  if (isCallExpression(parent) && parent.arguments[0] === node && INPUT.test(parent.expression.getText(tree)))
    return true
  for (let above: Node | undefined = node; above !== undefined; above = above.parent)
    if (isPropertyAssignment(above) && (HELP.includes(nameOf(above, tree)) || isOfRule(above, tree)))
      return true
  return false
}

/** What a rule says of all its findings: `rlp agent lint --rules` and docs/rules.md have it. Each finding has a fix of its own. */
function isOfRule(property: PropertyAssignment, tree: SourceFile): boolean {
  const { parent } = property
  if (nameOf(property, tree) !== 'fix' || !isObjectLiteralExpression(parent)) return false
  return parent.properties.some(one => isPropertyAssignment(one) && nameOf(one, tree) === 'why')
}

function nameOf({ name }: PropertyAssignment, tree: SourceFile): string {
  return name.getText(tree)
}
