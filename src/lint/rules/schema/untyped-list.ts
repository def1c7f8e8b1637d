import { isBareList } from '../../../openai/refused.ts'
import { inferredAt } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'
import { inputsOf } from '../schema-inputs.ts'
import { argumentOf, placeIn } from '../schemas.ts'

export const schemaUntypedList: Rule = {
  id: 'schema/untyped-list',
  severity: 'info',
  scope: 'source',
  summary: 'a list in a result that does not say what it holds',
  why: 'Any list fits, so its entries are not checked, and a reader of the result has to guess what they are. Lists in inputs have a rule of their own.',
  fix: 'Add "items" with the schema of one entry.',
  looks: 'schema',
  check({ agent, schema }, report) {
    if (!schema.isSound || schema.role === 'settings' || inputsOf(agent).schemas.has(schema)) return
    let isImported: boolean | undefined
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node !== 'object' || !isBareList(node)) continue
      // An imported schema is a copy of what the server says.
      isImported ??= inferredAt(agent, schema.file, schema.at).length > 0
      if (isImported) return
      report({
        ...placeIn(schema, pointer),
        message: `${argumentOf(schema, pointer)} is a list that does not say what it holds`,
        fix: 'Write "items" with the schema of one entry there; "items": {} takes any, as now',
        shared: { name: argumentOf(schema, pointer), words: 'lists do not say what they hold' },
      })
    }
  },
}
