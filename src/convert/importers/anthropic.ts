// The tools of a request to Anthropic's Messages API → tools. It does not say how a tool is run.

import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import { quoteValue } from '../../text/quote.ts'
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
    note: 'input_schema; an argument beside properties is lost, or moved by --fix',
  },
  result_schema: { is: 'inferred', note: 'result_schema {}: the API is never told what a tool answers' },
  command: NOT_SAID,
  http: NOT_SAID,
  requires_confirmation: { is: 'inferred', note: 'false, or what --transport-from has' },
  deferred: { is: 'kept', note: 'should_defer in interfaces.json' },
  other: { is: 'lost', may: ['lost'], note: 'tools that Anthropic runs, and members such as cache_control' },
}

const KNOWN = ['type', 'name', 'description', 'input_schema', 'defer_loading']

export const anthropic: Importer = {
  format: 'anthropic',
  summary: 'the tools of a request to the Messages API',
  fates: FATES,
  read(source): Imported {
    const root = strictJson(source)
    // The list alone, or a request that contains it.
    const list = isTable(root) ? memberOf(root, 'tools') : root
    if (!Array.isArray(list)) throw notConvertible(source, 'it is no list of tools')
    const changes: ConversionChange[] = []
    const read = (entry: unknown, index: number) => toTool(entry, `tools[${index}]`, source, changes)
    return { ...readEach<unknown>(list, source, nameIn, read), changes }
  },
}

function toTool(
  entry: unknown,
  at: string,
  source: ImportSource,
  changes: ConversionChange[],
): ImportedTool[] {
  const refuse = (seen: string) => notConvertible(source, `${at}${seen}`)
  if (!isTable(entry)) throw refuse(' is no object')
  const type = memberOf(entry, 'type')
  if (type !== undefined && type !== 'custom') {
    const message = `${at} is of the type ${quoteValue(type)}, which only Anthropic can run: it is left out`
    changes.push({ tool: undefined, field: 'other', what: 'lost', message })
    return []
  }
  const name = memberOf(entry, 'name')
  const description = memberOf(entry, 'description')
  const inputSchema = memberOf(entry, 'input_schema')
  if (typeof name !== 'string') throw refuse('.name is missing, or no text')
  if (description !== undefined && typeof description !== 'string') throw refuse('.description is no text')
  if (!isTable(inputSchema)) throw refuse('.input_schema is missing, or no object')
  changes.push(...otherMembers(name, Object.keys(entry), KNOWN))
  const facts = entry['defer_loading'] === true ? { should_defer: true } : {}
  return [{ ...UNSAID, name, description, inputSchema, facts }]
}
