// Whether a reference is the `$id` of a schema in the same document: 2020-12 resolves such a name, and it is not a path in a bundle.
import { isSchemaObject, type SchemaObject, walkSchemas } from './walk.ts'

/** @param root the document that holds the reference */
export function isOwnId(root: unknown, ref: string): boolean {
  const target = withoutFragment(ref)
  if (target === '' || !isSchemaObject(root)) return false
  const ids = idsIn(root)
  return ids.has(target) || ids.has(absolute(target, root))
}

/** Safe as a cache, because schemas never change after they were read. */
const KNOWN = new WeakMap<SchemaObject, ReadonlySet<string>>()

function idsIn(root: SchemaObject): ReadonlySet<string> {
  const known = KNOWN.get(root)
  if (known !== undefined) return known
  const ids = new Set<string>()
  for (const { schema } of walkSchemas(root)) {
    const id = typeof schema === 'boolean' ? undefined : schema['$id']
    if (typeof id !== 'string' || withoutFragment(id) === '') continue
    ids.add(withoutFragment(id)).add(absolute(withoutFragment(id), root))
  }
  KNOWN.set(root, ids)
  return ids
}

/** Resolved against the document's own `$id`; unchanged if that is not a url. */
function absolute(id: string, root: SchemaObject): string {
  const base = root['$id']
  return typeof base === 'string' && URL.canParse(id, base) ? new URL(id, base).href : id
}

function withoutFragment(text: string): string {
  return text.split('#', 1)[0] ?? ''
}
