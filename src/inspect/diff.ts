// Compares two agents: permissions first, then tools with their schemas, then files. Pure. A schema change matters by its effect: whether
// users of the old schema can use the new one.
import { isDigest } from '../agent/manifest.ts'
import { restrictionsIn, safetyIn } from '../caps/interface-records.ts'
import { isSameData } from '../json/same-data.ts'
import {
  type Agent,
  MANIFEST_FILE,
  PENDING_DIGEST,
  POLICY_FILE,
  SIGNATURE_FOLDER,
  TOOLS_FILE,
} from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { byPath, type FileEntry } from '../model/files.ts'
import { own } from '../model/own.ts'
import type { Permissions, Widening } from '../model/permissions.ts'
import type { Tool } from '../model/tools.ts'
import { gapsIn, type SchemaGap, type SchemaSide } from '../schema/cover.ts'
import { isSilent } from '../schema/keywords.ts'
import { findRefs, followRef, type ResolveRef, resolverIn } from '../schema/reference.ts'
import { isSchemaObject, subschemasOf } from '../schema/walk.ts'
import { writePath } from '../text/shell-words.ts'
import { TOOL_FIELDS, valueIn, WRITTEN_FIELDS } from '../tools/fields/index.ts'
import { permissionsOf, titlesIn, widen } from './widen.ts'

export interface AgentDiff extends Widening {
  /** Name, version, variant and kind. */
  readonly agent: readonly FieldDifference[]
  readonly tools: readonly ToolDifference[]
  /** The tools that both have are in another order. */
  readonly isReordered: boolean
  readonly schemas: readonly SchemaDifference[]
  /** Without signatures: the signers of a bundle are not part of its content. */
  readonly files: readonly FileDifference[]
}

/**
 * @param before read with every digest
 * @param after the same
 * @throws RlpError LINT_FAILED if manifest, policy or tools of one of them cannot be read: then its permissions are unknown
 */
export function diffAgents(before: Agent, after: Agent): AgentDiff {
  const tools = changedTools(toolsOf(before), toolsOf(after))
  return {
    ...widen(mayOf(before), mayOf(after)),
    agent: changedFields(factsOf(before), factsOf(after)),
    ...tools,
    files: changedFiles(before, after),
  }
}

/** Whether there is no difference at all. */
export function isSame(diff: AgentDiff): boolean {
  const { widened, narrowed, agent, tools, isReordered, schemas, files } = diff
  return [widened, narrowed, agent, tools, schemas, files].every(list => list.length === 0) && !isReordered
}

/** What an agent may do; undefined if its manifest, policy or tools cannot be read. */
export function readableMay(agent: Agent | undefined): Permissions | undefined {
  const { manifest, policy, tools } = agent ?? {}
  const isWhole = manifest?.entries[0] !== undefined && policy !== undefined && tools !== undefined
  return agent !== undefined && isWhole ? mayOf(agent) : undefined
}

/** A folder's files count, even if their digests are not yet in the manifest. */
export function mayOf(agent: Agent): Permissions {
  const { policy, files } = agent
  const entry = agent.manifest?.entries[0]
  if (entry === undefined) throw unreadable(agent, MANIFEST_FILE)
  if (policy === undefined) throw unreadable(agent, POLICY_FILE)
  toolsOf(agent)
  const blake3 = files.get(entry.path)?.digest ?? statedDigest(entry.blake3) ?? null
  return permissionsOf(agent, blake3)
}

/** Undefined for a digest that is not computed yet, which names no content. */
export function statedDigest(blake3: string | undefined): string | undefined {
  return isDigest(blake3) && blake3 !== PENDING_DIGEST ? blake3.toLowerCase() : undefined
}

function toolsOf(agent: Agent) {
  const { tools, files, documents } = agent
  if (tools === undefined) throw unreadable(agent, TOOLS_FILE)
  const schemas = files.list.filter(({ path }) => /^schemas\/.*\.json$/.test(path))
  const schemaAt = (path: string) => documents.get(path)?.value
  return {
    tools: tools.tools,
    schemaAt,
    recordFields: recordFieldsIn(schemaAt),
    schemaFiles: new Map(schemas.map(({ path, digest }) => [path, digest])),
  }
}

function unreadable({ label, form }: Agent, file: string): RlpError {
  return new RlpError('LINT_FAILED', `Cannot compare "${label}": its ${file} cannot be read`, {
    hint: `Run rlp agent ${form === 'source' ? 'lint' : 'verify'} ${writePath(label)}, which says why`,
  })
}

function factsOf({ manifest }: Agent): Record<string, unknown> {
  const { name, version, variant, kind } = manifest ?? {}
  return { name, version, variant, kind }
}

/**
 * A record grants nothing, and may restrict: a restriction that comes or goes is a difference, also where tools.json stays the same.
 *
 * @param fileAt the parsed JSON file of the agent at a path, if there is one
 */
function recordFieldsIn(fileAt: (path: string) => unknown): (id: string) => Record<string, unknown> {
  const restrict = restrictionsIn(fileAt)
  const safetyOf = safetyIn(fileAt)
  const titleOf = titlesIn(fileAt)
  return id => {
    const facts = Object.entries(safetyOf(id) ?? {}).map(([key, value]) => [`interfaces.${key}`, value])
    return { title: titleOf(id), restricted: restrict(id).reason, ...Object.fromEntries(facts) }
  }
}

export interface ToolDifference {
  /** Before the change; for an added tool, its only id. */
  readonly id: string
  readonly change: 'added' | 'removed' | 'renamed' | 'changed'
  /** Callers that use the old id no longer find the tool. */
  readonly isBreaking: boolean
  /** The new id of a renamed tool. */
  readonly to?: string
  readonly fields: readonly FieldDifference[]
}

/** One value that changed. Undefined: absent. */
export interface FieldDifference {
  /** `version`, or for tools as tools.json spells it: `transport.url`. */
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

export interface SchemaDifference extends SchemaChange {
  readonly tool: string
  readonly side: SchemaSide
}

/** Tools, with the files that their references name. */
export interface ToolsIn {
  readonly tools: readonly Tool[]
  /** The parsed JSON file at a path. */
  readonly schemaAt: (path: string) => unknown
  /** Digests of the files below schemas/, by path. */
  readonly schemaFiles: ReadonlyMap<string, string | undefined>
  /** What the records of interfaces.json say of a tool, as fields. */
  readonly recordFields: (id: string) => Readonly<Record<string, unknown>>
}

export function changedTools(before: ToolsIn, after: ToolsIn) {
  const old = byId(before.tools)
  const now = byId(after.tools)
  const renamed = renamedTools(
    [...old.values()].filter(({ id }) => !now.has(id)),
    [...now.values()].filter(({ id }) => !old.has(id)),
  )
  const isNewName = new Set(renamed.values())
  const tools: ToolDifference[] = []
  const schemas: SchemaDifference[] = []
  const areFilesSame = isSameMap(before.schemaFiles, after.schemaFiles)
  for (const [id, tool] of old) {
    const same = now.get(id)
    const to = renamed.get(id)
    if (same !== undefined) {
      const fields = changedFields(
        { ...fieldsOf(tool), ...before.recordFields(id) },
        { ...fieldsOf(same), ...after.recordFields(id) },
      )
      if (fields.length > 0) tools.push({ id, change: 'changed', isBreaking: false, fields })
      schemas.push(...changedSchemas(tool, same))
    } else if (to !== undefined) tools.push({ id, change: 'renamed', isBreaking: true, to, fields: [] })
    else tools.push({ id, change: 'removed', isBreaking: true, fields: [] })
  }
  for (const id of now.keys())
    if (!old.has(id) && !isNewName.has(id)) tools.push({ id, change: 'added', isBreaking: false, fields: [] })
  const kept = [...now.keys()].filter(id => old.has(id))
  const isReordered = !isSameData(
    kept,
    [...old.keys()].filter(id => now.has(id)),
  )
  return { tools, isReordered, schemas }

  function changedSchemas(tool: Tool, same: Tool): SchemaDifference[] {
    const areSame = areFilesSame && isSameData(tool.schemaRefs, same.schemaRefs)
    return (['input', 'result'] as const).flatMap(side => {
      const change = schemaChange(schemaOf(tool, before, side), schemaOf(same, after, side), {
        side,
        areFilesSame: areSame,
      })
      return change === undefined ? [] : [{ tool: tool.id, side, ...change }]
    })
  }
}

const { id, inputSchema, resultSchema, schemaRefs } = TOOL_FIELDS
/** What a tool is comes first, then what its references mean, then what is ours alone. */
const COMPARED = [false, true].flatMap(isLast =>
  WRITTEN_FIELDS.filter(([, field]) => isLast === (field === schemaRefs || field.at[0] === 'x-rlp')),
)

/** Everything but id and the two schemas, called as tools.json calls it. */
function fieldsOf(tool: Tool): Record<string, unknown> {
  const fields = COMPARED.flatMap(([name, field]) => {
    if ([id, inputSchema, resultSchema].some(one => one === field)) return []
    if (name === 'transport')
      return Object.entries(tool.transport).map(([key, part]) => [`transport.${key}`, part])
    const [key, inner = key] = field.at
    return [[key === 'x-rlp' ? `${key}.${inner}` : inner, valueIn(tool, name)]]
  })
  return Object.fromEntries(fields)
}

function schemaOf(tool: Tool, { schemaAt }: ToolsIn, side: SchemaSide) {
  const schema = side === 'input' ? tool.inputSchema : tool.resultSchema
  return { schema, path: TOOLS_FILE, resolve: resolverIn(tool.schemaRefs, schemaAt) }
}

/** If several have one id, the first counts; lint reports the others. */
function byId(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const all = new Map<string, Tool>()
  for (const tool of tools) if (!all.has(tool.id)) all.set(tool.id, tool)
  return all
}

/** Old id → new id, if everything else is equal and no other tool is equal too. */
function renamedTools(gone: readonly Tool[], come: readonly Tool[]): ReadonlyMap<string, string> {
  const [before, after] = [gone, come].map(tools => {
    const alike = new Map<string, string[]>()
    for (const { id, ...rest } of tools) {
      const key = JSON.stringify(rest)
      alike.set(key, [...(alike.get(key) ?? []).slice(0, 1), id])
    }
    return alike
  })
  const found = new Map<string, string>()
  for (const [key, ids] of before ?? []) {
    const [id, ...others] = ids
    const [to, ...more] = after?.get(key) ?? []
    if (id !== undefined && to !== undefined && others.length + more.length === 0) found.set(id, to)
  }
  return found
}

/** In the order of `old`, then new fields. */
export function changedFields(
  old: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): FieldDifference[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter(field => !isSameData(own(old, field), own(now, field)))
    .map(field => ({ field, before: own(old, field), after: own(now, field) }))
}

function isSameMap(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => value !== undefined && b.get(key) === value)
}

/** A schema and the targets of its references. */
interface SchemaIn {
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

export interface FileDifference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before: FileFacts | null
  readonly after: FileFacts | null
}

export interface FileFacts {
  readonly size: number
  readonly blake3: string
}

/** @param before read with every digest, and so is `after` */
export function changedFiles(before: Agent, after: Agent): FileDifference[] {
  const isPart = ({ path }: FileEntry) => !path.startsWith(`${SIGNATURE_FOLDER}/`)
  const list = [...before.files.list, ...after.files.list.filter(({ path }) => !before.files.get(path))]
  const [oldFacts, newFacts] = [factsIn(before), factsIn(after)]
  return list
    .filter(isPart)
    .sort(byPath)
    .flatMap(({ path }): FileDifference[] => {
      const [old, now] = [oldFacts(path), newFacts(path)]
      const change = changeOf(old, now)
      return change === undefined ? [] : [{ path, change, before: old, after: now }]
    })
}

function changeOf(old: FileFacts | null, now: FileFacts | null): FileDifference['change'] | undefined {
  if (old === null) return 'added'
  if (now === null) return 'removed'
  return old.blake3 === now.blake3 ? undefined : 'changed'
}

function factsIn({ files }: Agent): (path: string) => FileFacts | null {
  return path => {
    const entry = files.get(path)
    if (entry === undefined) return null
    const { size, digest } = entry
    if (digest === undefined) throw new TypeError('an agent that is compared was read with every digest')
    return { size, blake3: digest }
  }
}
