// The flags of a tool interface → true, false, or unknown. An unknown flag fails closed.
import { isTable, own } from '../model/own.ts'
import { isSafetyFlag, type SafetyFlag } from './vocabulary.ts'

/** The value of a flag: `unknown` if it is absent or not understood. */
export type FlagState = boolean | 'unknown'

/** A record with flags, of any shape. */
export type Flagged = Readonly<Partial<Record<SafetyFlag | 'annotations', unknown>>>

/** Answers `classifier:<id>`; undefined if it cannot. */
export type Classify = (id: string) => boolean | undefined

const EXPRESSION = /^(classifier|same_as):(\S+)$/

/** Values for unknown flags: no promise that a caller could rely on, and every harm that a call could do. */
const CLOSED: Readonly<Record<SafetyFlag, boolean>> = {
  is_enabled: false,
  is_read_only: false,
  is_concurrency_safe: false,
  is_destructive: true,
  is_open_world: true,
}

/**
 * The value in a record. `same_as:<flag>` is followed; a circle is unknown. An inferred "not destructive" is not a statement, so it is
 * unknown too.
 * @param classify without it a classifier's answer is unknown
 */
export function flagState(record: Flagged, flag: SafetyFlag, classify?: Classify): FlagState {
  const found = stateOf(record, flag, classify)
  if (found === undefined) return 'unknown'
  const isGuess = found.field === 'is_destructive' && !found.value && isInferred(record, found.field)
  return isGuess ? 'unknown' : found.value
}

/** The stated value: undefined if it is unknown or only inferred. Other systems are told only stated facts. */
export function statedFlag(record: Flagged, flag: SafetyFlag): boolean | undefined {
  const found = stateOf(record, flag, undefined)
  if (found === undefined || isInferred(record, flag) || isInferred(record, found.field)) return undefined
  return found.value
}

interface Found {
  readonly value: boolean
  /** The flag that holds the answer. */
  readonly field: SafetyFlag
}

function stateOf(record: Flagged, flag: SafetyFlag, classify: Classify | undefined): Found | undefined {
  const seen = new Set<SafetyFlag>()
  for (let field: SafetyFlag | undefined = flag; field !== undefined && !seen.has(field); ) {
    seen.add(field)
    const said: unknown = own(record, field)
    if (typeof said === 'boolean') return { value: said, field }
    const [, scheme, word = ''] = typeof said === 'string' ? (EXPRESSION.exec(said) ?? []) : []
    if (scheme === 'classifier') {
      const value = classify?.(word)
      return value === undefined ? undefined : { value, field }
    }
    field = scheme === 'same_as' && isSafetyFlag(word) ? word : undefined
  }
  return undefined
}

/** The same as yes or no, for decisions: unknown becomes the unsafe answer. */
export function settledFlag(record: Flagged, flag: SafetyFlag, classify?: Classify): boolean {
  const state = flagState(record, flag, classify)
  return state === 'unknown' ? CLOSED[flag] : state
}

/** Whether a record lists a field as inferred. */
function isInferred({ annotations }: Flagged, field: string): boolean {
  return inferredFields(annotations).includes(field)
}

/** `annotations.inferred`, of any type. */
export function inferredFields(annotations: unknown): readonly string[] {
  const inferred = isTable(annotations) ? own(annotations, 'inferred') : undefined
  return Array.isArray(inferred) ? inferred.filter(field => typeof field === 'string') : []
}
