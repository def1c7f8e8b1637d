// The JSON Schemas of an agent, each with its place and with what one walk through it finds. However many rules ask, it is walked once.
import { extent } from '../format/extent.ts'
import { checkJsonSchema } from '../format/schema-check.ts'
import { type Dialect, dialectOf } from '../format/schema-dialect.ts'
import { dependentNames, MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../format/schema-link.ts'
import { findMisread, type Misread } from '../format/schema-misread.ts'
import { isSchemaFile } from '../format/schema-resolve.ts'
import { straysIn } from '../format/schema-stray.ts'
import { type Subschema, walkSchemas } from '../format/schema-walk.ts'
import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Pointer, ShapeProblem } from '../model/document.ts'
import type { Place } from '../model/finding.ts'
import type { Tool } from '../model/tools.ts'

/** A schema and where it stands. */
interface Listed {
  readonly file: string
  /** From the root of the file. */
  readonly at: Pointer
  /** `entry` is one of a tool's `schema_refs`, `settings` the manifest's `[schemas.with]`. */
  readonly role: 'input' | 'result' | 'entry' | 'file' | 'settings'
  /** Whose `schema_refs` come first; undefined for a file and for settings. */
  readonly tool: Tool | undefined
  readonly schema: unknown
}

export interface AgentSchema extends Listed {
  /** `beyond`: so much stands in the agent's schemas before this one that it was not looked into. */
  readonly size: 'fits' | 'large' | 'beyond'
  /** Values inside it, and subschemas as `MAX_SUBSCHEMAS` counts them. */
  readonly values: number
  readonly weight: number
  /** Every subschema, the root first; empty when the size does not fit. */
  readonly nodes: readonly Subschema[]
  /** Where it differs from the meta-schema. */
  readonly shape: readonly ShapeProblem[]
  /** An older dialect or an unknown one, where it is named, and what 2020-12 would read otherwise. */
  readonly foreign:
    | {
        readonly dialect: Dialect
        /** As it is written. */
        readonly name: string
        readonly at: Pointer
        readonly misread: Misread | undefined
      }
    | undefined
  /** Whether the schema by itself is what validators read: rules of advice look at no other. */
  readonly isSound: boolean
}

/**
 * The most values in all schemas of an agent together: what is behind them is refused instead of looked into. A thousand tools as they
 * are found in practice have some fifty thousand.
 */
export const MAX_AGENT_VALUES = 1_000_000

const SEEN = new WeakMap<Agent, readonly AgentSchema[]>()

/** In the order of tools, then files, then settings. */
export function schemasOf(agent: Agent): readonly AgentSchema[] {
  const known = SEEN.get(agent)
  if (known !== undefined) return known
  const schemas: AgentSchema[] = []
  let room = MAX_AGENT_VALUES
  for (const listed of list(agent)) {
    const { values } = extent(listed.schema)
    room -= 1 + values
    schemas.push(look(listed, values, room < 0))
  }
  SEEN.set(agent, schemas)
  return schemas
}

/** The file and the place of something in a schema. */
export function placeIn(
  { file, at }: Listed,
  pointer: Pointer,
  part?: 'key' | 'value',
): { readonly file: string; readonly place: Place } {
  return { file, place: { pointer: [...at, ...pointer], ...(part && { part }) } }
}

function* list({ tools, documents }: Agent): Generator<Listed> {
  for (const [index, tool] of (tools?.tools ?? []).entries()) {
    const at = ['tools', index]
    const own = { file: TOOLS_FILE, tool }
    yield { ...own, at: [...at, 'input_schema'], role: 'input', schema: tool.inputSchema }
    yield { ...own, at: [...at, 'result_schema'], role: 'result', schema: tool.resultSchema }
    for (const [id, schema] of Object.entries(tool.schemaRefs)) {
      yield { ...own, at: [...at, 'schema_refs', id], role: 'entry', schema }
    }
  }
  for (const [file, { value: schema }] of documents) {
    if (isSchemaFile(file)) yield { file, at: [], role: 'file', tool: undefined, schema }
  }
  const schemas = (documents.get(MANIFEST_FILE)?.value as { schemas?: { with?: unknown } } | undefined)
    ?.schemas
  const settings = typeof schemas === 'object' && schemas !== null ? schemas.with : undefined
  if (settings === undefined) return
  yield { file: MANIFEST_FILE, at: ['schemas', 'with'], role: 'settings', tool: undefined, schema: settings }
}

const UNSEEN = { weight: 0, nodes: [], shape: [], foreign: undefined, isSound: false } as const

function look(listed: Listed, values: number, isBeyond: boolean): AgentSchema {
  const { schema } = listed
  if (isBeyond) return { ...listed, ...UNSEEN, size: 'beyond', values }
  if (values > MAX_SCHEMA_VALUES) return { ...listed, ...UNSEEN, size: 'large', values }
  const nodes: Subschema[] = []
  let weight = 0
  let named: Subschema | undefined
  for (const node of walkSchemas(schema)) {
    nodes.push(node)
    weight += 1 + dependentNames(node.schema)
    if (weight > MAX_SUBSCHEMAS) return { ...listed, ...UNSEEN, size: 'large', values }
    if (named === undefined && dialectOf(node.schema) !== '2020-12') named = node
  }
  const strays = straysIn(schema, nodes)
  if (strays === undefined) return { ...listed, ...UNSEEN, size: 'large', values }
  const foreign = named && foreignOf(named, nodes)
  const shape = [
    ...checkJsonSchema(schema),
    ...strays.flatMap(({ pointer, schema }) =>
      checkJsonSchema(schema).map(problem => ({ ...problem, pointer: [...pointer, ...problem.pointer] })),
    ),
    ...nodes.flatMap(emptyEnum),
  ]
  const isForeign = foreign !== undefined && (foreign.dialect === 'unknown' || foreign.misread !== undefined)
  return {
    ...listed,
    size: 'fits',
    values,
    weight,
    nodes,
    shape,
    foreign,
    isSound: shape.length === 0 && !isForeign,
  }
}

/** The meta-schema lets it stand, and validators do not agree on it. */
function emptyEnum({ pointer, schema }: Subschema): ShapeProblem[] {
  const values = typeof schema === 'object' ? schema['enum'] : undefined
  if (!Array.isArray(values) || values.length > 0) return []
  const message = 'enum lists no values: some validators refuse the schema, others every value'
  const fix = 'List the values, or remove enum'
  return [{ pointer: [...pointer, 'enum'], part: 'value', message, fix, keyword: 'enum' }]
}

function foreignOf({ pointer, schema }: Subschema, nodes: readonly Subschema[]): AgentSchema['foreign'] {
  const dialect = dialectOf(schema)
  const name = typeof schema === 'object' ? String(schema['$schema']) : ''
  const misread = dialect === 'unknown' ? undefined : findMisread(nodes, dialect)
  return { dialect, name, at: [...pointer, '$schema'], misread }
}
