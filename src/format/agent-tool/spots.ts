// A JSON Schema's subschemas → the spots of the value that they judge. Subschemas in allOf and their like judge the same spot, and so do
// those they refer to and those of one field: what one of them says of a field holds for all.
import { inner, isSchemaObject, type SchemaObject, type Subschema } from '../schema/walk.ts'
import { localTargets } from './local-targets.ts'

/** One spot of a value. */
export interface Spot {
  /** Of an object: fields that are internal. */
  readonly names: Set<string>
  /** Whether something says which fields it has. */
  isDescribed(): boolean
  field(name: string): Spot | undefined
  fields(): Iterable<string>
  /** Of an array. */
  elements(): Spot | undefined
}

/** @param leaves parts that belong to no spot but their own */
export function findSpots(
  nodes: readonly Subschema[],
  leaves: (schema: SchemaObject) => boolean,
): ReadonlyMap<unknown, Spot> {
  const spots = new Map<unknown, Joint>(nodes.map(({ schema }) => [schema, new Joint()]))
  for (const node of nodes) {
    const spot = spots.get(node.schema)
    if (spot === undefined) continue
    if (isSchemaObject(node.schema) && isSchemaObject(node.schema['properties'])) spot.describe()
    for (const { steps, schema, inPlace } of inner(node.schema)) {
      const [keyword, key] = steps
      const part = spots.get(schema)
      // A field that may be anything is a field too.
      if (keyword === 'properties') spot.has(String(key), part ?? new Joint())
      else if (part === undefined || !isSchemaObject(schema)) continue
      else if (keyword === 'items' || keyword === 'prefixItems') spot.holds(part)
      else if (inPlace && !leaves(schema)) spot.join(part)
    }
    for (const target of localTargets(node)) {
      const part = spots.get(target)
      if (part !== undefined && !leaves(target)) spot.join(part)
    }
  }
  return new Map([...spots].map(([schema, spot]) => [schema, spot.root()]))
}

/** Spots that turn out to be one are joined, and with them what they hold under one name: each time the smaller goes into the larger. */
class Joint implements Spot {
  readonly names = new Set<string>()
  private into: Joint | undefined
  private described = false
  private readonly members = new Map<string, Joint>()
  private items: Joint | undefined

  root(): Joint {
    let root: Joint = this
    while (root.into !== undefined) root = root.into
    // Straight to the root next time.
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
