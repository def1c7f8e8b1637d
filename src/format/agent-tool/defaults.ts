// A tool interface + what is known of its tool → the same with the fail-closed defaults of Agent Tool (seed 002, "Fail-closed defaults"),
// and which of its facts nobody stated.
import { inferredFields } from './flags.ts'
import { isRecordObject } from './records.ts'
import type { ToolInterface } from './tool-interface.ts'
import { CLOSED_KINDS } from './vocabulary.ts'

/** What is known of a tool beside its record. What is left out is not known. */
export interface ToolFacts {
  /** `tool_kind` of its declaration. A kind that is not known counts as one that can reach anything. */
  readonly toolKind?: string
  /** Where a call can go; decides instead of the kind. Empty: nowhere beyond the tool's own data. */
  readonly reaches?: readonly ('network' | 'browser' | 'shell')[]
  /** Whether something limits where it goes to a clear scope. */
  readonly scoped?: boolean
  /** Whether something showed that a call can destroy something. */
  readonly destructive?: boolean
  /** Whether a model writes its input by a schema. */
  readonly structured?: boolean
  /** Whether the model's provider can hold it to the schema exactly. */
  readonly providerStrict?: boolean
}

/** The fields that have a default, in the order of the page's table. */
export const DEFAULTED = [
  'is_concurrency_safe',
  'is_read_only',
  'is_destructive',
  'is_open_world',
  'requires_user_interaction',
  'strict',
  'interrupt_behavior',
  'classifier_input',
] as const satisfies readonly (keyof ToolInterface)[]

export type DefaultedField = (typeof DEFAULTED)[number]
type Defaults = { readonly [Field in DefaultedField]-?: NonNullable<ToolInterface[Field]> }

/** A tool interface that leaves none of those fields out. */
export interface DefaultedInterface extends Omit<ToolInterface, DefaultedField>, Defaults {}

/** The default of one field. */
export function defaultOf<Field extends DefaultedField>(
  field: Field,
  facts: ToolFacts = {},
): Defaults[Field] {
  return defaultsFor(facts)[field]
}

/**
 * Fills in what is left out, and lists it under `annotations.inferred` beside what stands there already. What is stated stays, whatever
 * it is; doing it twice changes nothing.
 */
export function withDefaults(
  record: ToolInterface,
  facts: ToolFacts = {},
): { readonly record: DefaultedInterface; readonly inferred: readonly string[] } {
  const { annotations } = record
  const added = DEFAULTED.filter(field => !Object.hasOwn(record, field) || record[field] === undefined)
  const inferred = [...new Set([...inferredFields(annotations), ...added])]
  const defaults = defaultsFor(facts)
  const filled = Object.fromEntries(added.map(field => [field, defaults[field]]))
  return {
    record: {
      ...record,
      ...(filled as unknown as Defaults),
      // Whatever somebody wrote in its place that is no object has nothing to keep.
      ...(inferred.length > 0 && {
        annotations: { ...(isRecordObject(annotations) && annotations), inferred },
      }),
    },
    inferred,
  }
}

function defaultsFor({
  toolKind,
  reaches,
  scoped,
  destructive,
  structured,
  providerStrict,
}: ToolFacts): Defaults {
  const isReaching =
    reaches === undefined ? !CLOSED_KINDS.some(kind => kind === toolKind) : reaches.length > 0
  return {
    is_concurrency_safe: false,
    is_read_only: false,
    // Not "harmless": an inferred false counts as unknown where something is decided by it (`flagState`).
    is_destructive: destructive === true,
    is_open_world: isReaching && scoped !== true,
    requires_user_interaction: false,
    strict: structured === true && providerStrict === true,
    interrupt_behavior: 'block',
    classifier_input: '',
  }
}
