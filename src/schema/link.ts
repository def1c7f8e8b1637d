// A user's schema and everything it refers to → one closed set of documents in which every reference has its target.
import type { Pointer } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { quoteText } from '../text/quote.ts'
import { checkJsonSchema } from './check.ts'
import { outsideDialect } from './dialect.ts'
import { extent } from './extent.ts'
import { badPatterns } from './pattern.ts'
import { type FoundRef, findRefs, followRef, type ResolveRef, type SchemaLookup } from './reference.ts'
import { type SchemaObject, type Subschema, walkSchemas } from './walk.ts'

/**
 * Code is generated for every subschema, each inside the block of the one before it: above 1,385 (Node 24; 1,570 and more in 20, 22 and
 * 26) the engine overflows its stack, and the time for some keywords grows with the square. Twice the limit must still compile.
 */
export const MAX_SUBSCHEMAS = 600
export const MAX_SCHEMA_VALUES = 100_000

/** Why a schema cannot be used. */
export interface SchemaProblem {
  /** Empty for the schema itself, else the reference that led to the document: `schema:<id>` or a path. */
  readonly document: string
  readonly pointer: Pointer
  readonly message: string
  readonly fix: string
}

interface LinkedDocument {
  readonly label: string
  readonly path: string
  readonly schema: unknown
  readonly subschemas: readonly Subschema[]
}

export interface LinkTarget extends Subschema {
  readonly document: LinkedDocument
}

/** A reference and its target. Without a target it names an entry of the runtime's registry, which is not known here. */
export interface Link {
  readonly document: LinkedDocument
  readonly found: FoundRef
  readonly target: LinkTarget | undefined
}

export interface LinkedSchemas {
  /** The schema itself first. */
  readonly documents: readonly LinkedDocument[]
  /** By the schema that holds the reference. */
  readonly links: ReadonlyMap<SchemaObject, Link>
  readonly problems: readonly SchemaProblem[]
}

/**
 * Problems end the search: if there are any, documents and links are incomplete.
 * @param path the file that holds `schema`
 */
export function linkSchemas(schema: unknown, path: string, resolve: ResolveRef): LinkedSchemas {
  const set = new DocumentSet(resolve)
  set.add('', { schema, path })
  // The loop also visits documents that it adds.
  for (const document of set.documents) {
    set.read(document)
    for (const found of set.problems.length > 0 ? [] : findRefs(document.subschemas))
      set.link(document, found)
  }
  return set
}

class DocumentSet {
  readonly documents: (LinkedDocument & { readonly subschemas: Subschema[] })[] = []
  readonly links = new Map<SchemaObject, Link>()
  readonly problems: SchemaProblem[] = []
  private readonly lookUp: SchemaLookup<LinkedDocument>
  private weight = 0
  private values = 0

  constructor(resolve: ResolveRef) {
    this.lookUp = (ref, from) => {
      const found = resolve(ref, from)
      if (found === undefined || 'is' in found) return found
      const known = this.documents.find(({ schema }) => typeof schema === 'object' && schema === found.schema)
      return known ?? this.add(ref.kind === 'file' ? ref.path : `schema:${ref.id}`, found)
    }
  }

  add(label: string, found: { readonly schema: unknown; readonly path: string }): LinkedDocument {
    const document = { ...found, label, subschemas: [] }
    this.documents.push(document)
    return document
  }

  /** Checks a document on its own, and records its subschemas. */
  read({ label, schema, subschemas }: DocumentSet['documents'][number]): void {
    if (this.problems.length > 0) return
    const refuse = (pointer: Pointer, message: string, fix: string) =>
      void this.problems.push({ document: label, pointer, message, fix })
    const shape = checkJsonSchema(schema)
    this.values += shape.length > 0 ? 0 : extent(schema).values
    if (this.values <= MAX_SCHEMA_VALUES)
      walkSchemas(schema, subschema => {
        subschemas.push(subschema)
        this.weight += weightOf(subschema.schema)
        return this.weight <= MAX_SUBSCHEMAS
      })
    const foreign = outsideDialect(subschemas)
    for (const { pointer, message, fix } of foreign.length > 0 ? foreign : shape)
      refuse(pointer, message, fix)
    if (this.problems.length > 0) return
    if (this.weight > MAX_SUBSCHEMAS || this.values > MAX_SCHEMA_VALUES) {
      const message = `The schema is too large: more than ${MAX_SUBSCHEMAS} subschemas or ${MAX_SCHEMA_VALUES} values`
      refuse([], message, 'Describe the values less closely')
    } else
      for (const { pointer, schema } of subschemas)
        for (const { at, reason } of badPatterns(schema))
          refuse([...pointer, ...at], reason, 'Correct the regular expression')
  }

  link(document: LinkedDocument, found: FoundRef): void {
    const { ref, pointer, holder } = found
    const target = followRef(ref, document, document.path, this.lookUp)
    if (target.is === 'found') {
      const { where, pointer, schema } = target
      this.links.set(holder, { document, found, target: { document: where, pointer, schema } })
    } else if (target.is === 'registry') this.links.set(holder, { document, found, target: undefined })
    else if (target.is !== 'unread') {
      const message = `The reference ${quoteText(ref)} ${target.why}`
      this.problems.push({ document: document.label, pointer, message, fix: target.fix })
    }
  }
}

/** The references to the runtime's registry. */
export function openRefs({ links }: LinkedSchemas): string[] {
  const open = [...links.values()].filter(({ target }) => target === undefined)
  return [...new Set(open.map(({ found }) => found.ref))]
}

/** A subschema as {@link MAX_SUBSCHEMAS} counts it: names in `dependentRequired` become code one by one, too. */
export function weightOf(schema: JsonSchema): number {
  if (typeof schema === 'boolean') return 1
  const { dependentRequired, dependencies } = schema
  // Most schemas have neither, and there are many.
  if ((dependentRequired ?? dependencies) === undefined) return 1
  const lists = [dependentRequired, dependencies].flatMap(named => Object.values(named ?? {}))
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? 1 + list.length : 0), 1)
}
