import type { JsonSchema } from '../../../model/tools.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { placeIn } from '../schema-list.ts'
import { referencesInSteps } from '../schema-refs.ts'

export const schemaNotObject: Rule = {
  id: 'schema/not-object',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool takes something else than an object',
  why: 'Arguments have names: MCP and the model APIs know input schemas of the type object only, and {{input.<path>}} needs a name as well.',
  fix: 'Make it an object, with the present value as one of its properties.',
  *check(agent) {
    yield* referencesInSteps(agent)
    for (const { where, pointer, schema } of inputsOf(agent).roots) {
      yield
      const type = typeOf(schema)
      if (type === undefined) continue
      yield {
        ...placeIn(where, [...pointer, 'type']),
        message: `The input is ${type}: models and MCP clients can send objects only`,
        fix: 'Write "type": "object", and make the present value one of its properties',
      }
    }
  },
}

/** Its type in words, if it is certainly not an object. */
function typeOf(schema: JsonSchema): string | undefined {
  const types = typeof schema === 'object' ? schema['type'] : undefined
  if (types === undefined || [types].flat().includes('object')) return undefined
  const [type] = [types].flat()
  if (type === 'null') return 'null'
  return `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`
}
