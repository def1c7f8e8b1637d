// The tools of two agents → added, removed and changed tools, and whether their schemas still fit. Part of diff.ts.
import { isSameData } from '../json/same-data.ts'
import { TOOLS_FILE } from '../model/agent.ts'
import { own } from '../model/own.ts'
import type { Tool } from '../model/tools.ts'
import type { SchemaSide } from '../schema/cover.ts'
import { resolverIn } from '../schema/reference.ts'
import { TOOL_FIELDS, valueIn, WRITTEN_FIELDS } from '../tools/fields/index.ts'
import { type SchemaChange, schemaChange } from './schema-change.ts'

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
