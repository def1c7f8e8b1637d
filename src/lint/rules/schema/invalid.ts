import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { type Misplaced, type MisplacedMembers, misplacedOf, misplacedWords } from '../misplaced-members.ts'
import type { BundleRule } from '../rule.ts'
import { datesIn, placeIn } from '../schemas.ts'

export const schemaInvalid: BundleRule = {
  id: 'schema/invalid',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a schema is not JSON Schema 2020-12',
  why: 'A keyword with an invalid value is skipped by one validator, refused by the next and guessed at by a third: it is unknown which calls pass.',
  fix: 'Write the keyword as JSON Schema 2020-12 has it.',
  looks: 'schema',
  check({ agent, schema }, report) {
    // The settings alone are written in TOML, which has dates.
    if (schema.role === 'settings')
      for (const pointer of datesIn(agent))
        report({
          file: MANIFEST_FILE,
          place: { pointer },
          message: 'A JSON Schema holds a date, and JSON has no dates',
          fix: 'Write it as text, in quotes',
        })
    if (schema.shape.length === 0) return
    const misplaced = misplacedOf(schema)
    const said = new Set<Misplaced>()
    for (const { pointer, part, message, fix } of schema.shape) {
      const one = misplacedAt(pointer, misplaced)
      if (one === undefined)
        report({
          ...placeIn(schema, pointer, part),
          message,
          fix,
        })
      else if (!said.has(one.members)) {
        said.add(one.members)
        report({
          ...placeIn(schema, one.pointer, 'key'),
          ...misplacedWords(one.members),
        })
      }
    }
  },
}

/** The misplaced member that a broken value is in: to say where it belongs is more use than what is wrong with it there. */
function misplacedAt(pointer: Pointer, found: MisplacedMembers | undefined) {
  if (found === undefined) return undefined
  for (let length = 1; length <= pointer.length; length++) {
    const at = pointer.slice(0, length)
    const members = found.byMember.get(JSON.stringify(at))
    if (members !== undefined) return { pointer: at, members }
  }
  return undefined
}
