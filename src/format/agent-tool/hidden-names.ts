// A model's schema + the other sources of internal fields → the names of internal fields, at each spot of the model's schema.
import type { JsonSchema } from '../../model/tools.ts'
import { isSchemaObject, type SchemaObject } from '../schema/walk.ts'
import { type InternalMarks, readMarks } from './internal-marks.ts'
import type { Spot } from './spots.ts'

/** The most fields that are looked up. Two hostile schemas have as many pairs of spots as their spots multiplied. */
const MAX_PAIRS = 1_000_000

/**
 * Adds to the marks of the model's schema the names in `listed` and in the runtime's schema.
 * @returns all names, and whether the input is internal as a whole
 */
export function hideNames(
  schema: SchemaObject,
  marks: InternalMarks,
  {
    runtime,
    listed = [],
  }: { readonly runtime?: JsonSchema | undefined; readonly listed?: readonly string[] },
): { readonly names: ReadonlySet<string>; readonly isAll: boolean } {
  const root = marks.spotOf(schema)
  for (const name of listed) root?.names.add(name)
  const isAll = marks.isInternal(schema)
  const names = new Set(spotsOf(marks).flatMap(spot => [...spot.names]))
  if (!isSchemaObject(runtime)) return { names, isAll }
  const known = readMarks(JSON.parse(JSON.stringify(runtime)))
  const [first] = known.nodes
  const start = first && known.spotOf(first.schema)
  for (const spot of spotsOf(known)) for (const name of spot.names) names.add(name)
  if (root !== undefined && start !== undefined && !transfer(start, root)) {
    // It is unknown where each belongs, so all are hidden everywhere.
    for (const spot of spotsOf(marks)) for (const name of names) spot.names.add(name)
  }
  return { names, isAll: isAll || known.isInternal(first?.schema) }
}

/** Copies the names at each spot of one schema to the spots of the other that describe the same value. False if there are too many. */
function transfer(from: Spot, to: Spot): boolean {
  const seen = new Map<Spot, Set<Spot>>()
  const open: (readonly [Spot, Spot])[] = []
  let left = MAX_PAIRS
  const visit = (from: Spot | undefined, to: Spot | undefined) => {
    if (from === undefined || to === undefined) return
    const met = seen.get(from) ?? new Set()
    if (met.has(to)) return
    seen.set(from, met.add(to))
    open.push([from, to])
  }
  visit(from, to)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [known, spot] = next
    for (const name of known.names) spot.names.add(name)
    for (const name of spot.fields()) {
      if (left-- === 0) return false
      visit(known.field(name), spot.field(name))
    }
    visit(known.elements(), spot.elements())
  }
  return true
}

function spotsOf({ nodes, spotOf }: InternalMarks): Spot[] {
  return [...new Set(nodes.flatMap(({ schema }) => spotOf(schema) ?? []))]
}
