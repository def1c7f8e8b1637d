// An agent's schemas and the references between them → where judging a value would never end, and what is too much for a validator.
import { findEndless } from '../format/schema-cost.ts'
import { findAmbiguous } from '../format/schema-dynamic.ts'
import { type LinkedSchemas, MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../format/schema-link.ts'
import { inner } from '../format/schema-walk.ts'
import type { Agent } from '../model/agent.ts'
import type { Pointer } from '../model/document.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { outcomeOf, type Reference, referencesOf, type Shelf, shelfOf } from './schema-refs.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

export interface GraphProblem {
  readonly is: 'endless' | 'ambiguous' | 'large'
  readonly where: AgentSchema
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

/**
 * Schemas that refer to further ones, in what one schema reaches. A validator's compiler goes from one to the next on its stack: it
 * overflows at some two hundred.
 */
export const MAX_LINKS_IN_A_ROW = 100
/** Schemas and subschemas that are looked at again, for each schema that reaches them. What is left then is refused. */
const MAX_WORK = 2_000_000

const KNOWN = new WeakMap<Agent, readonly GraphProblem[]>()

/** Only sound schemas are judged: all others have findings of their own. */
export function graphProblemsOf(agent: Agent): readonly GraphProblem[] {
  const known = KNOWN.get(agent) ?? new Graph(agent).problems()
  KNOWN.set(agent, known)
  return known
}

/** What a schema reaches, itself first. */
interface Reach {
  readonly schemas: readonly AgentSchema[]
  /** Whether a file in it means something else than it does by itself, because the tool has an id of its own. */
  readonly isSpecial: boolean
}

class Graph {
  private readonly agent: Agent
  private readonly shelf: Shelf
  private readonly referencesBy = new Map<AgentSchema, Reference[]>()
  private readonly links = new Map<AgentSchema, number>()
  private readonly found = new Map<string, GraphProblem>()
  private work = MAX_WORK

  constructor(agent: Agent) {
    this.agent = agent
    this.shelf = shelfOf(agent)
    for (const reference of referencesOf(agent)) {
      const own = this.referencesBy.get(reference.from)
      if (own === undefined) this.referencesBy.set(reference.from, [reference])
      else own.push(reference)
    }
    this.countLinks()
  }

  problems(): readonly GraphProblem[] {
    const roots = schemasOf(this.agent).filter(schema => schema.isSound && this.referencesBy.has(schema))
    // Where no tool has an id of its own, all schemas are one graph: however many refer to a file, it is looked into once.
    const together = findEndless(this.linked(roots, undefined)) !== undefined
    for (const root of roots) {
      const reach = this.reach(root)
      if (reach === undefined) continue
      const { schemas, isSpecial } = reach
      if (together || isSpecial) this.judge(findEndless, 'endless', schemas, root.tool)
      if (schemas.some(schema => this.isDynamic(schema))) {
        this.judge(findAmbiguous, 'ambiguous', schemas, root.tool)
      }
    }
    return [...this.found.values()]
  }

  /** Undefined when it is too large, which is noted. */
  private reach(root: AgentSchema): Reach | undefined {
    const schemas = [root]
    const seen = new Set(schemas)
    const sum = { weight: 0, values: 0, links: 0 }
    let isSpecial = false
    // The list grows while it is read.
    for (const schema of schemas) {
      sum.weight += schema.weight
      sum.values += schema.values
      sum.links += this.links.get(schema) ?? 0
      const excess = this.excess(sum)
      if (excess !== undefined) {
        this.note('large', root, [], ...excess)
        return undefined
      }
      for (const reference of this.referencesBy.get(schema) ?? []) {
        this.work--
        const outcome = this.outcome(reference, root.tool)
        if (outcome !== reference.outcome) isSpecial = true
        if (outcome.is !== 'found' || !outcome.where.isSound || seen.has(outcome.where)) continue
        seen.add(outcome.where)
        schemas.push(outcome.where)
      }
    }
    return { schemas, isSpecial }
  }

  private excess(sum: { weight: number; values: number; links: number }): [string, string] | undefined {
    if (sum.weight > MAX_SUBSCHEMAS || sum.values > MAX_SCHEMA_VALUES) {
      return [
        `With all that it refers to, the schema has more than ${MAX_SUBSCHEMAS} subschemas or ${MAX_SCHEMA_VALUES} values`,
        'Refer to smaller files, or describe the values less closely',
      ]
    }
    if (sum.links > MAX_LINKS_IN_A_ROW) {
      return [
        `With all that it refers to, the schema has more than ${MAX_LINKS_IN_A_ROW} parts that refer to further ones`,
        'Write what is used once where it is used',
      ]
    }
    if (this.work > 0) return undefined
    return ['The schemas of this agent refer to each other too often to be checked', 'Use fewer references']
  }

  /** What a reference finds for a tool that may have an id of its own. */
  private outcome(reference: Reference, tool: Tool | undefined): Reference['outcome'] {
    const { from, found, outcome } = reference
    const own = tool && from.tool === undefined ? this.shelf.entries.get(tool) : undefined
    if (own === undefined || !found.ref.startsWith('schema:')) return outcome
    const special = outcomeOf(this.agent, this.shelf, from, found, tool)
    return special.is === 'found' && own.has(String(special.where.at.at(-1))) ? special : outcome
  }

  private linked(schemas: readonly AgentSchema[], tool: Tool | undefined): LinkedSchemas {
    const index = new Map(schemas.map((schema, position) => [schema, position]))
    const documents = schemas.map(({ file, schema, nodes }, position) => {
      this.work -= nodes.length
      return { label: String(position), path: file, schema, subschemas: [...nodes] }
    })
    const links = schemas.flatMap((schema, document) =>
      (this.referencesBy.get(schema) ?? []).flatMap(reference => {
        const outcome = this.outcome(reference, tool)
        if (outcome.is !== 'found' || !outcome.where.isSound) return []
        const { where, pointer } = outcome
        const target = { document: index.get(where) ?? -1, pointer, schema: outcome.schema }
        return [{ document, found: reference.found, target }]
      }),
    )
    return { documents, links, problems: [] }
  }

  private judge(
    find: typeof findEndless,
    is: GraphProblem['is'],
    schemas: readonly AgentSchema[],
    tool: Tool | undefined,
  ): void {
    const problem = find(this.linked(schemas, tool))
    const where = schemas[Number(problem?.document)]
    if (problem !== undefined && where !== undefined) {
      this.note(is, where, problem.pointer, problem.message, problem.fix)
    }
  }

  private note(
    is: GraphProblem['is'],
    where: AgentSchema,
    pointer: Pointer,
    message: string,
    fix: string,
  ): void {
    const place = JSON.stringify([is, where.file, where.at, pointer])
    if (!this.found.has(place)) this.found.set(place, { is, where, pointer, message, fix })
  }

  private isDynamic(schema: AgentSchema): boolean {
    return this.referencesBy.get(schema)?.some(({ found }) => found.keyword === '$dynamicRef') === true
  }

  /** For each schema, how many places in it are referred to and refer to others. */
  private countLinks(): void {
    const holders = new Set<JsonSchema>(referencesOf(this.agent).map(({ found }) => found.holder))
    const counted = new Set<JsonSchema>()
    let steps = MAX_WORK
    /** Whether a reference stands in `root`. When that takes too long, one does. */
    const refers = (root: JsonSchema): boolean => {
      const open = [root]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (holders.has(next) || --steps < 0) return true
        for (const child of inner(next)) open.push(child.schema)
      }
      return false
    }
    for (const { outcome } of referencesOf(this.agent)) {
      if (outcome.is !== 'found' || typeof outcome.schema === 'boolean' || counted.has(outcome.schema))
        continue
      counted.add(outcome.schema)
      if (refers(outcome.schema)) this.links.set(outcome.where, 1 + (this.links.get(outcome.where) ?? 0))
    }
  }
}
