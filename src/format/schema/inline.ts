// A schema and everything it refers to → one schema without outside references. References are replaced by their targets; recursive ones,
// and those that would make the schema too large, become `#/$defs/…`.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { findEndless } from './cost.ts'
import { DefinitionNames } from './definition-names.ts'
import { findAmbiguous } from './dynamic.ts'
import { expansionOf } from './expansion.ts'
import {
  type Link,
  type LinkedSchemas,
  type LinkTarget,
  linkSchemas,
  type ResolveRef,
  type SchemaProblem,
} from './link.ts'
import { PlaceTree } from './place-tree.ts'
import { joined, replaced } from './rejoin.ts'
import { inner } from './walk.ts'

/** Above this many values references are kept, as `#/$defs/…`: 30 schemas that each name the next one twice would be a billion. */
export const MAX_INLINED_VALUES = 20_000
/** Code units of keys and texts: a long description that is referred to a thousand times is written once. */
const MAX_INLINED_CHARACTERS = 1_000_000
/** The deepest nesting that inlining may produce: the strict reader has to be able to read the result. */
const MAX_INLINED_DEPTH = 48

export interface Inlined {
  readonly schema: JsonSchema
  /** Names of the definitions that were kept. */
  readonly kept: readonly string[]
  /** References to the runtime's registry: any value fits in their place. */
  readonly open: readonly string[]
}

/**
 * A schema that cannot be used cannot be inlined either, for the same reasons.
 * @param path the file of the bundle that holds the schema
 */
export function inlineSchema(
  schema: JsonSchema,
  resolve: ResolveRef,
  path = 'tools.json',
): Inlined | { readonly problem: SchemaProblem } {
  const linked = linkSchemas(schema, path, resolve)
  const problem = linked.problems[0] ?? findEndless(linked) ?? findAmbiguous(linked)
  return problem === undefined ? new Inliner(linked).run() : { problem }
}

/** Already resolved, or about a document that is now part of another. */
const DROPPED = [
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$ref',
  '$dynamicRef',
  '$vocabulary',
  '$defs',
  'definitions',
]
/** Their content is a value, even if a reference points into it. */
const DATA = ['const', 'enum', 'default', 'examples']

class Inliner {
  private readonly linked: LinkedSchemas
  private readonly linksOf = new Map<unknown, Link[]>()
  private readonly names = new DefinitionNames()
  /** What references lead to. */
  private readonly places = new PlaceTree()
  /** Targets that are kept as definitions and are not written yet. */
  private readonly pending: LinkTarget[] = []
  private readonly open = new Set<string>()
  private readonly isKept: (schema: JsonSchema) => boolean

  constructor(linked: LinkedSchemas) {
    this.linked = linked
    for (const link of linked.links) {
      const { holder } = link.found
      const known = this.linksOf.get(holder)
      if (known === undefined) this.linksOf.set(holder, [link])
      else known.push(link)
      if (link.target !== undefined) this.places.add([link.target.document, ...link.target.pointer])
    }
    const { recursive, values, characters, depth } = expansionOf(linked)
    const isLarge =
      values > MAX_INLINED_VALUES || characters > MAX_INLINED_CHARACTERS || depth > MAX_INLINED_DEPTH
    this.isKept = schema => isLarge || recursive.has(schema)
  }

  run(): Inlined {
    const root = this.linked.documents[0]?.schema as JsonSchema
    const schema = this.copy({ document: 0, pointer: [], schema: root }, true)
    const defs: [string, JsonSchema][] = []
    // The loop also visits targets that it adds.
    for (const target of this.pending)
      defs.push([this.names.get(target.schema) ?? '', this.copy(target, false)])
    const whole = defs.length === 0 ? schema : { ...(schema as object), $defs: Object.fromEntries(defs) }
    return { schema: whole, kept: defs.map(([name]) => name), open: [...this.open] }
  }

  /** @param isRoot a reference at the root is always replaced: readers look for a type there */
  private copy({ document, pointer, schema }: LinkTarget, isRoot: boolean): JsonSchema {
    if (typeof schema === 'boolean') return schema
    const children = new Map<string, [steps: Pointer, JsonSchema][]>()
    for (const { steps, schema: child } of inner(schema)) {
      const keyword = String(steps[0])
      const copied = this.copy({ document, pointer: [...pointer, ...steps], schema: child }, false)
      const copies = children.get(keyword)
      if (copies === undefined) children.set(keyword, [[steps, copied]])
      else copies.push([steps, copied])
    }
    const members = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (DROPPED.includes(keyword) || (keyword === '$schema' && !isRoot)) return []
      const copies = children.get(keyword)
      if (copies !== undefined) return [[keyword, replaced(value, copies)]]
      return this.isPlace(document, [...pointer, keyword], value) ? [] : [[keyword, value]]
    })
    const meant = (this.linksOf.get(schema) ?? []).flatMap(link => this.meaning(link, isRoot))
    return joined(Object.fromEntries(members), meant)
  }

  private meaning({ found, target }: Link, isRoot: boolean): JsonSchema[] {
    if (target === undefined) {
      this.open.add(found.ref)
      return []
    }
    if (typeof target.schema === 'boolean' || isRoot || !this.isKept(target.schema))
      return [this.copy(target, isRoot)]
    if (target.document === 0 && target.pointer.length === 0) return [{ $ref: '#' }]
    const known = this.names.get(target.schema)
    if (known !== undefined) return [{ $ref: `#/$defs/${known}` }]
    const { document, pointer, schema } = target
    const label = this.linked.documents[document]?.label.replace(/^schema:|^.*\/|\.json$/g, '')
    this.pending.push(target)
    return [{ $ref: `#/$defs/${this.names.add(schema, pointer, label)}` }]
  }

  /** Whether only references make the parts below a keyword schemas, as in `#/components/schemas/…`: no such reference is left. */
  private isPlace(document: number, at: Pointer, value: unknown): boolean {
    if (typeof value !== 'object' || value === null || DATA.includes(String(at.at(-1)))) return false
    return this.places.has([document, ...at])
  }
}
