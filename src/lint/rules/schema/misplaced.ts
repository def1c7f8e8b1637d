import type { SharedWords } from '../../../model/finding.ts'
import type { JsonSchema } from '../../../model/tools.ts'
import { changedSchemas } from '../change-schemas.ts'
import {
  isRoot,
  type Misplaced,
  memberPlaces,
  misplacedOf,
  misplacedWords,
  putRight,
} from '../misplaced-members.ts'
import type { Rule } from '../rule.ts'
import { type AgentSchema, placeIn, schemaOwner, schemasOf } from '../schemas.ts'

export const schemaMisplaced: Rule = {
  id: 'schema/misplaced',
  severity: 'warning',
  scope: 'source',
  summary: 'an argument beside properties, or a keyword inside it',
  why: 'JSON Schema passes over members that it does not know: no model is told of such an argument and no call is checked, and once the object is closed, every call that sends it is refused.',
  fix: 'Put arguments into properties, and keywords beside it.',
  looks: 'schema',
  check({ schema }, report) {
    const misplaced = misplacedOf(schema)
    if (misplaced === undefined) return
    const broken = brokenIn(schema)
    for (const one of misplaced.byObject.values()) {
      const members = memberPlaces(one)
      const [first] = members
      // What is no JSON Schema either is an error of another rule, in the same words.
      if (first === undefined || members.some(pointer => broken.has(JSON.stringify(pointer)))) continue
      report({
        ...placeIn(schema, first, 'key'),
        ...misplacedWords(one),
        shared: sharedWords(schema, one),
      })
    }
  },
  autofix(agent) {
    const schemas = schemasOf(agent).filter(schema => misplacedOf(schema) !== undefined)
    return changedSchemas(agent, schemas, 'put arguments into properties, and keywords beside it', schema =>
      putRight(schema.schema as JsonSchema, isRoot(schema)),
    )
  },
}

/** Arguments and keywords are fixed in opposite directions, so they are told apart. */
function sharedWords(schema: AgentSchema, { beside, inside }: Misplaced): SharedWords {
  const name = schemaOwner(schema)
  if (inside.length === 0)
    return {
      name,
      words: 'schemas have members that look like arguments, but are not in properties',
      fix: 'Put them into properties',
    }
  if (beside.length === 0)
    return {
      name,
      words: 'schemas have keywords in properties, where they are read as arguments',
      fix: 'Move them one level up, beside properties',
    }
  return {
    name,
    words: 'schemas have arguments beside properties, and keywords in it',
    fix: 'Put the arguments into properties, and the keywords beside it',
  }
}

/** The places where it breaks the meta-schema, with all places on the way. */
function brokenIn({ shape }: AgentSchema): ReadonlySet<string> {
  const places = new Set<string>()
  for (const { pointer } of shape)
    for (let length = 1; length <= pointer.length; length++)
      places.add(JSON.stringify(pointer.slice(0, length)))
  return places
}
