import type { JsonSchema } from '../../../model/tools.ts'
import { misplacedOf } from '../misplaced-members.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { isEmpty, placeIn } from '../schemas.ts'

export const schemaNotObject: Rule = {
  id: 'schema/not-object',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool takes something else than an object, or does not say what',
  why: 'Arguments have names: MCP and the model APIs know input schemas of the type object only, and {{input.<path>}} needs a name as well. Clients refuse a whole list of tools for one without a type.',
  fix: 'Write "type": "object", with the present value as one of its properties.',
  looks: 'schema',
  check({ agent, schema: written }, report) {
    const root = inputsOf(agent).roots.get(written)
    if (root === undefined) return
    const { where, pointer, schema } = root
    const type = typeOf(schema)
    if (type !== undefined) {
      report({
        ...placeIn(where, [...pointer, 'type']),
        message: `The input is ${type}: models and MCP clients can send objects only`,
        fix: 'Write "type": "object", and make the present value one of its properties',
      })
    } else if (isUntyped(schema) && !misplacedOf(where)?.byObject.has(JSON.stringify(pointer))) {
      report({
        ...placeIn(where, pointer, 'key'),
        message: 'The input schema has no type: MCP and the model APIs demand "type": "object"',
        fix: 'Add "type": "object" to it',
      })
    }
  },
}

/** A schema that says nothing at all is reported by another rule, and what a reference leads to is not known here. */
function isUntyped(schema: JsonSchema): boolean {
  if (typeof schema !== 'object' || Object.hasOwn(schema, 'type')) return false
  return !Object.hasOwn(schema, '$ref') && !isEmpty(schema)
}

/** Its type in words, if it is certainly not an object. */
function typeOf(schema: JsonSchema): string | undefined {
  const types = typeof schema === 'object' ? schema['type'] : undefined
  if (types === undefined || types === 'object' || [types].flat().includes('object')) return undefined
  const [type] = [types].flat()
  if (type === 'null') return 'null'
  return `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`
}
