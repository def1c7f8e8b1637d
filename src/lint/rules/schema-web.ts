// An agent's schemas and the references between them → what each schema reaches, for a tool that may have ids of its own.

import type { Agent } from '../../model/agent.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'
import type { Link, LinkedSchemas } from '../../schema/link.ts'
import { inner, type SchemaObject } from '../../schema/walk.ts'
import { referenceOutcome, referencesFrom, type SchemaReference } from './schema-refs.ts'
import { type Shelf, shelfOf } from './schema-shelf.ts'
import type { AgentSchema } from './schemas.ts'

/** The totals of several schemas. */
export interface Load {
  readonly weight: number
  readonly values: number
  /** For each target with a reference in it, once: one, and the levels down to its deepest reference. */
  readonly levels: number
}

/** The schemas that a schema reaches, itself first. */
export interface WebReach {
  readonly schemas: readonly AgentSchema[]
  readonly load: Load
  /** Whether a file has another meaning here than alone, because the tool has ids of its own. */
  readonly isSpecial: boolean
}

/** The most schemas, subschemas and references that are visited again, over all schemas that reach them. */
const MAX_WORK = 2_000_000

export class SchemaWeb {
  /** Remaining work; below zero all results are meaningless. */
  work = MAX_WORK
  private readonly agent: Agent
  private readonly shelf: Shelf
  private readonly levelsBelow: (schema: JsonSchema) => number

  constructor(agent: Agent, references: readonly SchemaReference[]) {
    this.agent = agent
    this.shelf = shelfOf(agent)
    this.levelsBelow = levelCounter(references)
  }

  referencesIn(schema: AgentSchema): readonly SchemaReference[] {
    return referencesFrom(this.agent, schema)
  }

  /** @param isTooMuch ends the search: the result is already large enough for a finding */
  reach(root: AgentSchema, isTooMuch: (load: Load) => boolean): WebReach {
    const schemas = [root]
    const seen = new Set(schemas)
    const targets = new Set<JsonSchema>()
    let load: Load = { weight: 0, values: 0, levels: 0 }
    let isSpecial = false
    // The loop also visits schemas that it adds.
    for (const schema of schemas) {
      load = {
        weight: load.weight + schema.weight,
        values: load.values + schema.values,
        levels: load.levels,
      }
      if (isTooMuch(load)) break
      for (const reference of this.referencesIn(schema)) {
        this.work--
        const outcome = this.outcome(reference, root.tool)
        if (outcome !== reference.outcome) isSpecial = true
        if (outcome.is !== 'found' || !outcome.where.isSound) continue
        if (!targets.has(outcome.schema))
          load = { ...load, levels: load.levels + 1 + this.levelsBelow(outcome.schema) }
        targets.add(outcome.schema)
        if (seen.has(outcome.where)) continue
        seen.add(outcome.where)
        schemas.push(outcome.where)
      }
    }
    return { schemas, load, isSpecial }
  }

  /** The schemas in the form of `schema/cost.ts` and its neighbours; labels are indexes. Unsound targets are left out. */
  linked(schemas: readonly AgentSchema[], tool: Tool | undefined): LinkedSchemas {
    const documents = schemas.map(({ file, schema, nodes }, position) => {
      this.work -= nodes.length
      return { label: String(position), path: file, schema, subschemas: nodes }
    })
    const links = new Map<SchemaObject, Link>()
    for (const document of documents)
      for (const reference of this.referencesIn(schemas[Number(document.label)] as AgentSchema)) {
        const outcome = this.outcome(reference, tool)
        if (outcome.is !== 'found' || !outcome.where.isSound) continue
        // Only the schema of a target counts: its own document is in the list too.
        const target = { document, pointer: outcome.pointer, schema: outcome.schema }
        links.set(reference.found.holder, { document, found: reference.found, target })
      }
    return { documents, links, problems: [] }
  }

  /** The target of a reference for a tool. A file has no ids of its own: it is read with those of the tool that refers to it. */
  private outcome(reference: SchemaReference, tool: Tool | undefined): SchemaReference['outcome'] {
    const { from, found, outcome } = reference
    const own = tool && from.tool === undefined ? this.shelf.entries.get(tool) : undefined
    if (own === undefined || !found.ref.startsWith('schema:')) return outcome
    const special = referenceOutcome(this.shelf, from, found, tool)
    return special.is === 'found' && special.where.tool === tool ? special : outcome
  }
}

/** How many levels down the deepest reference in a schema is; -1 if it has none. The file's JSON bounds the depth. */
function levelCounter(references: readonly SchemaReference[]): (schema: JsonSchema) => number {
  const holders = new Set<JsonSchema>(references.map(({ found }) => found.holder))
  const known = new Map<JsonSchema, number>()
  return function below(schema) {
    if (typeof schema === 'boolean') return -1
    let deepest = known.get(schema)
    if (deepest !== undefined) return deepest
    deepest = holders.has(schema) ? 0 : -1
    for (const child of inner(schema)) {
      const further = below(child.schema)
      if (further >= 0) deepest = Math.max(deepest, further + 1)
    }
    known.set(schema, deepest)
    return deepest
  }
}
