// Writes changed schemas into their files. Every other byte of a file stays as it is.
import { changeValues } from '../../format/json/change.ts'
import type { Agent } from '../../model/agent.ts'
import type { JsonSchema } from '../../model/tools.ts'
import type { FileFix } from './rule.ts'
import type { AgentSchema } from './schemas.ts'

/**
 * One fix for each JSON file in which a schema changes.
 * @param make returns the schema itself if there is nothing to change
 */
export function changedSchemas(
  agent: Agent,
  schemas: readonly AgentSchema[],
  what: string,
  make: (schema: AgentSchema) => JsonSchema,
): FileFix[] {
  const fixes: FileFix[] = []
  for (const [path, document] of agent.documents) {
    if (document.syntax !== 'json') continue
    const changes = schemas
      .filter(({ file }) => file === path)
      .map(schema => ({ pointer: schema.at, before: schema.schema, value: make(schema) }))
      .filter(({ before, value }) => value !== before)
    if (changes.length > 0) fixes.push({ path, text: changeValues(document, changes), what })
  }
  return fixes
}
