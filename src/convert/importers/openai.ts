// A list of OpenAI's functions, of chat completions or of the responses API → tools. It does not say how a function is run.

import type { Fates } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import { strictProblem } from '../../openai/strict.ts'
import { quoteValue } from '../../text/quote.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { withoutRefusedPatterns } from '../exporters/openai-schema.ts'
import { FUNCTIONS, type Importer, otherMembers, UNSAID } from './importer.ts'
import {
  memberOf,
  namedEntry,
  nameIn,
  notConvertible,
  type ReadTable,
  readTables,
  strictJson,
} from './refuse.ts'

const FATES: Fates = {
  ...FUNCTIONS,
  input_schema: keptAs(
    'input_schema; any object if it is missing; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  result_schema: { is: 'inferred', note: 'result_schema {}: OpenAI is never told what a function answers' },
  strict: keptAs('an export says true again wherever the schema allows it', 'lost'),
  deferred: keptAs('should_defer in interfaces.json'),
  other: lostBecause('tools that are no functions, and members that OpenAI adds'),
}

const KNOWN = ['type', 'function', 'name', 'description', 'parameters', 'strict', 'defer_loading']

export const openai: Importer = {
  format: 'openai',
  summary: 'a list of OpenAI functions',
  fates: FATES,
  read(source) {
    const root = strictJson(source)
    // The list alone, or a request that contains it.
    const list = isTable(root) ? memberOf(root, 'tools') : root
    if (!Array.isArray(list)) throw notConvertible(source, 'it is no list of functions')
    return readTables(list, source, '', toTool, [], nameOf)
  },
}

function nameOf(element: unknown): unknown {
  return nameIn(element) ?? (isTable(element) ? nameIn(element['function']) : undefined)
}

const toTool: ReadTable = (element, refuse, changes, at) => {
  if (element['type'] !== 'function') {
    const message = `${at} is of the type ${quoteValue(element['type'])}, which only OpenAI can run: it is left out`
    changes.push({ tool: undefined, field: 'other', what: 'lost', message })
    return []
  }
  const inner = memberOf(element, 'function')
  const about = isTable(inner) ? inner : element
  const parameters = memberOf(about, 'parameters')
  const { name, description } = namedEntry(about, refuse)
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
