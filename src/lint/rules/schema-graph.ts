// Follows the references between an agent's schemas, and finds schemas that would be checked without end or that are too large for a
// validator.
import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Problem } from '../../model/finding.ts'
import type { JsonSchema, Tool } from '../../model/tools.ts'
import { findEndless } from '../../schema/cost.ts'
import { type Link, type LinkedSchemas, MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../../schema/link.ts'
import { inner, type SchemaObject } from '../../schema/walk.ts'
import { once } from './once.ts'
import {
  referenceOutcome,
  referencesFrom,
  referencesOf,
  type SchemaReference,
  type Shelf,
  shelfOf,
} from './schema-refs.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

interface GraphProblems {
  /** Where checking a value would never end, by the schema that holds the place; not the schemas that only lead there. */
  readonly endless: ReadonlyMap<AgentSchema, Words & { readonly pointer: Pointer }>
  /** The schemas that are too large with all that they refer to. */
  readonly large: ReadonlyMap<AgentSchema, Words>
}

/** Of a finding. */
type Words = Pick<Problem, 'message' | 'fix'>

/**
 * Levels from one reference to the next, within one schema's reach. A validator's compiler recurses through all of them, and its stack
 * overflows at some 260.
 */
export const MAX_LEVELS = 200

/** Only sound schemas are checked: all others have findings of their own. */
export const graphProblemsOf: (agent: Agent) => GraphProblems = once(findProblems)

function findProblems(agent: Agent): GraphProblems {
  const roots: AgentSchema[] = []
  for (const schema of schemasOf(agent))
    if (schema.isSound && referencesFrom(agent, schema).length > 0) roots.push(schema)
  const endless = new Map<AgentSchema, Words & { readonly pointer: Pointer }>()
  const large = new Map<AgentSchema, Words>()
  if (roots.length === 0) return { endless, large }
  const web = new SchemaWeb(agent, referencesOf(agent))
  const judge = (schemas: readonly AgentSchema[], tool: Tool | undefined): boolean => {
    const problem = findEndless(web.linked(schemas, tool))
    const where = schemas[Number(problem?.document)]
    if (problem === undefined || where === undefined) return true
    const { pointer, message, fix } = problem
    endless.set(where, { pointer, message, fix })
    return false
  }
  // If no tool has ids of its own, all schemas are one graph: a file is checked once, however many refer to it.
  const isFineTogether = judge(roots, undefined)
  for (const where of roots) {
    const { schemas, load, isSpecial } = web.reach(where, load => excessOf(load, web) !== undefined)
    const excess = excessOf(load, web)
    if (excess !== undefined) {
      large.set(where, excess)
      continue
    }
    // A schema that leads to a known member of a circle needs no finding of its own.
    const isTold = schemas.some(schema => endless.has(schema))
    if ((!isFineTogether || isSpecial) && !isTold) judge(schemas, where.tool)
  }
  return { endless, large }
}

function excessOf({ weight, values, levels }: Load, web: SchemaWeb): Words | undefined {
  if (weight > MAX_SUBSCHEMAS || values > MAX_SCHEMA_VALUES)
    return {
      message: `With all that it refers to, the schema has more than ${MAX_SUBSCHEMAS} subschemas or ${MAX_SCHEMA_VALUES} values`,
      fix: 'Refer to smaller files, or describe the values less closely',
    }
  if (levels > MAX_LEVELS)
    return {
      message: `With all that it refers to, references follow one another through more than ${MAX_LEVELS} levels`,
      fix: 'Write what is used once where it is used',
    }
  if (web.work >= 0) return undefined
  return {
    message: 'The schemas of this agent refer to each other too often to be checked',
    fix: 'Use fewer references',
  }
}

/** The totals of several schemas. */
interface Load {
  readonly weight: number
  readonly values: number
  /** For each target with a reference in it, once: one, and the levels down to its deepest reference. */
  readonly levels: number
}

/** The schemas that a schema reaches, itself first. */
interface WebReach {
  readonly schemas: readonly AgentSchema[]
  readonly load: Load
  /** Whether a file has another meaning here than alone, because the tool has ids of its own. */
  readonly isSpecial: boolean
}

/** The most schemas, subschemas and references that are visited again, over all schemas that reach them. */
const MAX_WORK = 2_000_000

class SchemaWeb {
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
