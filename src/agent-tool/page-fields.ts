// Fields of a tool interface that the page names and no schema types → wrong values; and misspelt keys.
import { own } from '../model/own.ts'
import { recordSchemas } from '../schema/generated/records.js'
import { probablyMeant } from '../text/did-you-mean.ts'
import { PARTITIONS } from './partitions.ts'
import type { RecordName } from './record-name.ts'
import { isRecordObject } from './records.ts'

type Kind = 'text' | 'texts' | 'flag' | 'count' | 'object'

/** As `ToolInterface` types them. A field that is not listed may have any value. */
const KINDS: Readonly<Record<string, Kind>> = {
  namespace: 'text',
  native_ids: 'object',
  user_facing_name: 'text',
  description: 'text',
  capability_refs: 'texts',
  should_defer: 'flag',
  always_load: 'flag',
  requires_setup: 'flag',
  required_credentials: 'texts',
  feature_gate_refs: 'texts',
  sandbox_profile: 'text',
  permission_channel: 'text',
  decision_ref: 'text',
  timeout_ms: 'count',
  progress_schema: 'object',
  redaction_policy_refs: 'texts',
  ui_summary: 'text',
  activity_description: 'text',
  internal_only_fields: 'texts',
}

const WANTED: Readonly<Record<Kind, string>> = {
  text: 'a text',
  texts: 'a list of texts',
  flag: 'true or false',
  count: 'a whole number above 0',
  object: 'an object',
}

/** The expected type of a field of a tool interface, if its value has another. */
export function expectedOf(field: string, value: unknown): string | undefined {
  const kind = own(KINDS, field)
  return kind === undefined || isOf(kind, value) ? undefined : WANTED[kind]
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'texts') return Array.isArray(value) && value.every(item => typeof item === 'string')
  if (kind === 'flag') return typeof value === 'boolean'
  if (kind === 'count') return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
  return isRecordObject(value)
}

/** Whether a record of this kind has a field of this name, in its schema or on the page. `x-` keys are always allowed. */
export function isField(record: RecordName, key: string): boolean {
  if (key.startsWith('x-') || MORE.includes(key)) return true
  return (
    Object.hasOwn(recordSchemas()[record].properties, key) || (record === 'tool-interface' && PAGE.has(key))
  )
}

/** The field that a key was probably meant for. Readers ignore unknown keys, so a typing error would go unnoticed. */
export function meantField(record: RecordName, key: string): string | undefined {
  const page = record === 'tool-interface' ? PAGE : []
  return probablyMeant(key, [...Object.keys(recordSchemas()[record].properties), ...page, ...MORE])
}

const MORE = ['annotations', 'interrupt_behavior']
const PAGE: ReadonlySet<string> = new Set([...Object.values(PARTITIONS).flat(), ...Object.keys(KINDS)])
