// The record of a change to the arguments of a call (Agent Tool, a MUST: injected fields are recorded, and the model's own input is kept).

import { isSameData } from '../json/same-data.ts'
import { own } from '../model/own.ts'
import type { InputMutation } from '../schema/generated/record-types.ts'
import { isRecordObject } from './records.ts'

/**
 * The record of a change to the arguments of a call; undefined if nothing changed.
 * @param before what the model wrote, or the result of the previous mutation
 * @param after what is passed on. Both are plain data of bounded depth
 */
export function inputMutation(
  before: unknown,
  after: unknown,
  about: Omit<InputMutation, 'schema_version' | 'changed_fields'>,
): InputMutation | undefined {
  if (isSameData(before, after)) return undefined
  return { schema_version: '0.2.0', ...about, changed_fields: changedArguments(before, after) }
}

/** Names of the arguments that differ, sorted; none if the input is not an object, because it then changed as a whole. */
export function changedArguments(before: unknown, after: unknown): string[] {
  if (!isRecordObject(before) || !isRecordObject(after)) return []
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const differs = (name: string) =>
    Object.hasOwn(before, name) !== Object.hasOwn(after, name) ||
    !isSameData(own(before, name), own(after, name))
  return [...names].filter(differs).sort()
}
