// The JSON Schemas of an agent, each with its position and the results of one walk through it, which all rules share.
import { checkJsonSchema } from '../../format/schema/check.ts'
import { type DialectProblem, outsideDialect } from '../../format/schema/dialect.ts'
import { type Extent, extentInSteps } from '../../format/schema/extent.ts'
import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS, weightOf } from '../../format/schema/link.ts'
import { type Subschema, walkSchemas } from '../../format/schema/walk.ts'
import type { Agent } from '../../model/agent.ts'
import type { ShapeProblem } from '../../model/document.ts'
import { atOnce, type Steps } from '../../model/steps.ts'
import { type ListedSchema, listSchemas } from './schema-list.ts'

export interface AgentSchema extends ListedSchema {
  /** `beyond`: the schemas before this one are so large together that it was not read. */
  readonly size: 'fits' | 'large' | 'beyond'
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
}

/**
 * The most values in all schemas of an agent together: further ones are refused unread. A thousand real tools have some fifty thousand.
 */
export const MAX_AGENT_VALUES = 1_000_000

const SEEN = new WeakMap<Agent, readonly AgentSchema[]>()

/** In the order of tools, then files, then settings. */
export function schemasOf(agent: Agent): readonly AgentSchema[] {
  return atOnce(schemasInSteps(agent))
}

/** The same, cut after each schema. */
export function* schemasInSteps(agent: Agent): Steps<readonly AgentSchema[]> {
  const known = SEEN.get(agent)
  if (known !== undefined) return known
  const schemas: AgentSchema[] = []
  let room = MAX_AGENT_VALUES
  for (const listed of listSchemas(agent)) {
    const size = yield* extentInSteps(listed.schema)
    room -= 1 + size.values
    schemas.push(yield* look(listed, size, room < 0))
    yield
  }
  SEEN.set(agent, schemas)
  return schemas
}

const UNSEEN = { weight: 0, nodes: [], shape: [], foreign: [], isSound: false } as const

function* look(listed: ListedSchema, { values, depth }: Extent, isBeyond: boolean): Steps<AgentSchema> {
  const { file, at, role, tool, schema } = listed
  if (isBeyond) return { ...listed, ...UNSEEN, size: 'beyond', values }
  if (values > MAX_SCHEMA_VALUES) return { ...listed, ...UNSEEN, size: 'large', values }
  const nodes: Subschema[] = []
  let weight = 0
  for (const node of walkSchemas(schema)) {
    nodes.push(node)
    weight += weightOf(node.schema)
    if (weight > MAX_SUBSCHEMAS) return { ...listed, ...UNSEEN, size: 'large', values }
  }
  yield
  const foreign = outsideDialect(nodes)
  yield
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
