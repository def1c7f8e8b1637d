// A place in a document → whether ajv finds it by its pointer.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { isSchemaObject, walkSchemas } from './walk.ts'

/** Below these ajv knows that "$id" is the name of a schema and not a keyword. */
const NAMED = ['properties', 'patternProperties', 'dependencies', 'definitions', 'enum']
/** Keywords whose content is a value, in which every key is only a name. */
const DATA = ['const', 'enum', 'default', 'examples']

/**
 * ajv takes a member "$id" of anything on a pointer's way for an address, even if it is a definition of that name or part of a value: it
 * would throw, or look for the next reference elsewhere.
 */
export function isAddressable(root: unknown, pointer: Pointer): boolean {
  const schemas = schemasIn(root)
  let here = root
  let isData = false
  for (const step of pointer) {
    isData ||= isDataOf(schemas, here, step)
    here = own(here as Readonly<Record<string, unknown>> | undefined, step)
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, '$id')) continue
    const isName = typeof (here as { $id?: unknown }).$id === 'string'
    if (isData || (!isName && !NAMED.includes(String(step)))) return false
  }
  return true
}

/** Whether a member is a value and no schema: `default` is one as a keyword, and not as the name of a property. */
export function isDataOf(schemas: ReadonlySet<unknown>, holder: unknown, step: string | number): boolean {
  return DATA.includes(String(step)) && schemas.has(holder)
}

/** Safe as a cache, because schemas never change after they were read. */
const KNOWN = new WeakMap<object, ReadonlySet<unknown>>()

function schemasIn(root: unknown): ReadonlySet<unknown> {
  if (!isSchemaObject(root)) return new Set()
  const known = KNOWN.get(root) ?? new Set([...walkSchemas(root)].map(({ schema }) => schema))
  KNOWN.set(root, known)
  return known
}
