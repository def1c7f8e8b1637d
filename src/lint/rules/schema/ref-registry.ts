import { schemaFileOf } from '../../../format/schema/reference.ts'
import { quoteText } from '../../../format/text/quote.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { referencesOf } from '../schema-refs.ts'

export const schemaRefRegistry: Rule = {
  id: 'schema/ref-registry',
  severity: 'warning',
  scope: 'source',
  summary: 'a schema: id that is not in the bundle',
  why: 'It names an entry of the runtime’s registry. That can be right, but no digest covers the entry, and lint could not look into it.',
  fix: 'Pack the schema as schemas/<id>.json, or put it into the tool’s schema_refs.',
  *check(agent) {
    const entries = new Set((agent.tools?.tools ?? []).flatMap(tool => Object.keys(tool.schemaRefs)))
    const said = new Set<string>()
    for (const { from, found, outcome } of referencesOf(agent)) {
      yield
      if (outcome.is !== 'registry') continue
      const { id } = outcome
      // In a file an id has the meaning of the tool that refers to the file.
      if (from.tool === undefined && entries.has(id)) continue
      const once = JSON.stringify([from.at, from.file, id])
      if (said.has(once)) continue
      said.add(once)
      const isOwn = Object.hasOwn(from.tool?.schemaRefs ?? {}, id)
      const path = quoteText(schemaFileOf(id), 100)
      yield {
        ...placeIn(from, found.pointer),
        message: `${quoteText(`schema:${id}`, 100)} is not in the bundle: only the runtime’s registry can have it`,
        fix: entries.has(id)
          ? `Pack it as ${path}; ${isOwn ? 'an alias is followed once' : 'the schema_refs of another tool are not looked into'}`
          : `Pack it as ${path}, or keep it if the runtime has it`,
      }
    }
  },
}
