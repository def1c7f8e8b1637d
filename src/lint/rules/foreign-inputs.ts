// The placeholders of other systems in a tool, with what their author meant.
import {
  type ForeignPlaceholder,
  foreignPlaceholders,
  shellVariable,
} from '../../format/template/foreign-placeholder.ts'
import { findInput } from '../../format/template/template-input.ts'
import { quoteText } from '../../format/text/quote.ts'
import { transportKind } from '../../format/transports/index.ts'
import type { TemplateText } from '../../format/transports/kind.ts'
import { isTable } from '../../model/own.ts'
import type { ToolSubject } from '../subjects.ts'
import { secretFix } from './meant-placeholder.ts'

export interface ForeignInput {
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

export function foreignInputs(subject: ToolSubject): ForeignInput[] {
  return subject.templates.flatMap(template => {
    const found = foreignPlaceholders(template).flatMap(one => meant(subject, template, one))
    return found.length > 0 || template.where !== 'argument' ? found : variableIn(subject, template)
  })
}

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
  const schema = subject.tool.inputSchema
  const properties = isTable(schema) ? schema['properties'] : undefined
  const named = new Set(subject.placeholders.map(({ part }) => (part.kind === 'input' ? part.path[0] : '')))
  const names = Object.keys(isTable(properties) ? properties : {}).filter(name => !named.has(name))
  const [only, ...others] = names
  if (only === undefined) return []
  if (others.length > 0)
    return [
      {
        template,
        text,
        name: undefined,
        fix: 'Write {{input.<name>}} in its place, with the name of an argument',
      },
    ]
  return [{ template, text, name: only, fix: writeInput(only) }]
}

function variableIn(subject: ToolSubject, template: TemplateText): ForeignInput[] {
  const text = shellVariable(template.text)
  if (text === undefined || READING_CODE.has(programIn(subject) ?? '')) return []
  const fix =
    text === '~'
      ? 'Write the whole path: no shell reads it'
      : 'Write the value in its place: no shell reads it, and the program finds variables in its environment'
  return [{ template, text, name: undefined, fix }]
}

function writeInput(name: string): string {
  return `Write ${quoteText(`{{input.${name}}}`, 100)} in its place`
}

/** Without its folder; undefined if a call starts none. */
function programIn({ tool: { transport } }: ToolSubject): string | undefined {
  const command = transportKind(transport).record.program(transport)?.command
  return command?.slice(command.lastIndexOf('/') + 1)
}
