// interfaces.json → the records of one tool, and their stated facts.
import type { Field } from '../model/conversion.ts'
import { own } from '../model/own.ts'
import { inferredFields, statedFlag } from './flags.ts'
import type { AgentToolRecord, RecordName, RecordObject } from './records.ts'
import { SAFETY_FLAGS } from './vocabulary.ts'

/** The first record of each kind that is about a tool. */
export interface ToolRecords {
  readonly declaration: RecordObject | undefined
  readonly interface: RecordObject | undefined
  readonly permission: RecordObject | undefined
  readonly execution: RecordObject | undefined
  /** Profiles that the declaration names, and the interface others: of facts the interface's count, of restrictions these too. */
  readonly declaredPermission: RecordObject | undefined
  readonly declaredExecution: RecordObject | undefined
}

/** Finds the records of a tool, and its profiles through declaration and interface. */
export function recordsOf(records: readonly AgentToolRecord[]): (id: string) => ToolRecords {
  const index = new Map<string, RecordObject>()
  const key = (name: RecordName, id: unknown) => JSON.stringify([name, id])
  for (const { name, value } of records) {
    const id = Object.hasOwn(OF_A_TOOL, name) ? value['tool_id'] : own(value, `${name.replace('-', '_')}_id`)
    if (!index.has(key(name, id))) index.set(key(name, id), value)
  }
  return id => {
    const declaration = index.get(key('tool-declaration', id))
    const face = index.get(key('tool-interface', id))
    const refer = (name: 'permission' | 'execution', ...from: readonly (RecordObject | undefined)[]) => {
      const refs = from.map(record => own(record, `${name}_profile_ref`))
      const ref = refs.find(one => one !== undefined)
      return ref === undefined ? undefined : index.get(key(`${name}-profile`, ref))
    }
    return {
      declaration,
      interface: face,
      permission: refer('permission', face, declaration),
      execution: refer('execution', face, declaration),
      declaredPermission: refer('permission', declaration),
      declaredExecution: refer('execution', declaration),
    }
  }
}

const OF_A_TOOL = { 'tool-interface': true, 'tool-declaration': true }

/** A fact that a record has, and its value if it is a boolean, a number or a text that other systems understand. */
export interface Stated {
  readonly field: Field
  /** Undefined if it is inferred, or in words that only Agent Tool has: then other systems are told nothing. */
  readonly value: boolean | number | string | undefined
}

/** Facts for which another system may have a word; `onlyThere` has the rest. */
export function statedIn({ declaration, interface: own = {} }: ToolRecords): readonly Stated[] {
  const inferred = [...inferredFields(declaration?.['annotations']), ...inferredFields(own['annotations'])]
  const record = { ...own, annotations: { inferred } }
  const facts: Stated[] = []
  const title = [own['user_facing_name'], declaration?.['title']].find(text => typeof text === 'string')
  if (title !== undefined && !inferred.includes('title'))
    facts.push({ field: 'title', value: title as string })
  for (const flag of SAFETY_FLAGS) {
    if (flag === 'is_enabled' || !Object.hasOwn(own, flag) || inferred.includes(flag)) continue
    facts.push({ field: flag, value: statedFlag(record, flag) })
  }
  for (const [key, field, type] of PLAIN) {
    const value = own[key]
    if (typeof value === type && !inferred.includes(key))
      facts.push({ field, value: value as boolean | number })
  }
  return facts
}

const PLAIN = [
  ['requires_user_interaction', 'requires_user_interaction', 'boolean'],
  ['strict', 'strict', 'boolean'],
  ['should_defer', 'deferred', 'boolean'],
  ['max_inline_chars', 'max_inline_chars', 'number'],
] as const satisfies readonly (readonly [string, Field, string])[]

/** Milliseconds that a call may take by the records of a tool: the lowest of them. A record lowers a limit, and never raises it. */
export function timeLimitIn(records: ToolRecords): number | undefined {
  const { interface: face, execution, declaredExecution } = records
  const limits = [face, execution, declaredExecution].map(one => own(one, 'timeout_ms')).filter(isLimit)
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/** Characters of an answer that a model gets at most. */
export function inlineLimitIn({ interface: face }: ToolRecords): number | undefined {
  const limit: unknown = own(face, 'max_inline_chars')
  return isLimit(limit) ? limit : undefined
}

/** A record because of which a person is asked before each call, and its field. */
export interface Asking {
  readonly record: RecordObject
  readonly field: 'approval_required' | 'requires_user_interaction'
}

/**
 * The first such record, in the order of importance. Only a stated `false`, and nothing at all, mean that no person is needed: any other
 * value fails closed.
 */
export function askingIn(records: ToolRecords): Asking | undefined {
  const { interface: face, permission, declaredPermission } = records
  for (const record of [permission, declaredPermission])
    if (wants(record, 'approval_required')) return { record, field: 'approval_required' }
  return wants(face, 'requires_user_interaction')
    ? { record: face, field: 'requires_user_interaction' }
    : undefined
}

function wants(record: RecordObject | undefined, field: Asking['field']): record is RecordObject {
  return (own(record, field) ?? false) !== false
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}
