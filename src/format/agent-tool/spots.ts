// A JSON Schema's subschemas → the spots of the value that they judge. Subschemas in allOf and similar keywords judge the same spot, and
// so do targets of references and schemas of one field: a fact from one of them holds for all.
import { inner, isSchemaObject, type SchemaObject, type Subschema } from '../schema/walk.ts'
import { localTargets } from './local-targets.ts'

/** One spot of a value. */
export interface Spot {
  /** Internal fields, if the spot is an object. */
  readonly names: Set<string>
  /** Whether any schema lists its fields. */
  isDescribed(): boolean
  field(name: string): Spot | undefined
  fields(): Iterable<string>
  /** The elements, if the spot is an array. */
  elements(): Spot | undefined
}

/** @param leaves parts that share a spot with no other */
export function findSpots(
  nodes: readonly Subschema[],
  leaves: (schema: SchemaObject) => boolean,
  root: unknown,
): ReadonlyMap<unknown, Spot> {
  const spots = new Map<unknown, Joint>(nodes.map(({ schema }) => [schema, new Joint()]))
  for (const node of nodes) {
    const spot = spots.get(node.schema)
    if (spot === undefined) continue
    if (isSchemaObject(node.schema) && isSchemaObject(node.schema['properties'])) spot.describe()
    for (const { steps, schema, inPlace } of inner(node.schema)) {
      const [keyword, key] = steps
      const part = spots.get(schema)
      // A field that may have any value is a field too.
      if (keyword === 'properties') spot.has(String(key), part ?? new Joint())
      else if (part === undefined || !isSchemaObject(schema)) continue
      else if (keyword === 'items' || keyword === 'prefixItems') spot.holds(part)
      else if (inPlace && !leaves(schema)) spot.join(part)
    }
    for (const target of localTargets(node, root)) {
      const part = spots.get(target)
      if (part !== undefined && !leaves(target)) spot.join(part)
    }
  }
  return new Map([...spots].map(([schema, spot]) => [schema, spot.root()]))
}

/**
 * Joins spots that turn out to be one, and the spots under equal names inside them. The smaller goes into the larger, which keeps the
 * total time low.
 */
class Joint implements Spot {
  readonly names = new Set<string>()
  private into: Joint | undefined
  private described = false
  private readonly members = new Map<string, Joint>()
  private items: Joint | undefined

  root(): Joint {
    let root: Joint = this
    while (root.into !== undefined) root = root.into
    // Path compression: straight to the root next time.
    for (let at: Joint = this; at.into !== undefined && at.into !== root; ) {
      const next: Joint = at.into
      at.into = root
      at = next
    }
    return root
  }

  describe(): void {
    this.root().described = true
  }

  isDescribed(): boolean {
    return this.root().described
  }

  has(name: string, member: Joint): void {
    const root = this.root()
    const known = root.members.get(name)
    if (known === undefined) root.members.set(name, member)
    else known.join(member)
  }

  holds(items: Joint): void {
    const root = this.root()
    if (root.items === undefined) root.items = items
    else root.items.join(items)
  }

  join(other: Joint): void {
    const open: [Joint, Joint][] = [[this, other]]
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      const [one, two] = [pair[0].root(), pair[1].root()]
      if (one === two) continue
      const [large, small] = one.members.size < two.members.size ? [two, one] : [one, two]
      small.into = large
      large.described ||= small.described
      for (const [name, member] of small.members) {
        const known = large.members.get(name)
        if (known === undefined) large.members.set(name, member)
        else open.push([known, member])
      }
      if (large.items !== undefined && small.items !== undefined) open.push([large.items, small.items])
      else large.items ??= small.items
    }
  }

  field(name: string): Spot | undefined {
    return this.root().members.get(name)?.root()
  }

  fields(): Iterable<string> {
    return this.root().members.keys()
  }

  elements(): Spot | undefined {
    return this.root().items?.root()
  }
}
