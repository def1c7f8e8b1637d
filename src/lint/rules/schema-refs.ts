// The references in an agent's schemas, each with its target in the bundle.
import { pathProblem } from '../../format/path.ts'
import { isOwnId } from '../../format/schema/own-id.ts'
import { classifyRef, type FoundRef, isAnchorTwice, resolveLocal } from '../../format/schema/ref.ts'
import { OWN_ID, TWICE } from '../../format/schema/refusal.ts'
import { isSchemaFile, meaningOf, schemaFileOf } from '../../format/schema/resolve.ts'
import { isAddressable } from '../../format/schema/target.ts'
import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { atOnce, type Steps } from '../../model/steps.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'
import { type Shelf, shelfOf } from './schema-shelf.ts'
import { type AgentSchema, schemasInSteps } from './schemas.ts'

export interface SchemaReference {
  readonly from: AgentSchema
  readonly found: FoundRef
  readonly outcome: ReferenceOutcome
}

export type ReferenceOutcome =
  | Hit
  /** Not in the bundle: it names an entry of the runtime's registry. */
  | { readonly is: 'registry'; readonly id: string }
  | { readonly is: 'remote' }
  | { readonly is: 'invalid'; readonly reason: string }
  | { readonly is: 'missing'; readonly reason: string; readonly path: string | undefined }
  /** The file exists, and another rule reports why it was not read. */
  | { readonly is: 'unread'; readonly path: string }

/** A schema of the bundle, and the position in it. */
export interface Hit {
  readonly is: 'found'
  readonly where: AgentSchema
  readonly pointer: Pointer
  readonly schema: JsonSchema
}

const KNOWN = new WeakMap<Agent, readonly SchemaReference[]>()

/** Every reference, in the order of {@link schemasOf}. */
export function referencesOf(agent: Agent): readonly SchemaReference[] {
  return atOnce(referencesInSteps(agent))
}

/** The same, cut after each schema. */
export function* referencesInSteps(agent: Agent): Steps<readonly SchemaReference[]> {
  const known = KNOWN.get(agent)
  if (known !== undefined) return known
  const schemas = yield* schemasInSteps(agent)
  const shelf = shelfOf(agent)
  const references: SchemaReference[] = []
  for (const from of schemas) {
    yield
    for (const found of refsIn(from))
      references.push({ from, found, outcome: referenceOutcome(shelf, from, found, from.tool) })
  }
  KNOWN.set(agent, references)
  return references
}

function refsIn({ nodes }: AgentSchema): FoundRef[] {
  const refs: FoundRef[] = []
  for (const { pointer, schema, resource, resourceAt } of nodes) {
    if (typeof schema === 'boolean') continue
    for (const keyword of ['$ref', '$dynamicRef'] as const) {
      const ref = schema[keyword]
      if (typeof ref !== 'string') continue
      refs.push({ pointer: [...pointer, keyword], keyword, ref, holder: schema, resource, resourceAt })
    }
  }
  return refs
}

/** @param tool whose `schema_refs` come first: for a tool with ids of its own a file can have another meaning */
export function referenceOutcome(
  shelf: Shelf,
  from: AgentSchema,
  { ref: text, resource, resourceAt }: FoundRef,
  tool: Tool | undefined,
): ReferenceOutcome {
  const ref = classifyRef(text, from.file)
  if (ref.kind === 'remote') return isOwnId(from.schema, text) ? IDENTIFIED : { is: 'remote' }
  if (ref.kind === 'invalid') return { is: 'invalid', reason: ref.reason }
  if (ref.kind === 'local') {
    const hit = resolveLocal(resource, ref.fragment)
    if (hit === undefined) return isAnchorTwice(resource, ref.fragment) ? REPEATED : NOWHERE
    const pointer = [...resourceAt, ...hit.pointer]
    if (!isAddressable(from.schema, pointer)) return PAST_ID
    return { is: 'found', where: from, pointer, schema: hit.schema }
  }
  const own = ref.kind === 'registry' && tool ? shelf.entries.get(tool)?.get(ref.id) : undefined
  const id = ref.kind === 'registry' ? idOf(ref.id, tool) : undefined
  const problem = id === undefined ? undefined : pathProblem(id)
  if (problem !== undefined) return { is: 'invalid', reason: `has an alias for an id that ${problem}` }
  const path = ref.kind === 'file' ? ref.path : schemaFileOf(id ?? ref.id)
  const where = own ?? shelf.files.get(path)
  if (where === undefined) {
    if (shelf.unreadable.has(path)) return { is: 'unread', path }
    if (id !== undefined) return { is: 'registry', id }
    if (!shelf.hasFile(path)) {
      if (isOwnId(from.schema, text)) return IDENTIFIED
      return { is: 'missing', reason: 'names a file that is not there', path }
    }
    return isSchemaFile(path)
      ? { is: 'unread', path }
      : { is: 'invalid', reason: 'names a file outside schemas/, where no schema is read' }
  }
  if (where.size !== 'fits') return { is: 'unread', path }
  const hit = resolveLocal(where.schema, ref.fragment)
  if (hit === undefined) return isAnchorTwice(where.schema, ref.fragment) ? REPEATED : NOWHERE
  if (!isAddressable(where.schema, hit.pointer)) return PAST_ID
  return isNode(where, hit.schema) ? { is: 'found', where, ...hit } : NO_SCHEMA
}

/** What an id of a reference stands for, where it is an alias of the tool. */
function idOf(id: string, tool: Tool | undefined): string {
  const meaning = meaningOf(tool?.schemaRefs ?? {}, id)
  return 'id' in meaning ? meaning.id : id
}

const REPEATED = { is: 'invalid', reason: TWICE.why } as const
const IDENTIFIED = { is: 'invalid', reason: OWN_ID.why } as const
const NOWHERE = { is: 'missing', reason: 'has no target', path: undefined } as const
const PAST_ID = {
  is: 'missing',
  reason: 'leads past something that is called "$id"',
  path: undefined,
} as const
const NO_SCHEMA = {
  is: 'missing',
  reason: 'finds something that no keyword makes a schema',
  path: undefined,
} as const

const NODES = new WeakMap<AgentSchema, ReadonlySet<JsonSchema>>()

/** Validators read only the schemas of another document, no other part of it. */
function isNode(where: AgentSchema, schema: JsonSchema): boolean {
  if (schema === where.schema || typeof schema === 'boolean') return true
  const nodes = NODES.get(where) ?? new Set(where.nodes.map(node => node.schema))
  NODES.set(where, nodes)
  return nodes.has(schema)
}
