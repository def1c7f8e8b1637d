// Text that should be JSON → its value, read as strictly as the files of a bundle. Text that two readers
// could understand differently is refused, so that the tool sees what was checked.
import { findJsonProblem } from '../json/scan.ts'
import type { TextProblem } from '../model/document.ts'
import { own } from '../model/own.ts'

/** A JSON object. Its members may have any name; look them up with {@link member} or `Object.hasOwn`. */
export interface Fields {
  readonly [name: string]: unknown
}

/** The value of a text, or the first problem for which strict reading refuses it. */
type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: TextProblem }

/**
 * Reads JSON text: no duplicate keys, no `__proto__`, no lone surrogates, no numbers that JavaScript cannot
 * hold, at most 64 levels. Never throws. The code `syntax` means that the text is not JSON at all.
 */
export function readJson(text: string): ReadJson {
  const problem = findJsonProblem(text)
  if (problem !== undefined) return { ok: false, problem }
  if (!text.isWellFormed()) {
    const message = 'A surrogate without its other half is no character'
    return { ok: false, problem: { code: 'unsafe-value', message } }
  }
  return { ok: true, value: JSON.parse(text) }
}

/** The JSON object that a text spells, strictly; undefined for everything else. */
export function objectIn(text: string): Fields | undefined {
  const value = startsWith(text, '{') ? readJson(text) : undefined
  return value?.ok && isFields(value.value) ? value.value : undefined
}

/** The JSON array that a text spells, strictly; undefined for everything else. */
export function arrayIn(text: string): readonly unknown[] | undefined {
  const value = startsWith(text, '[') ? readJson(text) : undefined
  return value?.ok && Array.isArray(value.value) ? value.value : undefined
}

/** Saves reading a long text that is clearly something else. */
function startsWith(text: string, bracket: string): boolean {
  return /^[ \t\r\n]*(.?)/s.exec(text)?.[1] === bracket
}

/** Whether a value is an object that is neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object's own member. Inherited ones, `constructor` for example, do not count. */
export function member(fields: Fields, name: string): unknown {
  return own(fields, name)
}
