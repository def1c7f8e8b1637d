// What a tool's result is when it prints nothing: `empty_result_policy`. Agent Tool names the field and no words; these are ours.
import { frozen } from '../model/frozen.ts'

/** Word → result. */
const RESULTS = frozen({ empty_list: [], empty_object: {}, empty_text: { text: '' }, null: null })

export type EmptyResult = keyof typeof RESULTS | 'error'

export const EMPTY_RESULTS: readonly string[] = ['error', ...Object.keys(RESULTS)]

export function isEmptyResult(word: unknown): word is EmptyResult {
  return typeof word === 'string' && EMPTY_RESULTS.includes(word)
}

export function emptyResult(policy: Exclude<EmptyResult, 'error'>): unknown {
  return RESULTS[policy]
}
