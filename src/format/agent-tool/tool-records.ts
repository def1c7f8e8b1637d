// interfaces.json → what it says of one tool: its records, and the facts in them that somebody stated.

import type { Field } from '../../model/conversion.ts'
import { own } from '../../model/own.ts'
import { inferredFields, statedFlag } from './flags.ts'
import type { RecordName } from './record-name.ts'
import type { AgentToolRecord, RecordObject } from './records.ts'
import { SAFETY_FLAGS } from './vocabulary.ts'

/** The first record of each kind that is about a tool. */
export interface ToolRecords {
  readonly declaration: RecordObject | undefined
  readonly interface: RecordObject | undefined
  readonly permission: RecordObject | undefined
  readonly execution: RecordObject | undefined
}

export const NO_RECORDS: ToolRecords = {
  declaration: undefined,
  interface: undefined,
  permission: undefined,
  execution: undefined,
}

/** Finds the records of a tool, the profiles through its declaration and interface. */
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
    const refer = (name: 'permission' | 'execution') => {
      const field = `${name}_profile_ref`
      const ref = own(face, field) ?? own(declaration, field)
      return ref === undefined ? undefined : index.get(key(`${name}-profile`, ref))
    }
    return { declaration, interface: face, permission: refer('permission'), execution: refer('execution') }
  }
}

const OF_A_TOOL = { 'tool-interface': true, 'tool-declaration': true }

/** A fact that a record has, and its value where it says yes, no, a number or a text that others understand. */
export interface Stated {
  readonly field: Field
  /** Undefined when it is inferred, or in words that only Agent Tool has: then other systems are told nothing. */
  readonly value: boolean | number | string | undefined
}

/** Facts for which other systems have a word, and those for which none has. */
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
  const only = ONLY_THERE.filter(key => Object.hasOwn(own, key) || Object.hasOwn(declaration ?? {}, key))
  return only.length === 0 ? facts : [...facts, { field: 'record', value: only.join(', ') }]
}

const PLAIN = [
  ['requires_user_interaction', 'requires_user_interaction', 'boolean'],
  ['strict', 'strict', 'boolean'],
  ['should_defer', 'deferred', 'boolean'],
  ['max_inline_chars', 'max_inline_chars', 'number'],
] as const satisfies readonly (readonly [string, Field, string])[]

/** What a model or a client could have used, and has no place elsewhere. */
const ONLY_THERE = [
  'aliases',
  'search_hint',
  'permission_matcher',
  'model_requirements',
  'rendering',
  'ui_summary',
]
