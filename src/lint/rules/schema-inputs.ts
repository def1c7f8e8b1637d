// The part of an agent's schemas that models see: the input objects of its tools, and all schemas behind them.

import type { Agent } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { isSilent } from '../../schema/keywords.ts'
import type { SchemaObject } from '../../schema/walk.ts'
import { once } from './once.ts'
import { referencesOf, type SchemaReference } from './schema-refs.ts'
import { type AgentSchema, schemasOf } from './schemas.ts'

/** A schema and its position. */
export interface SchemaSpot {
  readonly where: AgentSchema
  readonly pointer: Pointer
  readonly schema: JsonSchema
}

export interface Inputs {
  /** The resolved input schema of each tool, by the schema that is written there; of tools that share one the first tool has it. */
  readonly roots: Pick<ReadonlyMap<AgentSchema, SchemaSpot>, 'get'>
  /** Every sound schema behind an input schema, itself included. */
  readonly schemas: Pick<ReadonlySet<AgentSchema>, 'has'> & Iterable<AgentSchema>
  /** The schema behind a chain of references; undefined if it is not in the bundle. */
  follow(spot: SchemaSpot): SchemaSpot | undefined
  /** Whether a schema is only one of several that check a value, as in `allOf` or behind a reference from there. */
  isPart(schema: SchemaObject, pointer: Pointer): boolean
}

/** Longer chains of references are reported by a rule. */
const MOST_HOPS = 32

export const inputsOf: (agent: Agent) => Inputs = once(findInputs)

function findInputs(agent: Agent): Inputs {
  return referencesOf(agent).length === 0 ? inputsAlone(agent) : inputsBehind(agent)
}

function isInput({ role, isSound }: AgentSchema): boolean {
  return role === 'input' && isSound
}

/** Without references each input is all that its tool takes, and nothing has to be looked up. */
function inputsAlone(agent: Agent): Inputs {
  return {
    roots: {
      get: where =>
        isInput(where) ? { where, pointer: ROOT, schema: where.schema as JsonSchema } : undefined,
    },
    schemas: {
      has: isInput,
      *[Symbol.iterator]() {
        for (const schema of schemasOf(agent)) if (isInput(schema)) yield schema
      },
    },
    follow: spot => spot,
    isPart: (_, pointer) => isCombined(pointer),
  }
}

const ROOT: Pointer = []

function inputsBehind(agent: Agent): Inputs {
  const byHolder = new Map<SchemaObject, SchemaReference>()
  const from = new Map<AgentSchema, Set<AgentSchema>>()
  const parts = new Set<JsonSchema>()
  for (const reference of referencesOf(agent)) {
    const { found, outcome } = reference
    byHolder.set(found.holder, reference)
    if (outcome.is !== 'found') continue
    from.set(reference.from, (from.get(reference.from) ?? new Set()).add(outcome.where))
    const isAlone = Object.keys(found.holder).every(key => key === '$ref' || isSilent(key))
    if (!isAlone || isCombined(found.pointer.slice(0, -1))) parts.add(outcome.schema)
  }
  const follow = (start: SchemaSpot): SchemaSpot | undefined => {
    let spot = start
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      const outcome = typeof spot.schema === 'object' ? byHolder.get(spot.schema)?.outcome : undefined
      if (outcome === undefined || has(spot.schema, 'properties')) return spot
      if (outcome.is !== 'found' || !outcome.where.isSound) return undefined
      spot = outcome
    }
    return undefined
  }
  const inputs = schemasOf(agent).filter(isInput)
  const schemas = new Set(inputs)
  // The loop also visits schemas that it adds.
  for (const schema of schemas) {
    for (const next of from.get(schema) ?? []) if (next.isSound) schemas.add(next)
  }
  const roots = new Map<AgentSchema, SchemaSpot>()
  const shared = new Set<JsonSchema>()
  for (const where of inputs) {
    const spot = follow({ where, pointer: [], schema: where.schema as JsonSchema })
    if (spot === undefined || shared.has(spot.schema)) continue
    if (typeof spot.schema !== 'boolean') shared.add(spot.schema)
    roots.set(where, spot)
  }
  const isPart = (schema: SchemaObject, pointer: Pointer) => parts.has(schema) || isCombined(pointer)
  return { roots, schemas, follow, isPart }
}

const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

function isCombined(pointer: Pointer): boolean {
  const [above, last] = pointer.slice(-2)
  if (typeof last === 'number') return above === 'allOf' || above === 'anyOf' || above === 'oneOf'
  if (above === 'dependentSchemas') return true
  const keyword = last ?? above
  return ['not', 'if', 'then', 'else'].includes(String(keyword)) && !NAMED.includes(String(above))
}

function has(schema: JsonSchema, keyword: string): boolean {
  return typeof schema === 'object' && Object.hasOwn(schema, keyword)
}
