// Changes schemas for lint --fix and for imports: adds members, and rewrites a schema of an older draft into the dialect of bundles. Every
// other byte of a file stays as it is. What cannot be rewritten for certain stays too, and lint refuses it.
import { changeValues } from '../../json/change.ts'
import { isSameData } from '../../json/same-data.ts'
import type { Agent } from '../../model/agent.ts'
import type { Document, Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { dialectOf, LATEST, NAMES, outsideDialect } from '../../schema/dialect.ts'
import { isSilent } from '../../schema/keywords.ts'
import { findRefs } from '../../schema/reference.ts'
import { type SchemaObject, subschemasOf, withInner } from '../../schema/walk.ts'
import { applySplices, type Splice } from '../../text/splice.ts'
import type { FileFix } from './rule.ts'
import type { SchemaSpot } from './schema-inputs.ts'
import type { AgentSchema } from './schemas.ts'

/**
 * One fix for each JSON file in which a schema changes.
 * @param make returns the schema itself if there is nothing to change
 */
export function changedSchemas(
  agent: Agent,
  schemas: readonly AgentSchema[],
  what: string,
  make: (schema: AgentSchema) => JsonSchema,
): FileFix[] {
  const fixes: FileFix[] = []
  for (const [path, document] of agent.documents) {
    if (document.syntax !== 'json') continue
    const changes = schemas
      .filter(({ file }) => file === path)
      .map(schema => ({ pointer: schema.at, before: schema.schema, value: make(schema) }))
      .filter(({ before, value }) => value !== before)
    if (changes.length > 0) fixes.push({ path, text: changeValues(document, changes), what })
  }
  return fixes
}

/**
 * One fix for each file in which a part of a schema is written in another way.
 * @param edit gets the pointer from the root of the file; it returns undefined if there is nothing to change
 */
export function editedParts(
  { documents }: Agent,
  parts: readonly Omit<SchemaSpot, 'schema'>[],
  what: string,
  edit: (document: Document, pointer: Pointer) => Splice | undefined,
): FileFix[] {
  const splices = new Map<Document, Splice[]>()
  for (const { where, pointer } of parts) {
    const document = documents.get(where.file)
    const splice = document && edit(document, [...where.at, ...pointer])
    if (document === undefined || splice === undefined) continue
    const known = splices.get(document)
    if (known === undefined) splices.set(document, [splice])
    else known.push(splice)
  }
  return [...splices].flatMap(([document, of]) => {
    const text = applySplices(document.text, of)
    return text === undefined ? [] : { path: document.path, text, what }
  })
}

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

/** Behind the last member of an object, in the way the first one is written. */
export function addMember(document: Document, pointer: Pointer, member: string): Splice | undefined {
  const { text } = document
  const { start, end } = document.locate(pointer)
  const inside = text.slice(start + 1, end - 1)
  if (text[start] !== '{' || text[end - 1] !== '}') return undefined
  const lead = /^\s*/.exec(inside)?.[0] ?? ''
  const at = start + 1 + inside.trimEnd().length
  if (inside.trim() === '') return { range: { start, end }, text: `{ ${member} }` }
  return { range: { start: at, end: at }, text: `,${lead === '' ? ' ' : lead}${member}` }
}
