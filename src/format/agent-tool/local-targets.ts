// A subschema → the target of its reference within the same document. Other documents are not known here.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { followRef } from '../schema/reference.ts'
import { isSchemaObject, type SchemaObject, type Subschema } from '../schema/walk.ts'

export function* localTargets({ schema, pointer }: Subschema, root: unknown): Generator<SchemaObject> {
  const ref = typeof schema === 'boolean' ? undefined : schema['$ref']
  if (typeof ref !== 'string' || !ref.startsWith('#')) return
  const target = followRef(ref, { schema: documentAt(root, pointer) }, '', () => undefined)
  if (target.is === 'found' && isSchemaObject(target.schema)) yield target.schema
}

/** The schema with an `$id` around a place: several documents may be joined in one. */
function documentAt(root: unknown, pointer: Pointer): unknown {
  let at = root
  let document = root
  for (const step of pointer) {
    at = own(at as SchemaObject, step)
    if (isSchemaObject(at) && typeof at['$id'] === 'string') document = at
  }
  return document
}
