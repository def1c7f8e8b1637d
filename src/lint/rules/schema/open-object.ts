import type { SchemaObject } from '../../../format/schema/walk.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { atOnce, type Steps } from '../../../model/steps.ts'
import { addMember } from '../add-member.ts'
import { listText } from '../list-text.ts'
import { inferredAt } from '../raw-tools.ts'
import type { FileFix, Rule } from '../rule.ts'
import { type Inputs, inputsOf } from '../schema-inputs.ts'
import { placeIn, schemaOwner } from '../schema-list.ts'
import { type MisplacedMembers, misplacedOf } from '../schema-misplaced.ts'
import type { AgentSchema } from '../schemas.ts'

export const schemaOpenObject: Rule = {
  id: 'schema/open-object',
  severity: 'info',
  scope: 'source',
  summary: 'an input takes a call that misspells an optional argument',
  why: 'A model that misspells an argument is not told so: the key is let through, and the tool runs without it (tool contract, resilience checklist).',
  fix: 'Write "additionalProperties": false into every object of the input schema.',
  *check(agent) {
    for (const { schema, open } of [...(yield* openByFile(agent)).values()].flat()) {
      yield
      const [first] = open
      const names = listText(first.optional.map(name => quoteText(name, 40)))
      const owner = schemaOwner(schema)
      yield {
        ...placeIn(schema, first.pointer),
        message: `The schema of ${owner} accepts a call that misspells an optional argument, ${names}`,
        fix: `Write "additionalProperties": false ${open.length === 1 ? 'there' : 'into each object'}`,
        shared: {
          name: owner,
          words: 'tools have a schema that accepts a call with a misspelled optional argument',
          fix: 'Write "additionalProperties": false into each input; rlp agent lint --fix does it',
        },
      }
    }
  },
  autofix(agent) {
    const fixes: FileFix[] = []
    for (const [path, schemas] of atOnce(openByFile(agent))) {
      const document = agent.documents.get(path)
      if (document === undefined || !path.endsWith('.json')) continue
      const { text } = document
      const places = schemas.flatMap(({ schema, open }) => open.map(one => [...schema.at, ...one.pointer]))
      const splices = places.flatMap(pointer => addMember(text, document.locate(pointer), CLOSED) ?? [])
      const closed = applySplices(text, splices)
      if (closed !== undefined && splices.length > 0)
        fixes.push({
          path,
          text: closed,
          what: 'close the objects of inputs with "additionalProperties": false',
        })
    }
    return fixes
  },
}

const CLOSED = '"additionalProperties": false'

/** An object that takes further keys. */
interface OpenObject {
  readonly pointer: Pointer
  /** The keys that a call may leave out; at least one. A call that misspells a required one is refused, because that is missing. */
  readonly optional: readonly string[]
}

/** A schema of an input, and the open objects in it; at least one. */
interface Open {
  readonly schema: AgentSchema
  readonly open: readonly [OpenObject, ...OpenObject[]]
}

function* openByFile(agent: Agent): Steps<Map<string, Open[]>> {
  const inputs = inputsOf(agent)
  const found = new Map<string, Open[]>()
  const misplaced = misplacedOf(agent)
  for (const schema of inputs.schemas) {
    yield
    // Whether a server takes further keys is not known here: its list is not corrected by closing a copy of it.
    if (inferredAt(agent, schema.file, schema.at).length > 0) continue
    const [first, ...rest] = openIn(schema, inputs, misplaced.get(schema))
    if (first === undefined) continue
    const one: Open = { schema, open: [first, ...rest] }
    const known = found.get(schema.file)
    if (known === undefined) found.set(schema.file, [one])
    else known.push(one)
  }
  return found
}

/** Keywords about keys that an object does not name, and keywords that may name further ones. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames']
const FURTHER = ['$ref', 'allOf', 'if', 'dependentSchemas']

function openIn(
  { nodes }: AgentSchema,
  { isPart }: Inputs,
  misplaced: MisplacedMembers | undefined,
): OpenObject[] {
  const open: OpenObject[] = []
  for (const { pointer, schema } of nodes) {
    if (typeof schema === 'boolean' || !isObject(schema) || isPart(schema, pointer)) continue
    // Once closed, it would refuse every call that sends them.
    if (misplaced?.byObject.has(JSON.stringify(pointer))) continue
    if (hasAny(schema, CLOSING) || hasAny(schema, FURTHER) || hasBranches(schema)) continue
    const required = new Set<unknown>([schema['required']].flat())
    const optional = Object.keys(schema['properties'] ?? {}).filter(name => !required.has(name))
    if (optional.length > 0) open.push({ pointer, optional })
  }
  return open
}

function isObject({ type, properties }: SchemaObject): boolean {
  if (type === undefined) return properties !== undefined
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

function hasAny(schema: SchemaObject, keywords: readonly string[]): boolean {
  return keywords.some(keyword => Object.hasOwn(schema, keyword))
}

/** Whether a branch names further keys; a branch with only `required` does not. */
function hasBranches({ anyOf, oneOf }: SchemaObject): boolean {
  const branches = [anyOf, oneOf].flatMap(list => (Array.isArray(list) ? list : []))
  return branches.some(
    branch => typeof branch !== 'object' || Object.keys(branch ?? {}).some(key => key !== 'required'),
  )
}
