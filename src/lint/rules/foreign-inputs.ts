// Finds the placeholders of other systems in a tool, with the input that their author meant, and the quotes around one in code. A variable
// that replaces it belongs outside of quotes.
import { isTable } from '../../model/own.ts'
import {
  type ForeignPlaceholder,
  foreignPlaceholders,
  mayBeForeign,
  shellVariable,
} from '../../tools/foreign-placeholder.ts'
import { findInput } from '../../tools/template-input.ts'
import { transportKind } from '../../tools/transports/index.ts'
import type { TemplateText } from '../../tools/transports/kind.ts'
import type { ToolSubject } from '../subjects.ts'
import { secretFix, writeInput } from './meant-placeholder.ts'
import { once } from './once.ts'

interface ForeignInput {
  readonly template: TemplateText
  /** As it is written. */
  readonly text: string
  /** The argument that was meant; undefined if that cannot be told. */
  readonly name: string | undefined
  readonly fix: string
}

/** Programs whose arguments are code, in which names after a dollar sign or in braces have a meaning. */
const READING_CODE = new Set(
  'awk gawk mawk nawk jq yq gojq jaq sed gsed perl ruby python python3 node deno bun php lua sh bash dash zsh ksh fish psql sqlite3 mysql'.split(
    ' ',
  ),
)
/** Programs that fill in a percent sign, braces or a number in their arguments themselves. */
const COUNTING = new Set(
  'printf date stat find fd xargs parallel git ps curl docker podman kubectl tar ffmpeg convert magick seq strftime'.split(
    ' ',
  ),
)

export function foreignInputs(subject: ToolSubject): readonly ForeignInput[] {
  const { transport } = subject.tool
  return transportKind(transport).everyText(transport, isOurs) ? NONE : foreignIn(subject)
}

/** Whether it is certainly nothing of another system: mostly a word, or one of our placeholders alone. */
function isOurs(text: string): boolean {
  return !mayBeForeign(text) || ONE_INPUT.test(text)
}

const ONE_INPUT = /^\{\{input(?:\.[A-Za-z0-9_-]+)+\}\}$/
const NONE: readonly never[] = []

const foreignIn = once((subject: ToolSubject): readonly ForeignInput[] => {
  let next = 0
  return subject.templates.flatMap(template => {
    // Those with placeholders are in the same order.
    const read = subject.readTemplates[next]
    const parts = read?.template === template ? read.parts : undefined
    if (parts !== undefined) next++
    const found = foreignPlaceholders(template, parts).flatMap(one => meant(subject, template, one))
    return found.length > 0 || template.where !== 'argument' ? found : variableIn(subject, template)
  })
})

function meant(
  subject: ToolSubject,
  template: TemplateText,
  { name, text, isWhole }: ForeignPlaceholder,
): ForeignInput[] {
  const { tool, fileAt } = subject
  const program = programIn(subject)
  const isCode = template.where === 'argument' && isWhole && READING_CODE.has(program ?? '')
  if (isCode && !/^(?:<|%|[$#@]\{)/.test(text)) return []
  if (name === undefined) return isCode || COUNTING.has(program ?? '') ? [] : counted(subject, template, text)
  const fact = findInput(tool, name.split('.'), fileAt)
  if (fact.is === 'known') return [{ template, text, name, fix: writeInput(name) }]
  // A variable of an environment: nothing else has capitals in braces or after a dollar sign.
  const isVariable = template.where === 'header' && /^(?:\$\{?|%)[A-Z_][A-Z0-9_]*[}%]?$/.test(text)
  return isVariable
    ? [
        {
          template,
          text,
          name: undefined,
          fix: secretFix(subject),
        },
      ]
    : []
}

/** One that counts: it means the argument that no placeholder names, if there is one alone. */
function counted(subject: ToolSubject, template: TemplateText, text: string): ForeignInput[] {
  const [only, ...others] = unnamed(subject)
  if (only === undefined) return []
  const isClear = others.length === 0
  const fix = isClear ? writeInput(only) : 'Replace it with {{input.<name>}}, with the name of an argument'
  return [{ template, text, name: isClear ? only : undefined, fix }]
}

/** The arguments that no placeholder names. */
const unnamed = once(({ tool, placeholders }: ToolSubject): readonly string[] => {
  const properties = isTable(tool.inputSchema) ? tool.inputSchema['properties'] : undefined
  const named = new Set(placeholders.map(({ part }) => (part.kind === 'input' ? part.path[0] : '')))
  return Object.keys(isTable(properties) ? properties : {}).filter(name => !named.has(name))
})

function variableIn(subject: ToolSubject, template: TemplateText): ForeignInput[] {
  const text = shellVariable(template.text)
  if (text === undefined || READING_CODE.has(programIn(subject) ?? '')) return []
  const fix =
    text === '~'
      ? 'Write the whole path: no shell expands it'
      : 'Write the value instead: no shell expands it. The program can read the variable from its environment'
  return [{ template, text, name: undefined, fix }]
}

/** Without its folder; undefined if a call starts none. */
function programIn({ tool: { transport } }: ToolSubject): string | undefined {
  const command = transportKind(transport).record.program(transport)?.command
  return command?.slice(command.lastIndexOf('/') + 1)
}

/** Says which part of the code to replace: the placeholder with its quotes if it has some. */
export function withQuotes(placeholder: string, code: string): string {
  const at = code.indexOf(placeholder)
  const [before, after] = [code[at - 1], code[at + placeholder.length]]
  const isQuoted = before === after && (before === '"' || before === "'")
  return isQuoted ? `${before}${placeholder}${after} (with its quotes)` : placeholder
}
