// A tool's answer → the class by which an agent's loop decides its next step (docs/contract.md).
import { detect } from './detect.ts'
import { isFields, member } from './json-text.ts'

/** `partial_listing`: truncated and not empty. `error`: any failure but a missing path. */
export type ResultClass =
  | 'empty_listing'
  | 'partial_listing'
  | 'populated_listing'
  | 'file_content'
  | 'not_found'
  | 'error'
  | 'other'

/**
 * The class of an answer, by its fields and never by its prose. Never throws.
 *
 * @example
 * classify('{"ok":true,"result":{"kind":"listing","path":".","entries":[],"entry_count":0,"truncated":false}}') // empty_listing
 */
export function classify(text: string): ResultClass {
  const found = detect(text)
  if (found.is === 'failure') return found.failure.kind === 'not_found' ? 'not_found' : 'error'
  const result =
    found.is === 'success' && found.form === 'envelope' ? member(found.fields, 'result') : undefined
  if (!isFields(result)) return 'other'
  switch (member(result, 'kind')) {
    case 'listing': {
      const [count, entries] = [member(result, 'entry_count'), member(result, 'entries')]
      const known = typeof count === 'number' ? count : Array.isArray(entries) ? entries.length : 0
      if (known === 0) return 'empty_listing'
      return member(result, 'truncated') === true ? 'partial_listing' : 'populated_listing'
    }
    case 'file':
      return 'file_content'
    default:
      return 'other'
  }
}
