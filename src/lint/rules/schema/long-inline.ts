import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaLongInline: Rule = {
  id: 'schema/long-inline',
  severity: 'info',
  scope: 'source',
  summary: 'a long schema inside tools.json',
  why: 'A reviewer who reads what the tools may do scrolls past it, and in a comparison of two versions a change of the tool is lost among the lines of the schema.',
  fix: 'Move it into schemas/<id>.json, and write {"$ref": "schema:<id>"}.',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (schema.file !== TOOLS_FILE) return
    const range = agent.documents.get(TOOLS_FILE)?.locate(schema.at)
    if (range === undefined || range.end - range.start < LONG) return
    report({
      ...placeIn(schema, [], 'key'),
      message: `The schema has ${Math.round((range.end - range.start) / 1000)},000 characters`,
      fix: 'Move it into schemas/<id>.json, and write {"$ref": "schema:<id>"} here',
    })
  },
}

/** Characters. Of a thousand real tools none has half as many. */
const LONG = 50_000
