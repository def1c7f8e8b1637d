import { dialectOf, LATEST } from '../../../schema/dialect.ts'
import { editedParts } from '../change-schemas.ts'
import type { Rule } from '../rule.ts'
import { type AgentSchema, placeIn, schemasOf } from '../schemas.ts'

export const schemaOldDialect: Rule = {
  id: 'schema/old-dialect',
  severity: 'info',
  isOptIn: true,
  scope: 'source',
  summary: 'a schema names an older dialect than the one it is read in',
  why: 'It is read as JSON Schema 2020-12 anyway. Nothing in it has another meaning there, but the next keyword may.',
  fix: 'Name 2020-12, or nothing.',
  looks: 'schema',
  check({ schema }, report) {
    if (!isOld(schema)) return
    report({
      ...placeIn(schema, AT),
      message: `The schema says that it is ${dialectOf(schema.schema)}; it is read as 2020-12, which means the same here`,
      fix: `Write "${LATEST}", or remove "$schema"`,
    })
  },
  autofix(agent) {
    const parts = schemasOf(agent)
      .filter(isOld)
      .map(where => ({ where, pointer: AT }))
    return editedParts(agent, parts, 'name the dialect that schemas are read in', (document, pointer) => ({
      range: document.locate(pointer),
      text: JSON.stringify(LATEST),
    }))
  },
}

/** Where a schema names its dialect. */
const AT = ['$schema']

function isOld({ isSound, schema }: AgentSchema): boolean {
  return isSound && dialectOf(schema) !== '2020-12'
}
