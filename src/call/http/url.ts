// An http tool's url + the values of a call → the requested url (docs/running-http.md). A filled-in value stays inside its path segment
// or query value, however it is decoded.

import { MAX_FILLED_URL } from '../../model/limits.ts'
import type { RunRefusal } from '../../model/run.ts'
import { quoteText } from '../../text/quote.ts'
import { readTemplate } from '../../tools/template.ts'
import { inputText } from '../input-text.ts'

/** @param url one that `readUrl` accepts: its templates are behind the host */
export function fillUrl(url: string, input: unknown): { readonly href: string } | RunRefusal {
  // The author's text alone, without values: it decides where in the url a value goes.
  let written = ''
  let filled = ''
  const segments = new Map<number, string>()
  for (const part of readTemplate(url)) {
    if (part.kind === 'text') {
      written += part.text
      filled += part.text
      continue
    }
    const place = placeOf(written)
    if (part.kind !== 'input' || place === 'fragment' || /%[0-9A-Fa-f]?$/.test(filled)) {
      return {
        kind: 'rejected',
        message: `Cannot send the request: ${quoteText(part.text)} cannot be filled in`,
      }
    }
    const value = inputText(input, part.path)
    if ('problem' in value) return { kind: 'invalid_args', message: value.problem, field: value.field }
    const problem = valueProblem(value.text, place)
    if (problem !== undefined) return refuse(value.field, problem)
    if (place === 'path') segments.set(written.split('/').length - 1, value.field)
    filled += encode(value.text)
  }
  const [address = ''] = filled.split(/[?#]/)
  for (const [index, field] of segments) {
    const problem = segmentProblem(address.split('/')[index] ?? '')
    if (problem !== undefined) return refuse(field, problem)
  }
  // Checked on the filled url: Node 20 does not resolve all dot segments, and servers decide for themselves.
  if (address.split('/').slice(3).some(climbs)) {
    return { kind: 'rejected', message: `Cannot send the request: its url has the path segments . or ..` }
  }
  if (filled.length > MAX_FILLED_URL) {
    return {
      kind: 'invalid_args',
      message: `The url would be longer than ${MAX_FILLED_URL} characters: shorten its values`,
    }
  }
  // An `xn--…` that is no valid name.
  if (!URL.canParse(filled))
    return { kind: 'rejected', message: 'Cannot send the request: no server can have the name in its url' }
  const parsed = new URL(filled)
  parsed.hash = ''
  return { href: parsed.href }
}

function refuse(field: string, problem: string): RunRefusal {
  return { kind: 'invalid_args', message: `Property '${field}' ${problem}`, field }
}

function placeOf(before: string): 'path' | 'query' | 'fragment' {
  if (before.includes('#')) return 'fragment'
  return before.includes('?') ? 'query' : 'path'
}

/** Encodes everything but the unreserved characters of RFC 3986 §2.3. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function valueProblem(text: string, place: 'path' | 'query'): string | undefined {
  if (text.length > MAX_FILLED_URL) return 'is too long for a url'
  if (!text.isWellFormed()) return 'holds half a character'
  // C programs end a text at NUL, and would see another one than was checked.
  if (text.includes('\0')) return 'must not hold NUL'
  if (place === 'query') return undefined
  if (/[\x00-\x1f\x7f]/.test(text)) return 'must not hold control characters: it is part of the path of a url'
  return segmentProblem(text) === CLIMBS ? CLIMBS : undefined
}

const CLIMBS = 'must not hold the path segments . or ..'

/**
 * Servers decode before they look for `..`, some of them twice; some take `\` for `/`, some cut `;…` off. A slash alone is harmless: it
 * arrives as `%2F`, and many names have one.
 */
function segmentProblem(text: string): string | undefined {
  if (text === '') return 'must not be empty: it is a whole path segment of the url'
  return climbs(text) ? CLIMBS : undefined
}

function climbs(text: string): boolean {
  let plain = text
  for (let round = 0; round < 4; round++) plain = decode(plain)
  return plain.split(/[/\\]/).some(piece => /^\s*\.\.?\s*(?:;|$)/.test(piece))
}

/** Byte by byte, because it must never fail: only ASCII is searched. */
function decode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
