// The targets of `schema:<id>` and relative paths inside a bundle. Nothing is ever fetched.
import { TOOLS_FILE } from '../../model/agent.ts'
import { own } from '../../model/own.ts'
import type { JsonSchema, SchemaRefs } from '../../model/tools.ts'
import type { ResolveRef } from './link.ts'

/** Whether a file of the bundle is read as a JSON Schema. */
export function isSchemaFile(path: string): boolean {
  return /^schemas\/.*\.json$/.test(path)
}

/** The file of a schema id, if there is one. */
export function schemaFileOf(id: string): string {
  return `schemas/${id}.json`
}

/**
 * What `schema:<id>` means in a tool: a schema of the tool's own, or an id. An alias is followed once, so that a tool may also call an id
 * by its own name.
 */
export function meaningOf(
  schemaRefs: SchemaRefs,
  id: string,
): { readonly schema: JsonSchema } | { id: string } {
  const meant = own(schemaRefs, id) ?? id
  return typeof meant === 'string' ? { id: meant.replace(/^schema:/, '') } : { schema: meant }
}

/**
 * An id is looked up in the tool's own `schema_refs`, then in `schemas/`; any other id names an entry of the runtime's registry.
 * @param schemaRefs of the tool whose schema is resolved; `{}` for a schema without a tool
 * @param fileAt the parsed JSON file of the bundle at a path; undefined if there is none
 */
export function resolverIn(schemaRefs: SchemaRefs, fileAt: (path: string) => unknown): ResolveRef {
  return ref => {
    const meaning = ref.kind === 'registry' ? meaningOf(schemaRefs, ref.id) : ref
    if ('schema' in meaning) return { schema: meaning.schema, path: TOOLS_FILE }
    const path = 'path' in meaning ? meaning.path : schemaFileOf(meaning.id)
    const schema = isSchemaFile(path) ? fileAt(path) : undefined
    return schema === undefined ? undefined : { schema, path }
  }
}
