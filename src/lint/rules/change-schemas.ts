// Writes changed schemas into their files. Every other byte of a file stays as it is.
import { changeValues } from '../../json/change.ts'
import type { Agent } from '../../model/agent.ts'
import type { Document, Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { applySplices, type Splice } from '../../text/splice.ts'
import type { FileFix } from './rule.ts'
import type { SchemaSpot } from './schema-inputs.ts'
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

/**
 * One fix for each file in which a part of a schema is written in another way.
 * @param edit gets the pointer from the root of the file; it returns undefined if there is nothing to change
 */
export function editedParts(
  { documents }: Agent,
  parts: readonly Omit<SchemaSpot, 'schema'>[],
  what: string,
  edit: (document: Document, pointer: Pointer) => Splice | undefined,
): FileFix[] {
  const splices = new Map<Document, Splice[]>()
  for (const { where, pointer } of parts) {
    const document = documents.get(where.file)
    const splice = document && edit(document, [...where.at, ...pointer])
    if (document === undefined || splice === undefined) continue
    const known = splices.get(document)
    if (known === undefined) splices.set(document, [splice])
    else known.push(splice)
  }
  return [...splices].flatMap(([document, of]) => {
    const text = applySplices(document.text, of)
    return text === undefined ? [] : { path: document.path, text, what }
  })
}
