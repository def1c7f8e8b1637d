// A tool's schema before and after → whether users of the old one can use the new one.
import { isSameData } from '../json/same-data.ts'
import { gapsIn, type SchemaGap, type SchemaSide } from '../schema/cover.ts'
import { isSilent } from '../schema/keywords.ts'
import { findRefs, followRef, type ResolveRef } from '../schema/reference.ts'
import { isSchemaObject, subschemasOf } from '../schema/walk.ts'

/** A schema and the targets of its references. */
export interface SchemaIn {
  readonly schema: unknown
  /** The file that holds it. */
  readonly path: string
  readonly resolve: ResolveRef
}

export interface SchemaChange {
  /** `not decided` if neither of the others is certain. */
  readonly is: 'breaking' | 'compatible' | 'not decided'
  /** Why not compatible; the first {@link MOST_GAPS}. */
  readonly gaps: readonly SchemaGap[]
}

const MOST_GAPS = 50
/** The most references that lead only to another reference. */
const MOST_STEPS = 8

/**
 * @param areFilesSame whether all targets outside the schema are the same in both
 * @returns undefined if nothing changed
 */
export function schemaChange(
  before: SchemaIn,
  after: SchemaIn,
  { side, areFilesSame }: { readonly side: SchemaSide; readonly areFilesSame: boolean },
): SchemaChange | undefined {
  if (isSameData(before.schema, after.schema) && (areFilesSame || staysInside(before))) return undefined
  const [old, now] = [followed(before), followed(after)]
  if (isSameData(old.schema, now.schema) && (areFilesSame || staysInside(old))) {
    // Only its place has changed, or another file.
    return isSameData(before.schema, after.schema) ? undefined : { is: 'compatible', gaps: [] }
  }
  const [wide, narrow] = side === 'input' ? [now, old] : [old, now]
  // The target of a reference into the schema itself may have changed with it.
  const areRefsSame = areFilesSame && leavesOnly(old) && leavesOnly(now) && old.path === now.path
  const gaps: SchemaGap[] = []
  let isBroken = false
  for (const gap of gapsIn(wide.schema, narrow.schema, { side, areRefsSame })) {
    isBroken ||= gap.is === 'breaking'
    if (gaps.length < MOST_GAPS) gaps.push(gap)
  }
  return { is: isBroken ? 'breaking' : gaps.length > 0 ? 'not decided' : 'compatible', gaps }
}

/** The target, if the schema is only a reference. */
function followed(from: SchemaIn): SchemaIn {
  let at = from
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { schema, path, resolve } = at
    if (!isSchemaObject(schema)) return at
    const { $ref: text, ...others } = schema
    if (typeof text !== 'string' || text.startsWith('#') || !Object.keys(others).every(isSilent)) return at
    const found = followRef(text, { schema, path }, path, resolve)
    if (found.is !== 'found' || found.pointer.length > 0) return at
    at = { ...at, ...found.where }
  }
  return at
}

/** Whether all of its references have a target inside it. */
function staysInside({ schema }: SchemaIn): boolean {
  const isInside = (ref: string) => followRef(ref, { schema }, '', () => undefined).is === 'found'
  return findRefs(subschemasOf(schema)).every(({ ref }) => isInside(ref))
}

function leavesOnly({ schema }: SchemaIn): boolean {
  return findRefs(subschemasOf(schema)).every(({ ref }) => !ref.startsWith('#'))
}
