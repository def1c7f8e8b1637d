import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Document } from '../../../model/document.ts'
import { isTable } from '../../../model/own.ts'
import { rawTools } from '../agent-parts.ts'
import { once } from '../once.ts'
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
    const document = agent.documents.get(TOOLS_FILE)
    if (document === undefined || !mayHoldLong(document).is) return
    const range = document.locate(schema.at)
    if (range.end - range.start < LONG) return
    report({
      ...placeIn(schema, [], 'key'),
      message: `The schema has ${Math.round((range.end - range.start) / 1000)},000 characters`,
      fix: 'Move it into schemas/<id>.json, and write {"$ref": "schema:<id>"} here',
    })
  },
}

/** Characters. Of a thousand real tools none has half as many. */
const LONG = 50_000

/**
 * Whether a schema may be long, without its position. Each tool has the key `input_schema` outside of its schemas. If it is written as often
 * as there are tools, it is inside none of them, and each schema is between two of these keys.
 */
const mayHoldLong = once(({ text, value }: Document): { readonly is: boolean } => {
  // A key with such an escape may be spelled in another way.
  if (text.includes('\\u00')) return { is: true }
  let keys = 0
  for (const tool of isTable(value) && Array.isArray(value['tools']) ? rawTools(value) : [])
    if (isTable(tool) && Object.hasOwn(tool, 'input_schema')) keys++
    else return { is: true }
  let last = 0
  for (let at = text.indexOf(KEY); at !== -1; at = text.indexOf(KEY, at + KEY.length)) {
    if (at - last >= LONG) return { is: true }
    last = at
    keys--
  }
  return { is: keys !== 0 || text.length - last >= LONG }
})

const KEY = '"input_schema"'
