// The tools of a request to Anthropic's Messages API → tools. It does not say how a tool is run.

import type { Fates } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import { quoteValue } from '../../text/quote.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { FUNCTIONS, type Importer, otherMembers, UNSAID } from './importer.ts'
import { memberOf, namedEntry, notConvertible, type ReadTable, readTables, strictJson } from './refuse.ts'

const FATES: Fates = {
  ...FUNCTIONS,
  input_schema: keptAs(
    'input_schema; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  result_schema: { is: 'inferred', note: 'result_schema {}: the API is never told what a tool answers' },
  deferred: keptAs('should_defer in interfaces.json'),
  other: lostBecause('tools that Anthropic runs, and members such as cache_control'),
}

const KNOWN = ['type', 'name', 'description', 'input_schema', 'defer_loading']

export const anthropic: Importer = {
  format: 'anthropic',
  summary: 'the tools of a request to the Messages API',
  fates: FATES,
  read(source) {
    const root = strictJson(source)
    // The list alone, or a request that contains it.
    const list = isTable(root) ? memberOf(root, 'tools') : root
    if (!Array.isArray(list)) throw notConvertible(source, 'it is no list of tools')
    return readTables(list, source, 'tools', toTool)
  },
}

const toTool: ReadTable = (entry, refuse, changes, at) => {
  const type = memberOf(entry, 'type')
  if (type !== undefined && type !== 'custom') {
    const message = `${at} is of the type ${quoteValue(type)}, which only Anthropic can run: it is left out`
    changes.push({ tool: undefined, field: 'other', what: 'lost', message })
    return []
  }
  const inputSchema = memberOf(entry, 'input_schema')
  const { name, description } = namedEntry(entry, refuse)
  if (!isTable(inputSchema)) throw refuse('.input_schema is missing, or no object')
  changes.push(...otherMembers(name, Object.keys(entry), KNOWN))
  const facts = entry['defer_loading'] === true ? { should_defer: true } : {}
  return [{ ...UNSAID, name, description, inputSchema, facts }]
}
