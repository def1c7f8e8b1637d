// References between schemas: their places, the kind of target that each names, and the target. Nothing is fetched.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { pathProblem } from '../path.ts'
import { decode, fragmentTokens, stepInto } from './pointer.ts'
import { isSchemaObject, type SchemaObject, walkSchemas } from './walk.ts'

/** The target that a reference names. `fragment` begins with `#`; `#` alone is the whole schema. */
export type Ref =
  | { readonly kind: 'local'; readonly fragment: string }
  | { readonly kind: 'registry'; readonly id: string; readonly fragment: string }
  | { readonly kind: 'file'; readonly path: string; readonly fragment: string }
  | { readonly kind: 'remote' }
  | { readonly kind: 'invalid'; readonly reason: string }

/** A reference and its place. */
export interface FoundRef {
  /** From the walked root to the reference's own value: ends in `$ref` or `$dynamicRef`. */
  readonly pointer: Pointer
  readonly keyword: '$ref' | '$dynamicRef'
  readonly ref: string
  /** The schema that has the reference as a keyword. */
  readonly holder: SchemaObject
  /** The start of `#…`, and its position. */
  readonly resource: SchemaObject
  readonly resourceAt: Pointer
}

/** Every `$ref` and `$dynamicRef` of a schema. A property named `$ref` is not a reference. */
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
 * The target that a reference names. An `$id` never changes where a file is looked for: relative paths start from the file that holds
 * them.
 * @param from path of that file inside the bundle; absent for `tools.json` and other files at the top
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
    // An id becomes a file name, schemas/<id>.json, which must not lead elsewhere.
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
 * The target of a local reference: the schema and its position below `resource`. Undefined if there is none, or no possible schema.
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

/** Whether `#<anchor>` is defined at two places: 2020-12 does not say which one is meant. */
export function isAnchorTwice(resource: unknown, ref: string): boolean {
  if (fragmentTokens(ref) !== undefined || !isSchemaObject(resource)) return false
  return anchorsOf(resource).get(decode(ref.slice(1)) ?? '') === 'twice'
}

type Anchor = { readonly pointer: Pointer; readonly schema: JsonSchema } | 'twice'

/** Safe as a cache, because schemas never change after they were read. */
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
      // One schema may have a name as both kinds of anchor, and every reference to it finds it.
      const isNew = known === undefined || (known !== 'twice' && known.schema === schema)
      anchors.set(name, isNew ? { pointer, schema } : 'twice')
    }
  }
  anchorIndex.set(resource, anchors)
  return anchors
}
