import type { SchemaObject } from '../../../format/schema/walk.ts'
import { applySplices } from '../../../format/text/splice.ts'
import type { Agent } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { atOnce, type Steps } from '../../../model/steps.ts'
import { addMember } from '../add-member.ts'
import { listText, quoteName } from '../list-text.ts'
import type { FileFix, Rule } from '../rule.ts'
import { type Inputs, inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'
import { type MisplacedMembers, misplacedInSteps } from '../schema-misplaced.ts'
import { referencesInSteps } from '../schema-refs.ts'
import type { AgentSchema } from '../schemas.ts'

export const schemaOpenObject: Rule = {
  id: 'schema/open-object',
  severity: 'info',
  scope: 'source',
  summary: 'an input takes keys that its schema does not name',
  why: 'A model that misspells an argument is not told so: the key is let through, and the tool runs without it (tool contract, resilience checklist).',
  fix: 'Write "additionalProperties": false into every object of the input schema.',
  *check(agent) {
    yield* referencesInSteps(agent)
    // A catalogue that leaves it out leaves it out everywhere.
    for (const [, [{ schema, open }, ...others]] of yield* openByFile(agent)) {
      yield
      const [first] = open
      const names = open.map(pointer => nameOf(pointer, schema))
      const verb = names.length === 1 ? 'lets' : 'let'
      const isAlone = names.length === 1 && others.length === 0
      const more = others.length === 0 ? '' : `; so do ${others.length} more schemas of this file`
      yield {
        ...placeIn(schema, first),
        message: `${capital(listText(names))} ${verb} keys through that the schema does not name${more}`,
        fix: `Write "additionalProperties": false ${isAlone ? 'there' : 'into each'}`,
      }
    }
  },
  *autofix(agent): Iterable<FileFix> {
    for (const [path, schemas] of atOnce(openByFile(agent))) {
      const document = agent.documents.get(path)
      if (document === undefined || !path.endsWith('.json')) continue
      const { text } = document
      const places = schemas.flatMap(({ schema, open }) => open.map(pointer => [...schema.at, ...pointer]))
      const splices = places.flatMap(pointer => addMember(text, document.locate(pointer), CLOSED) ?? [])
      const closed = applySplices(text, splices)
      if (closed !== undefined && splices.length > 0)
        yield { path, text: closed, what: 'close the objects of inputs with "additionalProperties": false' }
    }
  },
}

const CLOSED = '"additionalProperties": false'

/** A schema of an input, and the places in it whose objects are open; at least one. */
interface Open {
  readonly schema: AgentSchema
  readonly open: readonly [Pointer, ...Pointer[]]
}

function* openByFile(agent: Agent): Steps<Map<string, [Open, ...Open[]]>> {
  const inputs = inputsOf(agent)
  const roots = new Set<unknown>(inputs.roots.map(({ schema }) => schema))
  const found = new Map<string, [Open, ...Open[]]>()
  const misplaced = yield* misplacedInSteps(agent)
  for (const schema of inputs.schemas) {
    yield
    const [first, ...rest] = openIn(schema, roots, inputs, misplaced.get(schema))
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
  roots: ReadonlySet<unknown>,
  { isPart }: Inputs,
  misplaced: MisplacedMembers | undefined,
): Pointer[] {
  const open: Pointer[] = []
  for (const { pointer, schema } of nodes) {
    if (typeof schema === 'boolean' || !isObject(schema) || isPart(schema, pointer)) continue
    // Once closed, it would refuse every call that sends them.
    if (misplaced?.byObject.has(JSON.stringify(pointer))) continue
    // An object without named keys may be meant to take any; a tool's whole input is not.
    const isNaming = Object.keys(schema['properties'] ?? {}).length > 0 || roots.has(schema)
    if (isNaming && !hasAny(schema, CLOSING) && !hasAny(schema, FURTHER) && !hasBranches(schema))
      open.push(pointer)
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
