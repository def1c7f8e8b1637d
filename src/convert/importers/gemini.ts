// Gemini's function declarations → tools. It does not say how a function is run. Their schemas are those of OpenAPI, with types in capitals.
import type { ConversionChange, Fates } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { FUNCTIONS, type Importer, otherMembers, UNSAID } from './importer.ts'
import { memberOf, namedEntry, notConvertible, type ReadTable, readTables, strictJson } from './refuse.ts'

const FATES: Fates = {
  ...FUNCTIONS,
  input_schema: keptAs(
    'parameters in the words of JSON Schema, or parametersJsonSchema; any object if both are missing; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  result_schema: keptAs('response or responseJsonSchema; {} if both are missing', 'inferred', 'lost'),
  other: lostBecause('tools that Google runs, and members such as behavior'),
}

const LISTS = ['functionDeclarations', 'function_declarations'] as const
const SCHEMAS = {
  input: ['parametersJsonSchema', 'parameters_json_schema', 'parameters'],
  result: ['responseJsonSchema', 'response_json_schema', 'response'],
} as const
const KNOWN: readonly string[] = ['name', 'description', ...SCHEMAS.input, ...SCHEMAS.result]

export const gemini: Importer = {
  format: 'gemini',
  summary: 'a list of Gemini’s function declarations',
  fates: FATES,
  read(source) {
    const root = strictJson(source)
    // One tool, a list of them, or a request that contains it.
    const tools = isTable(root) ? (memberOf(root, 'tools') ?? root) : root
    const changes: ConversionChange[] = []
    const list = [tools].flat().flatMap(tool => declarationsIn(tool, changes))
    if (list.length === 0 && [tools].flat().length > 0)
      throw notConvertible(source, 'it has no functionDeclarations')
    return readTables(list, source, 'functionDeclarations', toTool, changes)
  },
}

function declarationsIn(tool: unknown, changes: ConversionChange[]): readonly unknown[] {
  // What is no table is refused by the name of its place.
  if (!isTable(tool)) return [tool]
  const lists = LISTS.map(key => memberOf(tool, key)).filter(Array.isArray)
  const others = Object.keys(tool).filter(key => !LISTS.some(list => list === key))
  if (lists.length === 0 && others.length > 0) {
    const message = `${others.join(', ')}: only Google can run it: it is left out`
    changes.push({ tool: undefined, field: 'other', what: 'lost', message })
  }
  return lists.flat()
}

const toTool: ReadTable = (entry, refuse, changes) => {
  const { name, description } = namedEntry(entry, refuse)
  const schemaAt = (keys: readonly string[]): JsonSchema | undefined => {
    const key = keys.find(key => memberOf(entry, key) !== undefined)
    const schema = key === undefined ? undefined : memberOf(entry, key)
    if (schema === undefined) return undefined
    if (!isTable(schema)) throw refuse(`.${key} is no object`)
    return key === keys.at(-1) ? (jsonSchema(schema) as JsonSchema) : schema
  }
  changes.push(...otherMembers(name, Object.keys(entry), KNOWN))
  return {
    ...UNSAID,
    name,
    description,
    inputSchema: schemaAt(SCHEMAS.input),
    resultSchema: schemaAt(SCHEMAS.result),
  }
}

/** Keywords whose number Google's libraries write as text. */
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties']
const HELD = ['items', 'additionalProperties']
const LISTED = ['anyOf', 'prefixItems']

/** A schema of OpenAPI in the words of JSON Schema. A text is read strictly before, which bounds how deep it is. */
function jsonSchema(schema: unknown): unknown {
  if (!isTable(schema)) return schema
  const { nullable, ...rest } = schema
  const said = Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'type' && value === 'TYPE_UNSPECIFIED') return []
    if (key === 'type' && typeof value === 'string') return [[key, typeOf(value.toLowerCase(), nullable)]]
    if (key === 'enum' && nullable === true && Array.isArray(value))
      return [[key, [...new Set([...value, null])]]]
    if (COUNTS.includes(key) && typeof value === 'string' && /^[0-9]{1,15}$/.test(value))
      return [[key, Number(value)]]
    if (HELD.includes(key)) return [[key, jsonSchema(value)]]
    if (LISTED.includes(key) && Array.isArray(value)) return [[key, value.map(jsonSchema)]]
    if (key === 'properties' && isTable(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, jsonSchema(one)]))]]
    return [[key, value]]
  })
  return Object.fromEntries(said)
}

function typeOf(type: string, nullable: unknown): unknown {
  return nullable === true && type !== 'null' ? [type, 'null'] : type
}
