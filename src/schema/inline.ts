// A schema and everything it refers to → one schema without outside references. References are replaced by their targets; recursive ones,
// and those that would make the schema too large, become `#/$defs/…`.
import type { JsonSchema } from '../model/tools.ts'
import { findEndless } from './cost.ts'
import { extent } from './extent.ts'
import { isSilent } from './keywords.ts'
import { type LinkedSchemas, type LinkTarget, linkSchemas, openRefs, type SchemaProblem } from './link.ts'
import type { ResolveRef } from './reference.ts'
import { type SchemaObject, withInner } from './walk.ts'

/** Above this many values references are kept, as `#/$defs/…`: 30 schemas that each name the next one twice would be a billion. */
export const MAX_INLINED_VALUES = 20_000
/** Code units of keys and texts: a long description that is referred to a thousand times is written once. */
const MAX_INLINED_CHARACTERS = 1_000_000
/** The deepest nesting that inlining may produce: the strict reader has to be able to read the result. */
const MAX_INLINED_DEPTH = 48

/** Already resolved. */
const DROPPED = ['$id', '$ref', '$defs', 'definitions']

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
  const problem = linked.problems[0] ?? findEndless(linked)
  if (problem !== undefined) return { problem }
  const kept = new Set<JsonSchema>()
  // A circle shows when the copy arrives at its beginning again: the next copy keeps a definition there.
  for (;;) {
    const { size } = kept
    const inlined = new Inliner(linked, kept).run(schema)
    if (kept.size === size) return inlined
  }
}

class Inliner {
  private readonly linked: LinkedSchemas
  /** Targets that stay definitions. */
  private readonly kept: Set<JsonSchema>
  private readonly names = new Map<string, LinkTarget>()
  /** Targets around the place that is being copied. */
  private readonly around = new Set<JsonSchema>()
  private values = 0
  private characters = 0

  constructor(linked: LinkedSchemas, kept: Set<JsonSchema>) {
    this.linked = linked
    this.kept = kept
  }

  run(root: JsonSchema): Inlined {
    const schema = this.placed(root, 0, true)
    const defs: [string, JsonSchema][] = []
    // The loop also visits targets that it adds.
    for (const [name, target] of this.names) defs.push([name, this.copy(target.schema, 0, false)])
    const whole = defs.length === 0 ? schema : { ...(schema as object), $defs: Object.fromEntries(defs) }
    return { schema: whole, kept: defs.map(([name]) => name), open: openRefs(this.linked) }
  }

  /** @param isRoot a reference at the root is always replaced: readers look for a type there */
  private copy(schema: JsonSchema, depth: number, isRoot: boolean): JsonSchema {
    if (typeof schema === 'boolean') return schema
    const members = Object.entries(schema).filter(
      ([keyword]) => !DROPPED.includes(keyword) && (isRoot || keyword !== '$schema'),
    )
    const copy = withInner(Object.fromEntries(members), (child, { length }) =>
      this.copy(child, depth + length, false),
    )
    const target = this.linked.links.get(schema)?.target
    return target === undefined ? copy : joined(copy, this.meaning(target, depth, isRoot))
  }

  private meaning(target: LinkTarget, depth: number, isRoot: boolean): JsonSchema {
    const { schema } = target
    if (typeof schema === 'boolean') return schema
    if (this.around.has(schema) && !isRoot) this.kept.add(schema)
    if (isRoot || !this.kept.has(schema)) return this.placed(schema, depth, isRoot)
    return { $ref: schema === this.linked.documents[0]?.schema ? '#' : `#/$defs/${this.nameOf(target)}` }
  }

  /** A copy in the place of a reference. */
  private placed(schema: JsonSchema, depth: number, isRoot: boolean): JsonSchema {
    const size = extent(schema)
    this.values += 1 + size.values
    this.characters += JSON.stringify(schema).length
    if (
      this.values > MAX_INLINED_VALUES ||
      this.characters > MAX_INLINED_CHARACTERS ||
      depth + size.depth > MAX_INLINED_DEPTH
    )
      for (const { target } of this.linked.links.values()) if (target) this.kept.add(target.schema)
    this.around.add(schema)
    const copy = this.copy(schema, depth, isRoot)
    this.around.delete(schema)
    return copy
  }

  private nameOf(target: LinkTarget): string {
    for (const [name, { schema }] of this.names) if (schema === target.schema) return name
    const { document, pointer } = target
    const label = pointer.at(-1) ?? document.label.replace(/^schema:|^.*\/|\.json$/g, '')
    // Only characters that need no escape in a pointer.
    const base =
      String(label)
        .replace(/[^A-Za-z0-9._-]/g, '_')
        .slice(0, 60) || 'schema'
    let name = base
    for (let count = 2; this.names.has(name); count++) name = `${base}_${count}`
    this.names.set(name, target)
    return name
  }
}

/** A schema, combined with what its reference means. */
function joined(members: SchemaObject, meant: JsonSchema): JsonSchema {
  if (meant === true || Object.keys(meant).length + Number(!meant) === 0) return members
  if (!Object.keys(members).every(isSilent))
    return { ...members, allOf: [...((members['allOf'] as JsonSchema[] | undefined) ?? []), meant] }
  return meant === false ? { ...members, not: {} } : { ...(meant as object), ...members }
}
