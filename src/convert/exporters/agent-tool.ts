// Tools → Agent Tool records (v0.2.0), as in interfaces.json: of each a declaration, an interface, and the profiles that say how it is run and
// what it may touch. Facts in interfaces.json stay; a fact that is not stated gets the safe value and is listed under annotations.inferred.
import { DEFAULTED, withDefaults } from '../../agent-tool/defaults.ts'
import { inferredFields } from '../../agent-tool/flags.ts'
import type { ToolInterface } from '../../agent-tool/interface-fields.ts'
import type { RecordObject } from '../../agent-tool/records.ts'
import { askingIn, statedIn } from '../../agent-tool/tool-records.ts'
import { type ConversionChange, FIELDS, type Field } from '../../model/conversion.ts'
import { own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { strictProblem } from '../../openai/strict.ts'
import { needsOf, transportNeed } from '../../policy/needs.ts'
import { transportKind } from '../../tools/transports/index.ts'
import type { Exporter, PreparedTool } from './exporter.ts'
import { fatesIn, lossesOf, timeLimitOf } from './fates.ts'
import { MCP_NAMES, namesFor, OPENAI_NAMES } from './named-tools.ts'
import { objectRoot } from './object-root.ts'

const FATES = fatesIn('agent-tool', { lost: 'Agent Tool has no word for it' })

/** Keys of a record that have another name than the field that they are about. */
const FIELD_OF: Readonly<Record<string, Field>> = {
  namespace: 'id',
  capability_refs: 'capabilities',
  access_kinds: 'capabilities',
}

export const agentTool: Exporter = {
  format: 'agent-tool',
  summary: 'Agent Tool records, as interfaces.json holds them',
  fates: FATES,
  export(tools, { agent, ids }) {
    const elsewhere = { openai: namesFor(ids, OPENAI_NAMES), mcp: namesFor(ids, MCP_NAMES) }
    const changes: ConversionChange[] = []
    const all = new Map<string, RecordObject>()
    for (const prepared of tools) {
      const { id } = prepared.tool
      const { records, inferred } = buildRecords(prepared, { agent, nativeIds: othersOf(id, elsewhere) })
      for (const record of records) add(all, record)
      for (const [key, value] of inferred) {
        const field = own(FIELD_OF, key) ?? (Object.hasOwn(FIELDS, key) ? (key as Field) : 'record')
        const message = `${key} is ${JSON.stringify(value)}, which was not stated`
        changes.push({ tool: id, field, what: 'inferred', message })
      }
      changes.push(...lossesOf(prepared, FATES))
    }
    return { document: [...all.values()], tools: tools.length, names: new Map(), changes }
  },
}

/** A tool's names in other systems, if they differ from its id. */
function othersOf(
  id: string,
  elsewhere: Readonly<Record<string, ReadonlyMap<string, string>>>,
): Record<string, string> {
  const names = Object.entries(elsewhere).map(([system, names]) => [system, names.get(id) ?? id] as const)
  return Object.fromEntries(names.filter(([, name]) => name !== id))
}

/** Tools may share a profile: it is written once, and asks if it asks for any of them. */
function add(all: Map<string, RecordObject>, record: RecordObject): void {
  const { execution_profile_id, permission_profile_id, interface_id, tool_id } = record
  const key = JSON.stringify([execution_profile_id, permission_profile_id, interface_id, tool_id])
  const before = all.get(key)
  const asks = before?.['approval_required'] === true
  all.set(key, asks ? { ...record, approval_required: true } : record)
}

const SCHEMA_VERSION = '0.2.0'

/** Ids of the records that a tool's declaration and interface refer to. */
type Refs = Readonly<Record<'interface_ref' | 'execution_profile_ref' | 'permission_profile_ref', unknown>>

/** Records which keys were inferred. */
type NoteInferred = (record: RecordObject, keys: readonly string[]) => void

/** `annotations.inferred`, if the list is not empty. */
function inferredKeys(inferred: readonly string[]): { readonly inferred?: readonly string[] } {
  return inferred.length === 0 ? {} : { inferred: [...new Set(inferred)] }
}

/** A field of a record that is a list, where it is one. */
function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Names that do not follow from the tool alone. */
interface Naming {
  /** The namespace of a tool whose id has none. */
  readonly agent: string | undefined
  /** System → the tool's name there, if it differs. */
  readonly nativeIds: Readonly<Record<string, string>>
}

function buildRecords(prepared: PreparedTool, naming: Naming) {
  const { tool, records: known } = prepared
  const { nativeIds } = naming
  const refs = {
    interface_ref: known.interface?.['interface_id'] ?? `tool_interface:${tool.id}`,
    execution_profile_ref: known.execution?.['execution_profile_id'] ?? `execution_profile:${tool.id}`,
    permission_profile_ref: known.permission?.['permission_profile_id'] ?? `permission_profile:${tool.id}`,
  }
  const inferred = new Map<string, unknown>()
  const note = (record: RecordObject, keys: readonly string[]) => {
    for (const key of keys) inferred.set(key, own(record, key))
  }
  const names = namesOf(tool.id, naming)
  const declaration = declarationOf(prepared, names, refs, note)
  const face = interfaceOf(
    prepared,
    Object.keys(nativeIds).length > 0 ? { ...names, native_ids: nativeIds } : names,
    refs,
    note,
  )
  const execution = known.execution ?? executionOf(prepared, refs.execution_profile_ref)
  const permission = permissionOf(prepared, refs.permission_profile_ref)
  if (known.permission === undefined) note(permission, RISK)
  return { records: [declaration, face, execution, permission], inferred }
}

/** The namespace is the text before the last dot. */
function namesOf(id: string, { agent }: Naming) {
  const dot = id.lastIndexOf('.')
  const isSplit = dot > 0 && dot < id.length - 1
  return isSplit
    ? { namespace: id.slice(0, dot), name: id.slice(dot + 1) }
    : { namespace: agent ?? '', name: id }
}

/** Keys of a declaration that are inferred. */
const DECLARED = ['namespace', 'title', 'lifecycle', 'tool_kind', 'capability_refs']

function declarationOf(
  prepared: PreparedTool,
  names: ReturnType<typeof namesOf>,
  refs: Refs,
  note: NoteInferred,
): RecordObject {
  const { tool, inferred, records } = prepared
  const { id, description, transport, tags, budget, capabilities } = tool
  const known = records.declaration ?? {}
  // The interface may state what the declaration leaves out.
  const shown = statedIn(records).find(({ field }) => field === 'title')?.value
  const record = {
    schema_version: SCHEMA_VERSION,
    tool_id: id,
    ...names,
    title: shown ?? names.name,
    description,
    lifecycle: 'available',
    tool_kind: transportKind(transport).record.tool,
    ...refs,
    ...known,
    // A record that is already in a bundle must not hide what tools.json asks for.
    capability_refs: [
      ...new Set([...asList(known['capability_refs']), ...capabilities, ...impliedBeside(prepared)]),
    ],
  }
  const made = DECLARED.filter(key => !Object.hasOwn(known, key) && !(key === 'title' && shown !== undefined))
  note(record, made)
  const listed = [
    ...inferredFields(known['annotations']),
    ...(inferred.includes('description') ? ['description'] : []),
    ...made,
  ]
  const said = {
    ...(tags.length > 0 && { tags }),
    ...(budget && { budget }),
    ...(known['annotations'] as RecordObject),
  }
  return { ...record, annotations: { ...said, ...inferredKeys(listed) } }
}

/** Capabilities that the transport implies, unless a listed one says the same. */
function impliedBeside({ tool }: PreparedTool): string[] {
  const { capability } = transportNeed(tool)
  const wider = capability.startsWith('net:') ? capability.replace(/:[0-9]+$/, '') : 'exec'
  return tool.capabilities.some(listed => listed === capability || listed === wider) ? [] : [capability]
}

function interfaceOf(
  prepared: PreparedTool,
  names: RecordObject,
  refs: Refs,
  note: NoteInferred,
): RecordObject {
  const { tool, input, result, runtime, inferred, records } = prepared
  const { interface_ref, ...profiles } = refs
  const known = records.interface ?? {}
  const kind = transportKind(tool.transport)
  const suggestsReading = kind.shown.isReading(tool.transport)
  const listed = [
    ...inferredFields(known['annotations']),
    ...(inferred.includes('result_schema') ? ['output_schema'] : []),
  ]
  const limit = tool.rlp.timeoutMs === undefined ? undefined : timeLimitOf(prepared)
  const record = {
    schema_version: SCHEMA_VERSION,
    interface_id: interface_ref,
    tool_id: tool.id,
    ...names,
    description: tool.description,
    ...profiles,
    ...known,
    // A record that is already in a bundle must not hide a limit or a secret of tools.json.
    ...(limit !== undefined && { timeout_ms: limit }),
    ...(tool.secrets.length > 0 && {
      required_credentials: bothOf(known['required_credentials'], tool.secrets),
    }),
    // tools.json decides the schemas of input and result.
    model_input_schema: asObject(input),
    ...(runtime !== undefined && { runtime_input_schema: asObject(runtime) }),
    output_schema: asObject(result),
    // How the call is carried out; it has no record of its own. Headers name secrets and never hold them.
    external_mappings: [
      ...asList(known['external_mappings']),
      kind.record.mapping(tool, `tools.json#${tool.id}`),
    ],
    annotations: {
      ...(known['annotations'] as RecordObject),
      // A method is only a hint: no author stated the fact.
      ...(suggestsReading && !Object.hasOwn(known, 'is_read_only') && { suggested: { is_read_only: true } }),
      ...inferredKeys(listed),
    },
  }
  const root = objectRoot(input)
  const facts = {
    toolKind: kind.record.tool,
    ...(kind.record.reaches.length > 0 && { reaches: kind.record.reaches }),
    structured: root !== undefined,
    providerStrict: root !== undefined && strictProblem(root) === undefined,
  }
  const made = withDefaults(record as unknown as ToolInterface, facts).record as unknown as RecordObject
  note(
    made,
    DEFAULTED.filter(key => !Object.hasOwn(known, key)),
  )
  return made
}

/** Records accept only objects; a schema may also be `true` or `false`. */
function asObject(schema: JsonSchema): RecordObject {
  return schema === true ? {} : schema === false ? { not: {} } : schema
}

function bothOf(known: unknown, more: readonly string[]): readonly unknown[] {
  return [...new Set([...asList(known), ...more])]
}

/** Fields of a permission profile that are inferred: the risk is not stated, so it is high. */
const RISK = ['risk_level', 'access_kinds']

function executionOf({ tool }: PreparedTool, id: unknown): RecordObject {
  const { timeoutMs } = tool.rlp
  return {
    schema_version: SCHEMA_VERSION,
    execution_profile_id: id,
    execution_kind: transportKind(tool.transport).record.execution,
    // 0 is no limit.
    ...(timeoutMs !== undefined && timeoutMs > 0 && { timeout_ms: timeoutMs }),
  }
}

/** The known profile, if there is one. Its confirmation also follows tools.json. */
function permissionOf({ tool, records }: PreparedTool, id: unknown): RecordObject {
  const { access, reaches } = transportKind(tool.transport).record
  const hasSecrets = tool.secrets.length > 0
  const record = records.permission ?? {
    schema_version: SCHEMA_VERSION,
    permission_profile_id: id,
    risk_level: 'high',
    access_kinds: [access, ...(hasSecrets ? ['credential'] : [])],
    ...(reaches.includes('network') && { network_scope: networkScope({ tool }) }),
    ...(hasSecrets && { credential_refs: tool.secrets }),
    annotations: { inferred: RISK },
  }
  const isAsked = askingIn(records)?.field === 'approval_required'
  return { ...record, approval_required: tool.requiresConfirmation || isAsked }
}

/** Every host that the tool may reach, as in capability strings. */
function networkScope({ tool }: Pick<PreparedTool, 'tool'>): string {
  const hosts = needsOf(tool).flatMap(({ capability }) =>
    capability.startsWith('net:') ? capability.slice('net:'.length) : [],
  )
  // A host without port includes its usual port.
  const told = hosts.filter(host => !hosts.includes(host.replace(/:[0-9]+$/, '')) || !/:[0-9]+$/.test(host))
  return [...new Set(told)].join(' ')
}
