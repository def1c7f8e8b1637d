import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasOf } from '../schemas.ts'

export const schemaLongInline: Rule = {
  id: 'schema/long-inline',
  severity: 'info',
  scope: 'source',
  summary: 'a long schema inside tools.json',
  why: 'A reviewer who reads what the tools may do scrolls past it, and in a comparison of two versions a change of the tool is lost among the lines of the schema.',
  fix: 'Move it into schemas/<id>.json, and write {"$ref": "schema:<id>"}.',
  *check(agent) {
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined) return
    for (const schema of schemasOf(agent)) {
      if (schema.file !== TOOLS_FILE) continue
      const { start, end } = document.locate(schema.at)
      if (end - start < LONG) continue
      yield {
        ...placeIn(schema, [], 'key'),
        message: `The schema has ${Math.round((end - start) / 1000)},000 characters`,
        fix: 'Move it into schemas/<id>.json, and write {"$ref": "schema:<id>"} here',
      }
    }
  },
}

/** Characters. Of a thousand real tools none has half as many. */
const LONG = 50_000
