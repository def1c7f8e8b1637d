import { inferredAt } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'
import { type AgentSchema, isEmpty, placeIn } from '../schemas.ts'

export const schemaEmpty: Rule = {
  id: 'schema/empty',
  severity: 'warning',
  scope: 'source',
  summary: 'a schema that says nothing',
  why: 'Everything fits it, so nothing is checked: a model is not told what to send, and a wrong call is found out by the tool.',
  fix: 'Describe the values; for a tool without input write an object without properties.',
  looks: 'schema',
  check({ agent, schema }, report) {
    const words = WORDS[schema.role]
    if (!schema.isSound || words === undefined || !isEmpty(schema.schema)) return
    // An import writes it for a tool whose file does not say what it answers.
    if (schema.role === 'result' && inferredAt(agent, schema.file, schema.at).includes('result_schema'))
      return
    report({
      ...placeIn(schema, []),
      ...words,
    })
  },
}

const NO_INPUT =
  'Describe the arguments; if there are none write {"type": "object", "additionalProperties": false}'
const WORDS: Readonly<Partial<Record<AgentSchema['role'], { message: string; fix: string }>>> = {
  input: {
    message: 'The input schema is empty: a call may send anything, and MCP demands "type": "object"',
    fix: NO_INPUT,
  },
  result: {
    message: 'The result schema is empty: the answer may be anything',
    fix: 'Describe what the tool answers',
  },
  entry: { message: 'The schema is empty: everything fits', fix: 'Describe the values, or remove it' },
  file: { message: 'The schema is empty: everything fits', fix: 'Describe the values, or remove the file' },
}
