// Validates Agent Tool records by their published schemas (schemas/agent-tool/), one function for each of the fifteen kinds.
import { frozen } from '../model/frozen.ts'
import { MAX_SHAPE_PROBLEMS } from '../schema/check.ts'
import type { RecordTypes } from '../schema/generated/record-types.ts'
import { onePerPlace, toProblem } from '../schema/problems.ts'
import { recordErrors } from './record-shape.ts'
import { RECORD_SCHEMA_ID, type RecordName, recordName } from './records.ts'

/** Where a record differs from its schema. */
export interface RecordProblem {
  /** Keys and indexes from the record to the value; empty for the record itself. */
  readonly at: readonly (string | number)[]
  /** One sentence without a full stop. */
  readonly message: string
  /** The edit that puts it right. */
  readonly fix: string
}

export type RecordValidation<Data> =
  | { readonly ok: true; readonly record: Data }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] }

/** Never throws on JSON data; nothing is copied or changed. Keys that the schema does not know are allowed. */
export type RecordValidator<Data> = (value: unknown) => RecordValidation<Data>

const SPEECH = { language: 'json', root: 'The record', ours: true } as const

/**
 * Holds a value against the schema of one kind of record. At most a hundred problems are listed.
 *
 * @example
 * const checked = AgentTool.validateRecord('tool-interface', JSON.parse('{"tool_id": "mail.send"}'))
 * if (checked.ok) console.log(checked.record.interface_id)
 */
export function validateRecord<Kind extends RecordName>(
  kind: Kind,
  value: unknown,
): RecordValidation<RecordTypes[Kind]> {
  const errors = onePerPlace(recordErrors(value, kind)).slice(0, MAX_SHAPE_PROBLEMS)
  if (errors.length === 0) return { ok: true, record: value as RecordTypes[Kind] }
  const problems = errors.map(error => {
    const { pointer, message, fix } = toProblem(error, [], value, SPEECH)
    return { at: pointer, message, fix }
  })
  return { ok: false, problems }
}

/** Which kind of record a value is, by the id that each kind has for itself; undefined for what is no object. */
export function recordKind(value: unknown): RecordName | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? recordName(value) : undefined
}

/** All of them, by kind. */
export const RECORD_VALIDATORS = frozen(
  Object.fromEntries(
    (Object.keys(RECORD_SCHEMA_ID) as RecordName[]).map(kind => [
      kind,
      (value: unknown) => validateRecord(kind, value),
    ]),
  ),
) as { readonly [Kind in RecordName]: RecordValidator<RecordTypes[Kind]> }

export const {
  'tool-declaration': validateToolDeclaration,
  'tool-interface': validateToolInterface,
  'tool-surface': validateToolSurface,
  invocation: validateInvocation,
  'permission-profile': validatePermissionProfile,
  'permission-decision': validatePermissionDecision,
  'execution-profile': validateExecutionProfile,
  'input-mutation': validateInputMutation,
  hook: validateHook,
  'scheduler-policy': validateSchedulerPolicy,
  'deferred-tool': validateDeferredTool,
  result: validateResult,
  'result-persistence': validateResultPersistence,
  progress: validateProgress,
  event: validateEvent,
} = RECORD_VALIDATORS
