import { TOOLS_FILE } from '../../../model/agent.ts'
import { isTable, own } from '../../../model/own.ts'
import { quoteText } from '../../../text/quote.ts'
import { placeholdersIn, readTemplate } from '../../../tools/template.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import type { TemplateText } from '../../../tools/transports/kind.ts'
import type { ToolSubject } from '../../subjects.ts'
import type { Rule } from '../rule.ts'

export const toolsJsonText: Rule = {
  id: 'tools/json-text',
  severity: 'warning',
  scope: 'source',
  summary: 'an input is pasted into JSON text',
  why: 'A quote in the value ends the string, and the rest of the value is read as JSON: it can add members and override what the author wrote. If a program prints such JSON, the input can forge the result of the tool.',
  fix: 'Let a program build the JSON, such as jq with -n and --arg. An HTTP request sends its arguments as JSON in the body.',
  looks: 'tool',
  check(subject, report) {
    const { transport } = subject.tool
    if (transportKind(transport).everyText(transport, isNoJson)) return
    const { at, templates } = subject
    const program = programIn(subject)
    for (const [index, template] of templates.entries()) {
      // The first argument of printf is its format.
      const further = program === 'printf' && index === 0 ? templates.slice(1) : []
      const found = inputIn(subject, template, further)
      if (found === undefined) continue
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, ...template.at] },
        message: `${quoteText(found)} is pasted into JSON: a quote in the value can add or change members`,
        fix: FIXES[template.where],
      })
    }
  },
}

const FIXES: Readonly<Record<TemplateText['where'], string>> = {
  argument: 'Let a program build the JSON: jq with -n, --arg for each value, and a template of the object',
  header: 'Send the value in the body, or in a header of its own',
  url: 'Send the value in the body, or as a parameter of its own',
}

/**
 * Whether a text is certainly no JSON: outside of placeholders it has no brace and no bracket, and it has none that is escaped. Shorter than
 * what this expression can take.
 */
function isNoJson(text: string): boolean {
  return !BRACE.test(text) || (text.length < 1000 && ONLY_PLACEHOLDERS.test(text))
}

const BRACE = /[{[]/
const ONLY_PLACEHOLDERS = /^(?:[^{[%]|\{\{[^{}[%]*\}\})*$/

/** The placeholder of a text that is a value in JSON. @param further the arguments behind a format of printf */
function inputIn(
  subject: ToolSubject,
  { text, where }: TemplateText,
  further: readonly TemplateText[],
): string | undefined {
  if (!/[{[]/.test(text)) return undefined
  for (const part of where === 'url' ? parametersOf(text) : [text]) {
    const inputs = readTemplate(part).flatMap(one =>
      one.kind === 'input' && isText(subject, one.path) ? one : [],
    )
    const [first] = inputs
    if (first !== undefined && isJsonAround(part)) return first.text
    const [behind] = further.flatMap(one => placeholdersIn(one.text)).filter(({ kind }) => kind === 'input')
    if (behind !== undefined && part.includes('%s') && isJsonAround(part.replaceAll('%s', 'x')))
      return behind.text
  }
  return undefined
}

/** Whether a text is a JSON object or list once its placeholders are filled in. */
function isJsonAround(text: string): boolean {
  const parts = readTemplate(text).map(part => (part.kind === 'text' ? part.text : '0'))
  try {
    const value: unknown = JSON.parse(parts.join('').replace(/\\n$/, ''))
    return typeof value === 'object' && value !== null
  } catch {
    // It is no JSON.
    return false
  }
}

/** The values in the query of a url. */
function parametersOf(url: string): string[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? ''
  return query.split('&').map(pair => decoded(pair.slice(pair.indexOf('=') + 1)))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that begins no escape.
    return text
  }
}

/** Whether a value can hold a quote. A number cannot, and neither can one of a few fixed values. */
function isText({ tool: { inputSchema } }: ToolSubject, [name = '', ...deeper]: readonly string[]): boolean {
  const properties = isTable(inputSchema) ? inputSchema['properties'] : undefined
  const property = isTable(properties) ? own(properties, name) : undefined
  if (!isTable(property) || deeper.length > 0) return true
  const types = [property['type'] ?? 'string'].flat()
  return types.includes('string') && !Object.hasOwn(property, 'enum') && !Object.hasOwn(property, 'const')
}

function programIn({ tool: { transport } }: ToolSubject): string | undefined {
  const command = transportKind(transport).record.program(transport)?.command
  return command?.slice(command.lastIndexOf('/') + 1)
}
