import { schemaFileOf } from '../../../schema/reference.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'
import { referencesFrom, shelfOf } from '../schema-refs.ts'
import { placeIn } from '../schemas.ts'

export const schemaRefRegistry: Rule = {
  id: 'schema/ref-registry',
  severity: 'warning',
  scope: 'source',
  summary: 'a schema: id that is not in the bundle',
  why: 'It names an entry of the runtime’s registry. That can be right, but no digest covers the entry, and lint could not look into it.',
  fix: 'Pack the schema as schemas/<id>.json, or put it into the tool’s schema_refs.',
  looks: 'schema',
  check({ agent, schema }, report) {
    let said: Set<string> | undefined
    for (const { found, outcome } of referencesFrom(agent, schema)) {
      if (outcome.is !== 'registry' || said?.has(outcome.id)) continue
      const { id } = outcome
      const { ids } = shelfOf(agent)
      // In a file an id has the meaning of the tool that refers to the file.
      if (schema.tool === undefined && ids.has(id)) continue
      said ??= new Set()
      said.add(id)
      const isOwn = Object.hasOwn(schema.tool?.schemaRefs ?? {}, id)
      const path = quoteText(schemaFileOf(id), 100)
      report({
        ...placeIn(schema, found.pointer),
        message: `${quoteText(`schema:${id}`, 100)} is not in the bundle: only the runtime’s registry can have it`,
        fix: ids.has(id)
          ? `Pack it as ${path}; ${isOwn ? 'an alias is followed once' : 'the schema_refs of another tool are not looked into'}`
          : `Pack it as ${path}, or keep it if the runtime has it`,
      })
    }
  },
}
