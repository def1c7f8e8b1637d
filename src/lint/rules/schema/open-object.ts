import type { SchemaObject } from '../../../format/schema/walk.ts'
import type { Pointer } from '../../../model/document.ts'
import { listText, quoteName } from '../list-text.ts'
import type { Rule } from '../rule.ts'
import { type Inputs, inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'
import { referencesInSteps } from '../schema-refs.ts'
import type { AgentSchema } from '../schemas.ts'

export const schemaOpenObject: Rule = {
  id: 'schema/open-object',
  severity: 'warning',
  scope: 'source',
  summary: 'an input takes keys that its schema does not name',
  why: 'A model that misspells an argument is not told so: the key is let through, and the tool runs without it (tool contract, resilience checklist).',
  fix: 'Write "additionalProperties": false into every object of the input schema.',
  *check(agent) {
    yield* referencesInSteps(agent)
    const inputs = inputsOf(agent)
    const roots = new Set<unknown>(inputs.roots.map(({ schema }) => schema))
    for (const schema of inputs.schemas) {
      yield
      const open = openIn(schema, roots, inputs)
      const [first] = open
      if (first === undefined) continue
      const names = open.map(pointer => nameOf(pointer, schema))
      const verb = names.length === 1 ? 'lets' : 'let'
      yield {
        ...placeIn(schema, first),
        message: `${capital(listText(names))} ${verb} keys through that the schema does not name`,
        fix: `Write "additionalProperties": false ${names.length === 1 ? 'there' : 'into each'}`,
      }
    }
  },
}

/** Keywords about keys that an object does not name, and keywords that may name further ones. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'propertyNames']
const FURTHER = ['$ref', '$dynamicRef', 'allOf', 'if', 'dependentSchemas']

function openIn({ nodes }: AgentSchema, roots: ReadonlySet<unknown>, { isPart }: Inputs): Pointer[] {
  const open: Pointer[] = []
  for (const { pointer, schema } of nodes) {
    if (typeof schema === 'boolean' || !isObject(schema) || isPart(schema, pointer)) continue
    // An object without named keys may be meant to take any; a tool's whole input is not.
    const isNaming = Object.keys(schema['properties'] ?? {}).length > 0 || roots.has(schema)
    if (isNaming && !hasAny(schema, CLOSING) && !hasAny(schema, FURTHER) && !hasBranches(schema)) {
      open.push(pointer)
    }
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

function capital(words: string): string {
  return words.replace(/^the /, 'The ')
}

function nameOf(pointer: Pointer, { role, file }: AgentSchema): string {
  if (pointer.length === 0) return role === 'input' ? 'the input' : file
  const name = pointer.findLast(
    (step, index) => pointer[index - 1] === 'properties' && typeof step === 'string',
  )
  return quoteName(String(name ?? pointer.at(-1)))
}
