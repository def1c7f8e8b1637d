// The targets of `schema:<id>` and relative paths inside a bundle. Nothing is ever fetched.
import { TOOLS_FILE } from '../../model/agent.ts'
import { own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
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
 * An id is looked up in the tool's own `schema_refs`, then in `schemas/`; any other id names an entry of the runtime's registry.
 * @param schemaRefs of the tool whose schema is resolved; `{}` for a schema without a tool
 * @param fileAt the parsed JSON file of the bundle at a path; undefined if there is none
 */
export function resolverIn(
  schemaRefs: Readonly<Record<string, JsonSchema>>,
  fileAt: (path: string) => unknown,
): ResolveRef {
  return ref => {
    if (ref.kind === 'registry' && Object.hasOwn(schemaRefs, ref.id)) {
      return { schema: own(schemaRefs, ref.id), path: TOOLS_FILE }
    }
    const path = ref.kind === 'file' ? ref.path : schemaFileOf(ref.id)
    const schema = isSchemaFile(path) ? fileAt(path) : undefined
    return schema === undefined ? undefined : { schema, path }
  }
}
