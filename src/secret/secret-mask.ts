// Masks the values of secrets in everything that leaves a call: answers, messages, logs, traces. None is forgotten: a tool could read many
// values to get rid of the mask of one.
import type { Range } from '../model/document.ts'
import { MASK, maskRanges } from '../text/mask.ts'
import { formsOf, type SecretForms } from './secret-forms.ts'

/** A shorter secret would mask half of every answer. In characters. */
export const SHORTEST_SECRET = 4

/** Every secret that was resolved so far, in any call: a secret of one tool may be printed by another. */
export class SecretMask {
  readonly #forms = new Map<string, SecretForms>()

  /** @throws RangeError for a value below {@link SHORTEST_SECRET} */
  add(value: string): void {
    if (value.length < SHORTEST_SECRET) throw new RangeError('the secret is too short to be masked')
    if (!this.#forms.has(value)) this.#forms.set(value, formsOf(value))
  }

  text(text: string): string {
    const found = [...this.#forms.values()].flatMap(({ literals, mixed }) => [
      ...literals.flatMap(literal => rangesOf(text, literal)),
      ...(mixed === undefined ? [] : matchesOf(text, mixed)),
    ])
    return found.length === 0 ? text : maskRanges(text, found)
  }

  /** For a text that was cut: it may end with the beginning of a secret. */
  cutText(text: string): string {
    const masked = this.text(text)
    let cut = 0
    for (const { literals } of this.#forms.values())
      for (const literal of literals) cut = Math.max(cut, overlap(masked, literal))
    return cut === 0 ? masked : masked.slice(0, -cut) + MASK
  }

  /** Plain JSON data of bounded depth, including keys. A number that spells a secret becomes the mask. */
  value(value: unknown): unknown {
    if (this.#forms.size === 0) return value
    // Usually nothing has to be masked, and one long text is searched much faster than a million short ones.
    const all = textsIn(value).join('\0')
    return this.text(all) === all ? value : this.#masked(value)
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') {
      const text = JSON.stringify(value)
      return this.text(text) === text ? value : MASK
    }
    if (Array.isArray(value)) return value.map(item => this.#masked(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.text(key), this.#masked(item)]),
    )
  }
}

/**
 * The texts of plain data, including keys and numbers, that are long enough to hold a secret. They are joined by NUL, which no secret
 * holds.
 */
function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const note = (text: string): void => {
    if (text.length >= SHORTEST_SECRET) texts.push(text)
  }
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const item = pending.pop()
    if (typeof item === 'string') note(item)
    else if (typeof item === 'number') note(JSON.stringify(item))
    else if (typeof item === 'object' && item !== null) {
      if (!Array.isArray(item)) for (const key of Object.keys(item)) note(key)
      for (const child of Object.values(item)) pending.push(child)
    }
  }
  return texts
}

function rangesOf(text: string, literal: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
    extend(found, at, at + literal.length)
  return found
}

/** Finds overlapping matches too. */
function matchesOf(text: string, pattern: RegExp): Range[] {
  const found: Range[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    extend(found, match.index, pattern.lastIndex)
    pattern.lastIndex = match.index + 1
  }
  return found
}

/** A secret of four equal letters can match at every letter of a text: such matches are joined into one range. */
function extend(found: Range[], start: number, end: number): void {
  const last = found.at(-1)
  if (last !== undefined && start <= last.end) found[found.length - 1] = { start: last.start, end }
  else found.push({ start, end })
}

/** The length of the beginning of `literal` with which `text` ends. */
function overlap(text: string, literal: string): number {
  const most = Math.min(literal.length - 1, text.length)
  for (let length = most; length >= SHORTEST_SECRET; length--) {
    if (text.at(-length) === literal[0] && text.endsWith(literal.slice(0, length))) return length
  }
  return 0
}
