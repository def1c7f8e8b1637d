// A list of OpenAI's functions, of chat completions or of the responses API → tools. It does not say how a function is run.

import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import { strictProblem } from '../../openai/strict.ts'
import { quoteValue } from '../../text/quote.ts'
import { withoutRefusedPatterns } from '../exporters/openai-schema.ts'
import {
  type Imported,
  type ImportedTool,
  type Importer,
  type ImportSource,
  NOT_SAID,
  otherMembers,
  UNSAID,
} from './importer.ts'
import { memberOf, nameIn, notConvertible, readEach, strictJson } from './refuse.ts'

const FATES: Fates = {
  id: { is: 'kept', may: ['renamed'], note: 'id; --names gives back what an export has renamed' },
  description: { is: 'kept', may: ['inferred'], note: 'description; the name if description is missing' },
  input_schema: {
    is: 'kept',
    may: ['inferred', 'lost'],
    note: 'input_schema; any object if it is missing; an argument beside properties is lost, or moved by --fix',
  },
  result_schema: { is: 'inferred', note: 'result_schema {}: OpenAI is never told what a function answers' },
  command: NOT_SAID,
  http: NOT_SAID,
  requires_confirmation: { is: 'inferred', note: 'false, or what --transport-from has' },
  strict: { is: 'kept', may: ['lost'], note: 'an export says true again wherever the schema allows it' },
  deferred: { is: 'kept', note: 'should_defer in interfaces.json' },
  other: { is: 'lost', may: ['lost'], note: 'tools that are no functions, and members that OpenAI adds' },
}

const KNOWN = ['type', 'function', 'name', 'description', 'parameters', 'strict', 'defer_loading']

export const openai: Importer = {
  format: 'openai',
  summary: 'a list of OpenAI functions',
  fates: FATES,
  read(source): Imported {
    const root = strictJson(source)
    // The list alone, or a request that contains it.
    const list = isTable(root) ? memberOf(root, 'tools') : root
    if (!Array.isArray(list)) throw notConvertible(source, 'it is no list of functions')
    const changes: ConversionChange[] = []
    const read = (element: unknown, index: number) => toTool(element, `[${index}]`, source, changes)
    return { ...readEach<unknown>(list, source, nameOf, read), changes }
  },
}

function nameOf(element: unknown): unknown {
  return nameIn(element) ?? (isTable(element) ? nameIn(element['function']) : undefined)
}

function toTool(
  element: unknown,
  at: string,
  source: ImportSource,
  changes: ConversionChange[],
): ImportedTool[] {
  const refuse = (seen: string) => notConvertible(source, `${at}${seen}`)
  if (!isTable(element)) throw refuse(' is no object')
  if (element['type'] !== 'function') {
    const message = `${at} is of the type ${quoteValue(element['type'])}, which only OpenAI can run: it is left out`
    changes.push({ tool: undefined, field: 'other', what: 'lost', message })
    return []
  }
  const inner = memberOf(element, 'function')
  const about = isTable(inner) ? inner : element
  const name = memberOf(about, 'name')
  const description = memberOf(about, 'description')
  const parameters = memberOf(about, 'parameters')
  if (typeof name !== 'string') throw refuse('.name is missing, or no text')
  if (description !== undefined && typeof description !== 'string') throw refuse('.description is no text')
  if (parameters !== undefined && !isTable(parameters)) throw refuse('.parameters is no object')
  const strict = memberOf(about, 'strict')
  const isStrict = parameters !== undefined && strictProblem(withoutRefusedPatterns(parameters)) === undefined
  if (typeof strict === 'boolean' && strict !== isStrict)
    changes.push({
      tool: name,
      field: 'strict',
      what: 'lost',
      message: `${strict}: an export goes by the schema`,
    })
  changes.push(...otherMembers(name, [...Object.keys(element), ...Object.keys(about)], KNOWN))
  const isDeferred = element['defer_loading'] === true
  const facts = isDeferred ? { should_defer: true } : {}
  return [{ ...UNSAID, name, description, inputSchema: parameters, facts }]
}
