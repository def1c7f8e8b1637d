// Linked schemas → the size of the schema if every reference were replaced by its target, and the references that cannot be.
import type { JsonSchema } from '../../model/tools.ts'
import type { LinkedSchemas } from './link.ts'
import { inner } from './walk.ts'

export interface Expansion {
  /** Targets that lead back to themselves: at least one in each circle of references. */
  readonly recursive: ReadonlySet<JsonSchema>
  /** Values of the whole, at most; may be infinite. A recursive target counts once, at its first place. */
  readonly values: number
  /** Characters of all keys and texts, in UTF-16 code units; counted the same way. */
  readonly characters: number
  /** Deepest nesting of arrays and objects, at most. */
  readonly depth: number
}

type Size = Omit<Expansion, 'recursive'>

/** A schema on the way, with the targets of the references inside it that are not visited yet. */
interface Frame {
  readonly schema: JsonSchema
  readonly targets: Iterator<JsonSchema>
  size: Size
  /** Without the targets. */
  readonly own: Size
}

/** Time grows with schemas and references; no recursion. */
export function expansionOf({ documents, links }: LinkedSchemas): Expansion {
  const targetsOf = new Map<JsonSchema, JsonSchema[]>()
  for (const { found, target } of links) {
    if (target === undefined || typeof target.schema === 'boolean') continue
    const known = targetsOf.get(found.holder)
    if (known === undefined) targetsOf.set(found.holder, [target.schema])
    else known.push(target.schema)
  }
  const recursive = new Set<JsonSchema>()
  const known = new Map<JsonSchema, Size>()
  const open = new Set<JsonSchema>()
  const stack: Frame[] = []
  const enter = (schema: JsonSchema): void => {
    const own = sizeOf(schema)
    open.add(schema)
    stack.push({ schema, targets: within(schema, targetsOf), size: own, own })
  }
  const add = (frame: Frame, found: Size): void => {
    const { size, own } = frame
    frame.size = {
      values: size.values + found.values,
      characters: size.characters + found.characters,
      // An upper bound: the exact place of the reference inside is not considered.
      depth: Math.max(size.depth, own.depth + found.depth),
    }
  }
  const root = documents[0]?.schema as JsonSchema
  enter(root)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value: schema } = top.targets.next()
    if (done) {
      known.set(top.schema, top.size)
      open.delete(top.schema)
      stack.pop()
      const below = stack.at(-1)
      if (below !== undefined) add(below, top.size)
      continue
    }
    const found = known.get(schema)
    if (open.has(schema)) recursive.add(schema)
    else if (recursive.has(schema)) continue
    else if (found !== undefined) add(top, found)
    else enter(schema)
  }
  return { recursive, ...(known.get(root) ?? sizeOf(root)) }
}

/** The targets of all references in a schema, including those of its subschemas. */
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

/** Time grows with the number of values, however long they are. */
function sizeOf(root: unknown): Size {
  const size = { values: 0, characters: 0, depth: 0 }
  const open: { readonly container: object; readonly depth: number }[] = []
  const visit = (value: unknown, depth: number): void => {
    size.values++
    if (typeof value === 'string') size.characters += value.length
    else if (typeof value === 'object' && value !== null) open.push({ container: value, depth })
  }
  visit(root, 1)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size.depth = Math.max(size.depth, next.depth)
    for (const [key, child] of Object.entries(next.container)) {
      size.characters += key.length
      visit(child, next.depth + 1)
    }
  }
  return size
}
