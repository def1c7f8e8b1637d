// An agent's schemas together → where checking a value would never end, and what is too large for a validator.
import { findEndless } from '../../format/schema/cost.ts'
import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../../format/schema/link.ts'
import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Tool } from '../../model/tools.ts'
import { type Load, SchemaWeb } from './schema-web.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

export interface GraphProblem {
  readonly is: 'endless' | 'large'
  readonly where: AgentSchema
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

/**
 * Levels from one reference to the next, within one schema's reach. A validator's compiler recurses through all of them, and its stack
 * overflows at some 260.
 */
export const MAX_LEVELS = 200

const KNOWN = new WeakMap<Agent, readonly GraphProblem[]>()

/** Only sound schemas are checked: all others have findings of their own. */
export function graphProblemsOf(agent: Agent): readonly GraphProblem[] {
  const known = KNOWN.get(agent) ?? findProblems(agent)
  KNOWN.set(agent, known)
  return known
}

function findProblems(agent: Agent): readonly GraphProblem[] {
  const web = new SchemaWeb(agent)
  const found = new Map<string, GraphProblem>()
  /** Known members of a circle: the schemas that lead to it need no finding of their own. */
  const endless = new Set<AgentSchema>()
  const note = (problem: GraphProblem): void => {
    const { is, where, pointer } = problem
    const place = JSON.stringify([is, where.file, where.at, pointer])
    if (!found.has(place)) found.set(place, problem)
    if (is === 'endless') endless.add(where)
  }
  const judge = (schemas: readonly AgentSchema[], tool: Tool | undefined): boolean => {
    const problem = findEndless(web.linked(schemas, tool))
    const where = schemas[Number(problem?.document)]
    if (problem === undefined || where === undefined) return true
    const { pointer, message, fix } = problem
    note({ is: 'endless', where, pointer, message, fix })
    return false
  }
  const roots = schemasOf(agent).filter(schema => schema.isSound && web.referencesIn(schema).length > 0)
  // If no tool has ids of its own, all schemas are one graph: a file is checked once, however many refer to it.
  const isFineTogether = judge(roots, undefined)
  for (const where of roots) {
    const { schemas, load, isSpecial } = web.reach(where, load => excessOf(load, web) !== undefined)
    const excess = excessOf(load, web)
    if (excess !== undefined) {
      note({ is: 'large', where, pointer: [], ...excess })
      continue
    }
    const isTold = schemas.some(schema => endless.has(schema))
    if ((!isFineTogether || isSpecial) && !isTold) judge(schemas, where.tool)
  }
  return [...found.values()]
}

function excessOf(
  { weight, values, levels }: Load,
  web: SchemaWeb,
): { message: string; fix: string } | undefined {
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
