// A tool interface + known facts about its tool → the same with Agent Tool's fail-closed defaults, and the list of facts that were
// inferred (docs/interfaces.md).
import { frozen } from '../model/frozen.ts'
import { inferredFields } from './flags.ts'
import type { ToolInterface } from './interface-fields.ts'
import { isRecordObject } from './records.ts'
import { CLOSED_KINDS } from './vocabulary.ts'

/** Facts about a tool that are not in its record. An absent one is unknown. */
export interface ToolFacts {
  /** `tool_kind` of its declaration. An unknown kind counts as one that can reach anything. */
  readonly toolKind?: string
  /** Where a call can go; replaces the kind's answer. Empty: nowhere beyond the tool's own data. */
  readonly reaches?: readonly ('network' | 'browser' | 'shell')[]
  /** Whether its reach is limited to a clear scope. */
  readonly scoped?: boolean
  /** Whether a call is known to be able to destroy something. */
  readonly destructive?: boolean
  /** Whether a model writes its input by a schema. */
  readonly structured?: boolean
  /** Whether the model's provider can enforce the schema exactly. */
  readonly providerStrict?: boolean
}

/** The fields that have a default, in the order of the page's table. */
export const DEFAULTED = frozen([
  'is_concurrency_safe',
  'is_read_only',
  'is_destructive',
  'is_open_world',
  'requires_user_interaction',
  'strict',
  'interrupt_behavior',
  'classifier_input',
] as const satisfies readonly (keyof ToolInterface)[])

export type DefaultedField = (typeof DEFAULTED)[number]
type Defaults = { readonly [Field in DefaultedField]-?: NonNullable<ToolInterface[Field]> }

/** A tool interface with all of those fields. */
export interface DefaultedInterface extends Omit<ToolInterface, DefaultedField>, Defaults {}

/** The default of one field. */
export function defaultOf<Field extends DefaultedField>(
  field: Field,
  facts: ToolFacts = {},
): Defaults[Field] {
  return defaultsFor(facts)[field]
}

/**
 * Fills in absent fields and adds them to `annotations.inferred`. A stated value stays, whatever it is; filling in twice changes nothing.
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
      // A value there that is not an object is dropped.
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
    // Not "harmless": an inferred false counts as unknown in decisions (`flagState`).
    is_destructive: destructive === true,
    is_open_world: isReaching && scoped !== true,
    requires_user_interaction: false,
    strict: structured === true && providerStrict === true,
    interrupt_behavior: 'block',
    classifier_input: '',
  }
}
