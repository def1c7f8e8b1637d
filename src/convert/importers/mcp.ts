// An MCP server's answer to tools/list → tools, and records of the facts that it states. It does not say how a tool is run.
import type { RecordObject } from '../../agent-tool/records.ts'
import type { ConversionChange, Fates, Field } from '../../model/conversion.ts'
import { isTable } from '../../model/own.ts'
import { keptAs, lostBecause } from '../../tools/fields/field.ts'
import { HINTS } from '../exporters/mcp.ts'
import { budgetOf, textOf, textsOf, titled } from './facts.ts'
import { type Importer, NAMED, NO_TRANSPORT } from './importer.ts'
import { memberOf, notConvertible, type ReadTable, readTables, strictJson } from './refuse.ts'

const fact = (key: string) => keptAs(`${key} in interfaces.json, where it is stated`)

const FATES: Fates = {
  ...NAMED,
  id: keptAs('id; _meta["rlp/id"] or --names gives back what an export has renamed', 'renamed'),
  title: fact('user_facing_name'),
  input_schema: keptAs(
    'input_schema; an argument beside properties is lost, or moved by --fix',
    'inferred',
    'lost',
  ),
  result_schema: keptAs('result_schema; {} where there is no outputSchema', 'inferred', 'lost'),
  ...NO_TRANSPORT,
  capabilities: keptAs('from _meta["rlp/capabilities"]'),
  requires_confirmation: {
    is: 'inferred',
    may: ['inferred'],
    note: 'true where destructiveHint says true, else false',
  },
  is_read_only: fact('is_read_only'),
  is_destructive: fact('is_destructive'),
  is_open_world: fact('is_open_world'),
  idempotent: lostBecause('neither tools.json nor Agent Tool has a word for it'),
  budget: keptAs('from _meta["rlp/budget"]'),
  tags: keptAs('from _meta["rlp/tags"]'),
  other: lostBecause('icons, execution, and entries of _meta that are not ours'),
}

const KNOWN = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', '_meta']
const KNOWN_HINTS = ['title', 'idempotentHint', ...HINTS.map(([, hint]) => hint as string)]
const KNOWN_META = ['rlp/id', 'rlp/tags', 'rlp/budget', 'rlp/capabilities']

export const mcp: Importer = {
  format: 'mcp',
  summary: 'what an MCP server answers to tools/list',
  fates: FATES,
  read(source) {
    const root = strictJson(source)
    const list = listIn(root)
    if (list === undefined) throw notConvertible(source, 'it is no result of tools/list')
    const changes: ConversionChange[] = []
    if (isTable(root) && memberOf(root, 'nextCursor') !== undefined) {
      const message = 'the server has more pages than this one'
      changes.push({ tool: undefined, field: 'other', what: 'lost', message })
    }
    return readTables(list, source, 'tools', toTool, changes)
  },
}

/** The result, a JSON-RPC response that holds it, or the list alone. */
function listIn(root: unknown): readonly unknown[] | undefined {
  if (Array.isArray(root)) return root
  if (!isTable(root)) return undefined
  const result = memberOf(root, 'result')
  const tools = memberOf(isTable(result) ? result : root, 'tools')
  return Array.isArray(tools) ? tools : undefined
}

const toTool: ReadTable = (entry, refuse, changes) => {
  const objectAt = (key: string) => {
    const value = memberOf(entry, key)
    if (value === undefined || isTable(value)) return value
    throw refuse(`.${key} is no object`)
  }
  const textAt = (key: string) => {
    const value = memberOf(entry, key)
    if (value === undefined || typeof value === 'string') return value
    throw refuse(`.${key} is no text`)
  }
  const name = textAt('name')
  const inputSchema = objectAt('inputSchema')
  if (name === undefined) throw refuse('.name is missing')
  if (inputSchema === undefined) throw refuse('.inputSchema is missing')
  const annotations = objectAt('annotations') ?? {}
  const meta = objectAt('_meta') ?? {}
  const note = (field: Field, what: ConversionChange['what'], message: string) =>
    void changes.push({ tool: name, field, what, message })
  const isDestructive = annotations['destructiveHint'] === true
  if (isDestructive)
    note('requires_confirmation', 'inferred', 'true: destructiveHint says that a call can destroy something')
  if (annotations['idempotentHint'] === true) note('idempotent', 'lost', FATES.idempotent?.note ?? '')
  const others = [
    ...Object.keys(entry).filter(key => !KNOWN.includes(key)),
    ...Object.keys(annotations).filter(key => !KNOWN_HINTS.includes(key)),
    ...Object.keys(meta).filter(key => !KNOWN_META.includes(key)),
  ]
  if (others.length > 0) note('other', 'lost', `${others.join(', ')}: tools.json has no place for it`)
  const title = textAt('title') ?? memberOf(annotations, 'title')
  return {
    name,
    id: textOf(meta['rlp/id']),
    description: textAt('description'),
    inputSchema,
    resultSchema: objectAt('outputSchema'),
    run: undefined,
    capabilities: textsOf(meta['rlp/capabilities']),
    budget: budgetOf(meta['rlp/budget']),
    tags: textsOf(meta['rlp/tags']),
    requiresConfirmation: isDestructive,
    facts: factsOf(title, annotations),
    inferred: isDestructive ? ['requires_confirmation'] : [],
  }
}

function factsOf(title: unknown, annotations: RecordObject): RecordObject {
  const hints = HINTS.flatMap(([field, hint]) => {
    const value = annotations[hint]
    return typeof value === 'boolean' ? [[field, value]] : []
  })
  return { ...titled(title), ...Object.fromEntries(hints) }
}
