// Linked schemas → what would come of putting every target in the place of its references: which can never be, and how large it gets.
import type { JsonSchema } from '../../model/tools.ts'
import { extent } from './extent.ts'
import type { LinkedSchemas } from './link.ts'
import { inner } from './walk.ts'

export interface Expansion {
  /** Targets that lead back to themselves: each circle of references has one of them. */
  readonly recursive: ReadonlySet<JsonSchema>
  /** Values of the whole, at most; may be infinite. A recursive target counts where the way first leads to it. */
  readonly values: number
  /** Arrays and objects within one another, at most. */
  readonly depth: number
}

/** A schema on the way, with the targets of the references anywhere inside it that are still to be looked at. */
interface Frame {
  readonly schema: JsonSchema
  readonly targets: Iterator<JsonSchema>
  values: number
  depth: number
  own: number
}

/** Time grows with schemas and references; no recursion. */
export function expansionOf({ documents, links }: LinkedSchemas): Expansion {
  const targetsOf = new Map<JsonSchema, JsonSchema[]>()
  for (const { found, target } of links) {
    if (target === undefined || typeof target.schema === 'boolean') continue
    targetsOf.set(found.holder, [...(targetsOf.get(found.holder) ?? []), target.schema])
  }
  const recursive = new Set<JsonSchema>()
  const known = new Map<JsonSchema, { readonly values: number; readonly depth: number }>()
  const open = new Set<JsonSchema>()
  const stack: Frame[] = []
  const enter = (schema: JsonSchema): void => {
    const { values, depth } = extent(schema)
    open.add(schema)
    stack.push({ schema, targets: within(schema, targetsOf), values: values + 1, depth, own: depth })
  }
  const add = (frame: Frame, found: { readonly values: number; readonly depth: number }): void => {
    frame.values += found.values
    // Where exactly inside it the reference stands does not matter: this is the most that can come of it.
    frame.depth = Math.max(frame.depth, frame.own + found.depth)
  }
  const root = documents[0]?.schema as JsonSchema
  enter(root)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value: schema } = top.targets.next()
    if (done) {
      const { values, depth } = top
      known.set(top.schema, { values, depth })
      open.delete(top.schema)
      stack.pop()
      const below = stack.at(-1)
      if (below !== undefined) add(below, { values, depth })
      continue
    }
    const found = known.get(schema)
    if (open.has(schema)) recursive.add(schema)
    else if (recursive.has(schema)) continue
    else if (found !== undefined) add(top, found)
    else enter(schema)
  }
  return { recursive, ...(known.get(root) ?? { values: 0, depth: 0 }) }
}

/** The targets of all references in a schema, those of its subschemas included. */
function* within(
  schema: JsonSchema,
  targetsOf: ReadonlyMap<JsonSchema, readonly JsonSchema[]>,
): Generator<JsonSchema> {
  const pending: JsonSchema[] = [schema]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield* targetsOf.get(next) ?? []
    for (const child of inner(next)) if (typeof child.schema === 'object') pending.push(child.schema)
  }
}
