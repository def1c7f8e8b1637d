// References between schemas: where they stand, what kind of place each names, and what it finds (DESIGN §3.3). Nothing is fetched.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { pathProblem } from '../path.ts'
import { decode, fragmentTokens, stepInto } from './pointer.ts'
import { isSchemaObject, type SchemaObject, walkSchemas } from './walk.ts'

/** What a reference names. `fragment` begins with `#`; `#` alone is the whole schema. */
export type Ref =
  | { readonly kind: 'local'; readonly fragment: string }
  | { readonly kind: 'registry'; readonly id: string; readonly fragment: string }
  | { readonly kind: 'file'; readonly path: string; readonly fragment: string }
  | { readonly kind: 'remote' }
  | { readonly kind: 'invalid'; readonly reason: string }

/** A reference where it stands. */
export interface FoundRef {
  /** From the walked root to the reference's own value: ends in `$ref` or `$dynamicRef`. */
  readonly pointer: Pointer
  readonly keyword: '$ref' | '$dynamicRef'
  readonly ref: string
  /** The schema that the reference is a keyword of. */
  readonly holder: SchemaObject
  /** What `#…` starts from, and where that stands. */
  readonly resource: SchemaObject
  readonly resourceAt: Pointer
}

/** Every `$ref` and `$dynamicRef` of a schema. A property that is called `$ref` is none. */
export function* findRefs(schema: unknown): Generator<FoundRef> {
  for (const { pointer, schema: holder, resource, resourceAt } of walkSchemas(schema)) {
    if (typeof holder === 'boolean') continue
    for (const keyword of ['$ref', '$dynamicRef'] as const) {
      const ref = holder[keyword]
      if (typeof ref === 'string')
        yield { pointer: [...pointer, keyword], keyword, ref, holder, resource, resourceAt }
    }
  }
}

/**
 * What a reference names. An `$id` never changes where a file is looked for: relative paths start from the file that holds them.
 *
 * @param from path of that file inside the bundle; `tools.json` and everything else at the top may leave it out
 */
export function classifyRef(ref: string, from = ''): Ref {
  const hash = ref.indexOf('#')
  const target = hash === -1 ? ref : ref.slice(0, hash)
  const fragment = hash === -1 ? '#' : ref.slice(hash)
  if (target === '') return { kind: 'local', fragment }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(target)?.[1]
  if (scheme?.length === 1) return { kind: 'invalid', reason: 'is an absolute path' }
  if (scheme === 'schema') {
    const id = target.slice('schema:'.length)
    const problem = pathProblem(id)
    // An id becomes a file name, schemas/<id>.json: it must not lead anywhere else.
    return problem === undefined
      ? { kind: 'registry', id, fragment }
      : { kind: 'invalid', reason: `has an id that ${problem}` }
  }
  if (scheme !== undefined || target.startsWith('//')) return { kind: 'remote' }
  if (target.startsWith('/')) return { kind: 'invalid', reason: 'is an absolute path' }
  const segments = from.split('/').slice(0, -1)
  for (const segment of target.split('/')) {
    if (segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return { kind: 'invalid', reason: 'leads out of the bundle' }
  }
  const path = segments.join('/')
  const problem = pathProblem(path)
  return problem === undefined
    ? { kind: 'file', path, fragment }
    : { kind: 'invalid', reason: `names a path that ${problem}` }
}

/**
 * What a local reference finds: the schema and where it stands below `resource`. Undefined when nothing is there, or nothing that
 * could be a schema.
 *
 * @param resource the schema that holds the reference, or the nearest one around it with an `$id` ({@link FoundRef.resource})
 * @param ref `#`, `#/<JSON pointer>` or `#<anchor>`
 */
export function resolveLocal(
  resource: unknown,
  ref: string,
): { readonly pointer: Pointer; readonly schema: JsonSchema } | undefined {
  const tokens = fragmentTokens(ref)
  if (tokens === undefined) {
    const name = decode(ref.slice(1))
    const found = name === undefined || !isSchemaObject(resource) ? undefined : anchorsOf(resource).get(name)
    return found === 'twice' ? undefined : found
  }
  const target = stepInto(resource, tokens)
  if (target === undefined) return undefined
  const { value, pointer } = target
  return typeof value === 'boolean' || isSchemaObject(value) ? { pointer, schema: value } : undefined
}

/** Whether `#<anchor>` names an anchor that stands at two places: 2020-12 leaves open which one is meant. */
export function isAnchorTwice(resource: unknown, ref: string): boolean {
  if (fragmentTokens(ref) !== undefined || !isSchemaObject(resource)) return false
  return anchorsOf(resource).get(decode(ref.slice(1)) ?? '') === 'twice'
}

type Anchor = { readonly pointer: Pointer; readonly schema: JsonSchema } | 'twice'

/** Schemas are never changed once they are read, so each is searched for its anchors once. */
const anchorIndex = new WeakMap<SchemaObject, Map<string, Anchor>>()

function anchorsOf(resource: SchemaObject) {
  const known = anchorIndex.get(resource)
  if (known !== undefined) return known
  const anchors = new Map<string, Anchor>()
  for (const { pointer, schema, resource: owner } of walkSchemas(resource)) {
    if (typeof schema === 'boolean' || owner !== resource) continue
    for (const name of [schema['$anchor'], schema['$dynamicAnchor']]) {
      if (typeof name !== 'string') continue
      const known = anchors.get(name)
      // One schema may bear a name as both kinds of anchor, and is reached by every reference to it.
      const isNew = known === undefined || (known !== 'twice' && known.schema === schema)
      anchors.set(name, isNew ? { pointer, schema } : 'twice')
    }
  }
  anchorIndex.set(resource, anchors)
  return anchors
}
