// The references in an agent's schemas, each with its target in the bundle: a file, or an entry of the tool's `schema_refs`.
import type { Agent } from '../../model/agent.ts'
import { own } from '../../model/own.ts'
import type { Tool } from '../../model/tools.ts'
import { type FoundRef, findRefs, followRef, lookUpIn, type RefTarget } from '../../schema/reference.ts'
import { toolsOf } from './agent-parts.ts'
import { once } from './once.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

type ReferenceOutcome = RefTarget<AgentSchema>

export interface SchemaReference {
  readonly from: AgentSchema
  readonly found: FoundRef
  readonly outcome: ReferenceOutcome
}

const NONE: readonly never[] = []
const KNOWN = new WeakMap<AgentSchema, readonly SchemaReference[]>()

/** Every reference, in the order of {@link schemasOf}. */
export const referencesOf: (agent: Agent) => readonly SchemaReference[] = once(agent => {
  const all: SchemaReference[] = []
  for (const schema of schemasOf(agent)) for (const one of referencesFrom(agent, schema)) all.push(one)
  return all
})

/** The references in one schema, found once. */
export function referencesFrom(agent: Agent, from: AgentSchema): readonly SchemaReference[] {
  if (from.isPlain) return NONE
  const known = KNOWN.get(from)
  if (known !== undefined) return known
  const references = findRefs(from.nodes).map(found => ({
    from,
    found,
    outcome: referenceOutcome(shelfOf(agent), from, found, from.tool),
  }))
  KNOWN.set(from, references)
  return references
}

/** @param tool whose `schema_refs` come first: for a tool with ids of its own a file can have another meaning */
export function referenceOutcome(
  shelf: Shelf,
  from: AgentSchema,
  { ref }: FoundRef,
  tool: Tool | undefined,
): ReferenceOutcome {
  const lookUp = lookUpIn<AgentSchema>(
    id => {
      const meant = own(tool?.schemaRefs, id)
      return typeof meant === 'string' ? meant : tool && shelf.entries.get(tool)?.get(id)
    },
    path => shelf.files.get(path) ?? (shelf.hasFile(path) ? { is: 'unread', path } : undefined),
  )
  return followRef(ref, from, from.file, (ref, at) => {
    const where = lookUp(ref, at)
    return where === undefined || 'is' in where || where.size === 'fits'
      ? where
      : { is: 'unread', path: where.file }
  })
}

/** The places in which schemas are looked up by name. */
export interface Shelf {
  readonly files: ReadonlyMap<string, AgentSchema>
  readonly entries: ReadonlyMap<Tool, ReadonlyMap<string, AgentSchema>>
  /** Every id that is in the `schema_refs` of a tool. */
  readonly ids: ReadonlySet<string>
  hasFile(path: string): boolean
}

export const shelfOf: (agent: Agent) => Shelf = once(makeShelf)

function makeShelf(agent: Agent): Shelf {
  const files = new Map<string, AgentSchema>()
  const entries = new Map<Tool, Map<string, AgentSchema>>()
  for (const schema of schemasOf(agent)) {
    const { role, file, tool, at } = schema
    if (role === 'file') files.set(file, schema)
    if (role !== 'entry' || tool === undefined) continue
    const own = entries.get(tool) ?? new Map<string, AgentSchema>()
    entries.set(tool, own.set(String(at.at(-1)), schema))
  }
  return {
    files,
    entries,
    ids: new Set(toolsOf(agent).flatMap(({ tool }) => Object.keys(tool.schemaRefs))),
    hasFile: path => agent.files.get(path) !== undefined,
  }
}
