// A place in a document → whether ajv finds it by its pointer.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'

/** Below these ajv knows that "$id" is the name of a schema and not a keyword. */
const NAMED = ['properties', 'patternProperties', 'dependencies', 'definitions', 'enum']
/** Their content is a value; `rewrite.ts` leaves its members alone. */
const DATA = ['const', 'enum', 'default', 'examples']

/**
 * ajv takes a member "$id" of anything on a pointer's way for an address, even if it is a definition of that name or part of a value: it
 * would throw, or look for the next reference elsewhere.
 */
export function isAddressable(root: unknown, pointer: Pointer): boolean {
  let here = root
  let isData = false
  for (const step of pointer) {
    here = own(here as Readonly<Record<string, unknown>> | undefined, step)
    isData ||= DATA.includes(String(step))
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, '$id')) continue
    const isName = typeof (here as { $id?: unknown }).$id === 'string'
    if (isData || (!isName && !NAMED.includes(String(step)))) return false
  }
  return true
}
