import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { quoteText } from '../../../text/quote.ts'
import { listText } from '../../message-words.ts'
import { inferredAt } from '../agent-parts.ts'
import { addMember, editedParts } from '../change-schemas.ts'
import { misplacedOf } from '../misplaced-members.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { type AgentSchema, placeIn, schemaOwner } from '../schemas.ts'

export const schemaOpenObject: Rule = {
  id: 'schema/open-object',
  severity: 'info',
  scope: 'source',
  summary: 'an input takes a call that misspells an optional argument',
  why: 'A model that misspells an argument is not told so: the key is let through, and the tool runs without it (tool contract, resilience checklist).',
  fix: 'Write "additionalProperties": false into every object of the input schema.',
  looks: 'schema',
  check({ agent, schema }, report) {
    const open = openIn(agent, schema)
    const [first] = open
    if (first === undefined) return
    const names = listText(first.optional.map(name => quoteText(name, 40)))
    const owner = schemaOwner(schema)
    report({
      ...placeIn(schema, first.pointer),
      message: `The schema of ${owner} accepts a call that misspells an optional argument, ${names}`,
      fix: `Write "additionalProperties": false ${open.length === 1 ? 'there' : 'into each object'}`,
      shared: {
        name: owner,
        words: 'tools have a schema that accepts a call with a misspelled optional argument',
        fix: 'Write "additionalProperties": false into each input; rlp agent lint --fix does it',
      },
    })
  },
  autofix(agent) {
    const parts = [...inputsOf(agent).schemas].flatMap(where =>
      openIn(agent, where).map(({ pointer }) => ({ where, pointer })),
    )
    return editedParts(
      agent,
      parts,
      'close the objects of inputs with "additionalProperties": false',
      (document, pointer) => addMember(document, pointer, CLOSED),
    )
  },
}

const CLOSED = '"additionalProperties": false'

/** An object that takes further keys. */
interface OpenObject {
  readonly pointer: Pointer
  /** The keys that a call may leave out; at least one. A call that misspells a required one is refused, because that is missing. */
  readonly optional: readonly string[]
}

/** Keywords about keys that an object does not name, and keywords that may name further ones. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames']
const FURTHER = ['$ref', 'allOf', 'if', 'dependentSchemas']

function openIn(agent: Agent, schema: AgentSchema): readonly OpenObject[] {
  const { schemas, isPart } = inputsOf(agent)
  if (!schemas.has(schema)) return []
  const open: OpenObject[] = []
  for (const { pointer, schema: node } of schema.nodes) {
    if (typeof node === 'boolean' || !isObject(node) || isPart(node, pointer)) continue
    if (hasAny(node, CLOSING) || hasAny(node, FURTHER) || hasBranches(node)) continue
    // Once closed, it would refuse every call that sends them.
    if (misplacedOf(schema)?.byObject.has(JSON.stringify(pointer))) continue
    const required = new Set<unknown>([node['required']].flat())
    const optional = Object.keys(node['properties'] ?? {}).filter(name => !required.has(name))
    if (optional.length > 0) open.push({ pointer, optional })
  }
  // Whether a server takes further keys is not known here: its list is not corrected by closing a copy of it.
  return open.length > 0 && inferredAt(agent, schema.file, schema.at).length > 0 ? [] : open
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
