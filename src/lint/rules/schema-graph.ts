// An agent's schemas together → where checking a value would never end, and what is too large for a validator.

import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { Problem } from '../../model/finding.ts'
import type { Tool } from '../../model/tools.ts'
import { findEndless } from '../../schema/cost.ts'
import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from '../../schema/link.ts'
import { once } from './once.ts'
import { referencesFrom, referencesOf } from './schema-refs.ts'
import { type Load, SchemaWeb } from './schema-web.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

export interface GraphProblems {
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
  const endless = new Map<AgentSchema, Words & { readonly pointer: Pointer }>()
  const large = new Map<AgentSchema, Words>()
  const roots = schemasOf(agent).filter(schema => schema.isSound && referencesFrom(agent, schema).length > 0)
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
