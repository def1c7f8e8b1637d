// The JSON Schemas of an agent, each with its position and the results of one walk through it, which all rules share.
import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Pointer, ShapeProblem } from '../../model/document.ts'
import type { Place } from '../../model/finding.ts'
import { usesFirstParts } from '../../model/first-parts.ts'
import { own } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { checkJsonSchema } from '../../schema/check.ts'
import { type DialectProblem, outsideDialect } from '../../schema/dialect.ts'
import { type Extent, extent } from '../../schema/extent.ts'
import { isSilent } from '../../schema/keywords.ts'
import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS, weightOf } from '../../schema/link.ts'
import { acceptSchema, type PlainExtent } from '../../schema/plain-schema.ts'
import { isSchemaFile } from '../../schema/reference.ts'
import { isSchemaObject, type Subschema, subschemasOf, walkSchemas } from '../../schema/walk.ts'
import { quoteText } from '../../text/quote.ts'
import { toolsOf } from './agent-parts.ts'
import { once } from './once.ts'

export interface AgentSchema extends ListedSchema {
  /** `beyond`: with the schemas before it, it is too large to be read. `unread`: it comes after that one. */
  readonly size: 'fits' | 'large' | 'beyond' | 'unread'
  /** Values inside it, and subschemas as `MAX_SUBSCHEMAS` counts them. */
  readonly values: number
  readonly weight: number
  /** Every subschema, the root first; empty if the size does not fit. */
  readonly nodes: readonly Subschema[]
  /** Where it breaks the meta-schema. */
  readonly shape: readonly ShapeProblem[]
  /** Keywords that are outside the dialect of bundles. */
  readonly foreign: readonly DialectProblem[]
  /** Whether validators can read the schema: rules of advice check no other. */
  readonly isSound: boolean
  /** Whether it has no reference and no pattern, and is sound: what looks for these need not look at its nodes. */
  readonly isPlain: boolean
}

/**
 * The most values in all schemas of an agent together: further ones are refused unread. A thousand real tools have some fifty thousand.
 */
export const MAX_AGENT_VALUES = 1_000_000

/** Reads the schemas of an agent, one for each call, so that other work can run in between. */
class SchemaReading {
  readonly #listed: readonly ListedSchema[]
  readonly #schemas: AgentSchema[] = []
  #room = MAX_AGENT_VALUES

  constructor(agent: Agent) {
    this.#listed = listSchemas(agent)
  }

  /** How many are not read yet. */
  get left(): number {
    return this.#listed.length - this.#schemas.length
  }

  next(): void {
    const listed = this.#listed[this.#schemas.length]
    if (listed === undefined) return
    const plain = usesFirstParts() ? acceptSchema(listed.schema) : undefined
    const size = plain ?? extent(listed.schema)
    const isUnread = this.#room < 0
    this.#room -= 1 + size.values
    if (isUnread) this.#schemas.push(unseen(listed, size, 'unread'))
    else if (this.#room < 0) this.#schemas.push(unseen(listed, size, 'beyond'))
    else this.#schemas.push('depth' in size ? look(listed, size) : new PlainSchema(listed, size))
  }

  all(): readonly AgentSchema[] {
    while (this.left > 0) this.next()
    return this.#schemas
  }
}

/** The one reading of an agent's schemas, wherever it has got to. */
export const schemaReadingOf: (agent: Agent) => SchemaReading = once(agent => new SchemaReading(agent))

/** In the order of tools, then files, then settings. */
export function schemasOf(agent: Agent): readonly AgentSchema[] {
  return schemaReadingOf(agent).all()
}

/** A schema that the first part has accepted. Of thousands hardly one is asked for more than this, so nothing is copied or listed before. */
class PlainSchema implements AgentSchema {
  readonly #listed: ListedSchema
  readonly #extent: PlainExtent
  #nodes: readonly Subschema[] | undefined

  constructor(listed: ListedSchema, extent: PlainExtent) {
    this.#listed = listed
    this.#extent = extent
  }

  get file(): string {
    return this.#listed.file
  }
  get at(): Pointer {
    return this.#listed.at
  }
  get role(): ListedSchema['role'] {
    return this.#listed.role
  }
  get tool(): Tool | undefined {
    return this.#listed.tool
  }
  get schema(): unknown {
    return this.#listed.schema
  }
  get size(): 'fits' {
    return 'fits'
  }
  get values(): number {
    return this.#extent.values
  }
  get weight(): number {
    return this.#extent.weight
  }
  get nodes(): readonly Subschema[] {
    this.#nodes ??= subschemasOf(this.schema)
    return this.#nodes
  }
  get shape(): readonly ShapeProblem[] {
    return NONE
  }
  get foreign(): readonly DialectProblem[] {
    return NONE
  }
  get isSound(): boolean {
    return true
  }
  get isPlain(): boolean {
    return true
  }
}

const NONE: readonly never[] = []
const UNSEEN = { weight: 0, nodes: NONE, shape: NONE, foreign: NONE, isSound: false, isPlain: false } as const

function unseen(
  listed: ListedSchema,
  { values }: Pick<Extent, 'values'>,
  size: AgentSchema['size'],
): AgentSchema {
  const { file, at, role, tool, schema } = listed
  return { file, at, role, tool, schema, ...UNSEEN, size, values }
}

function look(listed: ListedSchema, extent: Extent): AgentSchema {
  const { file, at, role, tool, schema } = listed
  const { values, depth } = extent
  if (values > MAX_SCHEMA_VALUES) return unseen(listed, extent, 'large')
  const nodes: Subschema[] = []
  let weight = 0
  walkSchemas(schema, node => {
    nodes.push(node)
    weight += weightOf(node.schema)
    return weight <= MAX_SUBSCHEMAS
  })
  if (weight > MAX_SUBSCHEMAS) return unseen(listed, extent, 'large')
  const foreign = outsideDialect(nodes)
  // The dialect is reported instead where a keyword is outside of it.
  const isForeign = ({ pointer }: ShapeProblem) =>
    foreign.some(({ pointer: at }) => at.every((step, index) => pointer[index] === step))
  const shape = checkJsonSchema(schema, depth).filter(problem => !isForeign(problem))
  for (const node of nodes) if (isEmptyEnum(node)) shape.push(emptyEnum(node))
  return {
    file,
    at,
    role,
    tool,
    schema,
    size: 'fits',
    values,
    weight,
    nodes,
    shape,
    foreign,
    isSound: shape.length === 0 && foreign.length === 0,
    isPlain: false,
  }
}

/** The meta-schema allows it, and validators disagree about it. */
function isEmptyEnum({ schema }: Subschema): boolean {
  const values = typeof schema === 'object' ? schema['enum'] : undefined
  return Array.isArray(values) && values.length === 0
}

function emptyEnum({ pointer }: Subschema): ShapeProblem {
  const message = 'enum lists no values: some validators refuse the schema, others every value'
  const fix = 'List the values, or remove enum'
  return { pointer: [...pointer, 'enum'], part: 'value', message, fix, keyword: 'enum' }
}

/** A schema and its position. */
interface ListedSchema {
  readonly file: string
  /** From the root of the file. */
  readonly at: Pointer
  /** `entry` is one of a tool's `schema_refs`, `settings` the manifest's `[schemas.with]`. */
  readonly role: 'input' | 'result' | 'entry' | 'file' | 'settings'
  /** The tool whose `schema_refs` come first; undefined for a file and for settings. */
  readonly tool: Tool | undefined
  readonly schema: unknown
}

/** A schema in tools.json. */
class ToolSchema implements ListedSchema {
  readonly tool: Tool
  readonly role: 'input' | 'result' | 'entry'
  readonly #index: number
  readonly #id: string

  /** @param index of the tool @param id of an entry */
  constructor(tool: Tool, index: number, role: ToolSchema['role'], id = '') {
    this.tool = tool
    this.role = role
    this.#index = index
    this.#id = id
  }

  get file(): string {
    return TOOLS_FILE
  }
  get at(): Pointer {
    const at = ['tools', this.#index]
    return this.role === 'entry' ? [...at, 'schema_refs', this.#id] : [...at, `${this.role}_schema`]
  }
  get schema(): unknown {
    const { inputSchema, resultSchema, schemaRefs } = this.tool
    if (this.role === 'entry') return own(schemaRefs, this.#id)
    return this.role === 'input' ? inputSchema : resultSchema
  }
}

/** In the order of tools, then files, then settings. */
function listSchemas(agent: Agent): ListedSchema[] {
  const { documents } = agent
  const listed: ListedSchema[] = []
  for (const { index, tool } of toolsOf(agent)) {
    listed.push(new ToolSchema(tool, index, 'input'), new ToolSchema(tool, index, 'result'))
    for (const id of Object.keys(tool.schemaRefs)) {
      // An alias is a name for a schema that is listed elsewhere.
      if (typeof own(tool.schemaRefs, id) !== 'string') listed.push(new ToolSchema(tool, index, 'entry', id))
    }
  }
  for (const [file, { value: schema }] of documents)
    if (isSchemaFile(file)) listed.push({ file, at: [], role: 'file', tool: undefined, schema })
  const manifest = documents.get(MANIFEST_FILE)?.value as { schemas?: { with?: unknown } } | undefined
  const schemas = manifest?.schemas
  const settings = typeof schemas === 'object' && schemas !== null ? schemas.with : undefined
  if (settings !== undefined) {
    const at = ['schemas', 'with']
    listed.push({ file: MANIFEST_FILE, at, role: 'settings', tool: undefined, schema: settings })
  }
  return listed
}

/** The tool that has a schema, in quotes; of a schema in a file of its own the file. */
export function schemaOwner({ tool, file }: ListedSchema): string {
  return quoteText(tool?.id ?? file)
}

/** The argument that holds a place in a schema, behind the tool: `"mail.send.to"`; the tool alone if there is none. */
export function argumentOf(schema: ListedSchema, pointer: Pointer): string {
  const name = pointer.findLast((_, index) => pointer[index - 1] === 'properties')
  const owner = schema.tool?.id ?? schema.file
  return quoteText(name === undefined ? owner : `${owner}.${name}`)
}

/** The file and position of a part of a schema. */
export function placeIn(
  { file, at }: ListedSchema,
  pointer: Pointer,
  part?: 'key' | 'value',
): { readonly file: string; readonly place: Place } {
  return { file, place: { pointer: [...at, ...pointer], ...(part && { part }) } }
}

/** The positions of dates and times. Their values are texts already. */
export function datesIn(agent: Agent): readonly Pointer[] {
  const dates = agent.documents.get(MANIFEST_FILE)?.dates ?? []
  return dates.filter(([first, second]) => first === 'schemas' && second === 'with')
}

export function isEmpty(schema: unknown): boolean {
  return schema === true || (isSchemaObject(schema) && Object.keys(schema).every(isSilent))
}
