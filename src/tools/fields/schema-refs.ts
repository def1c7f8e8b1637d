import type { SchemaRefs } from '../../model/tools.ts'
import type { ToolField } from './field.ts'

/** An export puts its schemas into those of input and result, so no format is told of it. */
export const schemaRefs = {
  at: ['schema_refs'],
  read: json => (json ?? {}) as SchemaRefs,
  write: value => (Object.keys(value).length > 0 ? value : undefined),
  flags: {},
} as const satisfies ToolField<SchemaRefs>
