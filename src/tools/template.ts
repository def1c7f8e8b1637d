// A text with placeholders → its parts: `{{input.<path>}}` is replaced by a value of the call, `{{secret:<id>}}` by a secret. Any other
// placeholder is a part of its own and reported, because its meaning must not be guessed.
import { added } from '../model/added.ts'
import { probablyMeant } from '../text/did-you-mean.ts'
import { quoteText } from '../text/quote.ts'

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `path` has the names of members, from the root of the call's arguments; whole numbers may also be indexes. */
  | { readonly kind: 'input'; readonly path: readonly string[]; readonly text: string }
  | { readonly kind: 'secret'; readonly id: string; readonly text: string }
  /** `problem` ends a sentence that begins with the placeholder. */
  | { readonly kind: 'malformed'; readonly text: string; readonly problem: string; readonly fix: string }

/** One placeholder: a part other than text. */
export type Placeholder = Exclude<TemplatePart, { kind: 'text' }>

const INPUT = /^input((?:\.[A-Za-z0-9_-]+)+)$/
const SECRET = /^secret:([^\s{}]+)$/

/** All parts in order; joined, their `text` is the text that was read. `}}` alone, as in JSON, is text. */
export function readTemplate(text: string): TemplatePart[] {
  let parts: TemplatePart[] | undefined
  let from = 0
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    if (open > from) parts = added(parts, { kind: 'text', text: text.slice(from, open) })
    const close = text.indexOf('}}', open + 2)
    from = close === -1 ? text.length : close + 2
    parts = added(parts, readPlaceholder(text.slice(open, from)))
  }
  if (from < text.length) parts = added(parts, { kind: 'text', text: text.slice(from) })
  return parts ?? []
}

/**
 * Whether the placeholders of a text are all well-formed ones for values of the call; true if it has none. Makes nothing, so that what asks
 * for the others need not read most texts.
 */
export function hasInputsOnly(text: string): boolean {
  let open = text.indexOf('{{')
  while (open !== -1) {
    const close = text.indexOf('}}', open + 2)
    if (close === -1 || !INPUT.test(text.slice(open + 2, close))) return false
    open = text.indexOf('{{', close + 2)
  }
  return true
}

/** The parts other than text. */
export function placeholdersIn(text: string): Placeholder[] {
  return readTemplate(text).filter(part => part.kind !== 'text')
}

function readPlaceholder(text: string): Placeholder {
  if (!text.endsWith('}}') || text.length < 4)
    return { kind: 'malformed', text, problem: 'is not closed', fix: 'Close it with }}' }
  const inner = text.slice(2, -2)
  const path = INPUT.exec(inner)?.[1]
  if (path !== undefined) return { kind: 'input', path: path.slice(1).split('.'), text }
  const id = SECRET.exec(inner)?.[1]
  if (id !== undefined) return { kind: 'secret', id, text }
  return { kind: 'malformed', text, problem: placeholderProblem(inner), fix: fixOf(inner) }
}

function placeholderProblem(inner: string): string {
  if (inner.trim() === '') return 'is empty'
  if (/[{}]/.test(inner)) return 'has a brace inside'
  if (inner !== inner.trim()) return 'has white space inside'
  const word = /^[A-Za-z]*/.exec(inner)?.[0] ?? ''
  if (word === 'input') return 'names no value of the call'
  if (word === 'secret') return 'names no secret'
  return 'is no placeholder that is known'
}

const USUAL = 'Write {{input.<path>}} for a value of the call, or {{secret:<id>}} in a header for a secret'

/** The probable meaning, if a valid form is similar. */
function fixOf(inner: string): string {
  const [, word = '', rest = ''] = /^\s*([A-Za-z]+)\s*[.:]\s*([^\s{}]+)\s*$/.exec(inner.slice(0, 200)) ?? []
  const meant = probablyMeant(word, ['input', 'secret'])
  const fixed = meant === 'input' ? `input.${rest}` : `secret:${rest}`
  if (meant === undefined || !(INPUT.test(fixed) || SECRET.test(fixed))) return USUAL
  return `Replace it with ${quoteText(`{{${fixed}}}`, 100)}`
}
