// A subschema → the targets of its references within the same document. Other documents are not known here.
import { classifyRef, resolveLocal } from '../schema/ref.ts'
import { isSchemaObject, type SchemaObject, type Subschema } from '../schema/walk.ts'

export function* localTargets({ schema, resource }: Subschema): Generator<SchemaObject> {
  if (typeof schema === 'boolean') return
  for (const ref of [schema['$ref'], schema['$dynamicRef']]) {
    const found = typeof ref === 'string' ? classifyRef(ref) : undefined
    const target = found?.kind === 'local' ? resolveLocal(resource, found.fragment)?.schema : undefined
    if (isSchemaObject(target)) yield target
  }
}
