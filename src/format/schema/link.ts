// A user's schema and everything it refers to → one closed set of documents in which every reference has its target.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { quoteText } from '../text/quote.ts'
import { checkJsonSchema } from './check.ts'
import { extent } from './extent.ts'
import { isOwnId } from './own-id.ts'
import { badPatterns } from './pattern.ts'
import { classifyRef, type FoundRef, findRefs, isAnchorTwice, type Ref, resolveLocal } from './ref.ts'
import { NO_FILE, NO_TARGET, OWN_ID, REMOTE, type ReferenceRefusal, TWICE } from './refusal.ts'
import { isAddressable } from './target.ts'
import { type Subschema, walkSchemas } from './walk.ts'

/**
 * Code is generated for every subschema, each inside the block of the one before it: above 1,385 (Node 24; 1,570 and more in 20, 22 and
 * 26) the engine overflows its stack, and the time for some keywords grows with the square. Twice the limit must still compile.
 */
export const MAX_SUBSCHEMAS = 600
export const MAX_SCHEMA_VALUES = 100_000

/** Finds the target of a reference to another document. `path` is the file that holds the schema, for its relative references. */
export type ResolveRef = (
  ref: Extract<Ref, { kind: 'registry' | 'file' }>,
) => { readonly schema: unknown; readonly path: string } | undefined

/** Why a schema cannot be used. */
export interface SchemaProblem {
  /** Empty for the schema itself, else the reference that led to the document: `schema:<id>` or a path. */
  readonly document: string
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

export interface LinkedDocument {
  readonly label: string
  readonly path: string
  readonly schema: unknown
  readonly subschemas: Subschema[]
}

export interface LinkTarget {
  readonly document: number
  readonly pointer: Pointer
  readonly schema: JsonSchema
}

/** A reference and its target. Without a target it names an entry of the runtime's registry, which is not known here. */
export interface Link {
  readonly document: number
  readonly found: FoundRef
  readonly target: LinkTarget | undefined
}

export interface LinkedSchemas {
  readonly documents: readonly LinkedDocument[]
  readonly links: readonly Link[]
  readonly problems: readonly SchemaProblem[]
}

/**
 * Problems end the search: if there are any, documents and links are incomplete.
 * @param path the file that holds `schema`
 */
export function linkSchemas(schema: unknown, path: string, resolve: ResolveRef): LinkedSchemas {
  const set = new DocumentSet(resolve)
  set.add({ label: '', path, schema, subschemas: [] })
  // The loop also visits documents that it adds.
  for (const [index, document] of set.documents.entries()) {
    set.read(document)
    for (const found of set.problems.length > 0 ? [] : findRefs(document.schema))
      set.link(index, document, found)
  }
  return set
}

class DocumentSet {
  readonly documents: LinkedDocument[] = []
  readonly links: Link[] = []
  readonly problems: SchemaProblem[] = []
  private readonly resolve: ResolveRef
  private readonly known = new Map<unknown, number>()
  private subschemas = 0
  private values = 0

  constructor(resolve: ResolveRef) {
    this.resolve = resolve
  }

  add(document: LinkedDocument): number {
    const index = this.documents.push(document) - 1
    if (typeof document.schema === 'object') this.known.set(document.schema, index)
    return index
  }

  /** Checks a document on its own, and records its subschemas. */
  read({ label, schema, subschemas }: LinkedDocument): void {
    if (this.problems.length > 0) return
    const shape = checkJsonSchema(schema)
    for (const { pointer, message, fix } of shape) this.refuse(label, pointer, message, fix)
    if (shape.length > 0) return
    this.values += extent(schema).values
    for (const subschema of this.values > MAX_SCHEMA_VALUES ? [] : walkSchemas(schema)) {
      subschemas.push(subschema)
      this.subschemas += 1 + dependentNames(subschema.schema)
      if (this.subschemas > MAX_SUBSCHEMAS) break
      for (const { at, reason } of badPatterns(subschema.schema))
        this.refuse(label, [...subschema.pointer, ...at], reason, 'Correct the regular expression')
    }
    if (this.subschemas > MAX_SUBSCHEMAS || this.values > MAX_SCHEMA_VALUES) {
      const message = `The schema is too large: more than ${MAX_SUBSCHEMAS} subschemas or ${MAX_SCHEMA_VALUES} values`
      this.refuse(label, [], message, 'Describe the values less closely')
    }
  }

  link(index: number, { label, path }: LinkedDocument, found: FoundRef): void {
    const target = this.targetOf(index, path, found)
    if (target === undefined || 'schema' in target) this.links.push({ document: index, found, target })
    else this.refuse(label, found.pointer, `The reference ${quoteText(found.ref)} ${target.why}`, target.fix)
  }

  private targetOf(index: number, path: string, found: FoundRef): LinkTarget | ReferenceRefusal | undefined {
    const ref = classifyRef(found.ref, path)
    const isOwn = () => isOwnId(this.documents[index]?.schema, found.ref)
    if (ref.kind === 'remote') return isOwn() ? OWN_ID : REMOTE
    if (ref.kind === 'invalid')
      return { why: ref.reason, fix: 'Write schema:<id>, a path inside the bundle, or #/…' }
    if (ref.kind === 'local') {
      const target = resolveLocal(found.resource, ref.fragment)
      if (target === undefined) return isAnchorTwice(found.resource, ref.fragment) ? TWICE : NO_TARGET
      const pointer = [...found.resourceAt, ...target.pointer]
      const isFound = isAddressable(this.documents[index]?.schema, pointer)
      return isFound ? { document: index, ...target, pointer } : NO_TARGET
    }
    const resolved = this.resolve(ref)
    if (resolved === undefined) return ref.kind === 'registry' ? undefined : isOwn() ? OWN_ID : NO_FILE
    if (isAnchorTwice(resolved.schema, ref.fragment)) return TWICE
    const target = resolveLocal(resolved.schema, ref.fragment)
    if (target === undefined || !isAddressable(resolved.schema, target.pointer)) return NO_TARGET
    const label = ref.kind === 'file' ? ref.path : `schema:${ref.id}`
    const document = this.known.get(resolved.schema) ?? this.add({ ...resolved, label, subschemas: [] })
    return { document, ...target }
  }

  private refuse(document: string, pointer: Pointer, message: string, fix: string): void {
    this.problems.push({ document, pointer, message, fix })
  }
}

/** Names in `dependentRequired` become code one by one, like subschemas. */
export function dependentNames(schema: JsonSchema): number {
  if (typeof schema === 'boolean') return 0
  const lists = [schema['dependentRequired'], schema['dependencies']].flatMap(named =>
    Object.values(named ?? {}),
  )
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? 1 + list.length : 0), 0)
}
