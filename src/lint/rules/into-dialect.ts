// Rewrites a schema into the dialect of bundles, for lint --fix and for imports. It drops names that nothing refers to, and writes what an
// older draft says in the words of 2020-12. What cannot be rewritten for certain stays, and lint refuses it.
import { isSameData } from '../../json/same-data.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { dialectOf, LATEST, NAMES, outsideDialect } from '../../schema/dialect.ts'
import { isSilent } from '../../schema/keywords.ts'
import { findRefs } from '../../schema/reference.ts'
import { type SchemaObject, subschemasOf, withInner } from '../../schema/walk.ts'

/** @returns the schema itself if there is nothing to rewrite */
export function intoDialect(root: JsonSchema): JsonSchema {
  const nodes = subschemasOf(root)
  if (outsideDialect(nodes).length === 0) return root
  const refs = findRefs(nodes).map(({ ref }) => ref)
  const dialects = nodes.map(({ schema }) => dialectOf(schema))
  const hasDynamic = nodes.some(
    ({ schema }) =>
      Object.hasOwn(Object(schema), '$dynamicRef') || Object.hasOwn(Object(schema), '$recursiveRef'),
  )
  const about: About = {
    isOld: dialects.some(dialect => dialect !== '2020-12' && dialect !== 'unknown'),
    isRefAlone: dialects.some(dialect => dialect === 'draft-06' || dialect === 'draft-07'),
    areRefsPlain: !hasDynamic && refs.every(ref => /^(?:#(?:\/|$)|schema:)/.test(ref)),
    arePlacesFree: !refs.some(ref => /\/(?:items\/[0-9]|additionalItems)/.test(ref)),
  }
  const written = rewritten(root, about, true)
  return isSameData(written, root) ? root : written
}

interface About {
  /** Whether a draft is named in which `items` may be a list. */
  readonly isOld: boolean
  /** Whether a draft is named that reads nothing beside `$ref`. */
  readonly isRefAlone: boolean
  /** Whether no reference needs an `$id` or an anchor. */
  readonly areRefsPlain: boolean
  /** Whether no reference leads into a list at `items`. */
  readonly arePlacesFree: boolean
}

function rewritten(schema: JsonSchema, about: About, isRoot: boolean): JsonSchema {
  if (typeof schema === 'boolean') return schema
  const copy: Record<string, unknown> = { ...schema }
  if (dialectOf(copy) !== 'unknown' && !isRoot) delete copy['$schema']
  else if (dialectOf(copy) !== 'unknown' && copy['$schema'] !== undefined) copy['$schema'] = LATEST
  if (about.areRefsPlain) dropNames(copy, isRoot)
  const { items, additionalItems, $ref, allOf = [] } = copy
  if (about.isOld && about.arePlacesFree && Array.isArray(items) && !Object.hasOwn(copy, 'prefixItems')) {
    copy['prefixItems'] = items
    delete copy['items']
    if (additionalItems !== undefined) copy['items'] = additionalItems
    delete copy['additionalItems']
  }
  const isJudged = Object.keys(copy).some(keyword => keyword !== '$ref' && !isSilent(keyword))
  if (about.isRefAlone && isJudged && typeof $ref === 'string' && Array.isArray(allOf)) {
    delete copy['$ref']
    copy['allOf'] = [...allOf, { $ref }]
  }
  return withInner(copy, child => rewritten(child, about, false))
}

/** An `$id` moves where the references below it begin, so it stays if there are some. */
function dropNames(copy: Record<string, unknown>, isRoot: boolean): void {
  for (const name of NAMES) delete copy[name]
  if (!isRoot && findRefs(subschemasOf(copy as SchemaObject)).length === 0) delete copy['$id']
}
