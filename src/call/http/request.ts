// Makes the one request of an http tool, and the next one after a redirect (RFC 9110 §15.4). A value stays inside its path segment or
// query value, however it is decoded. Requests go only to the origin that was granted: fetch would send secret headers wherever an answer
// points.
import { MAX_FILLED_URL, TEXT_LIMITS } from '../../model/limits.ts'
import type { RunRefusal } from '../../model/run.ts'
import type { Tool } from '../../model/tools.ts'
import type { HttpRequest } from '../../net/connect.ts'
import { plainReach } from '../../net/target.ts'
import { quoteText } from '../../text/quote.ts'
import { hasBody, headerNameProblem, headerValueProblem } from '../../tools/http-request.ts'
import { readTemplate } from '../../tools/template.ts'
import { inputText } from '../input-text.ts'

/** Headers if the tool sets none. Compression is not worth a decoder (but see body.ts). */
const DEFAULTS = [
  ['accept', 'application/json, */*;q=0.5'],
  ['accept-encoding', 'identity'],
  ['user-agent', 'rlp'],
] as const

/** @param text the arguments as JSON, byte for byte as the preflight kept them: the body, for methods that have one */
export function httpRequest(
  tool: Tool,
  input: unknown,
  text: string,
  secrets: ReadonlyMap<string, string>,
): HttpRequest | RunRefusal {
  const { transport } = tool
  if (transport.kind !== 'http') return { kind: 'rejected', message: 'The tool is not reached over http' }
  const { method } = transport
  // CONNECT opens a tunnel, the others return the secrets of the request.
  if (!/^[A-Z]+$/.test(method) || /^(?:CONNECT|TRACE|TRACK)$/.test(method)) {
    return { kind: 'rejected', message: `Cannot send the request: its method is ${quoteText(method)}` }
  }
  const reach = plainReach(tool)
  if ('kind' in reach) return reach
  const url = fillUrl(transport.url, input)
  if ('kind' in url) return url
  const headers = new Map<string, string>()
  for (const [name, template] of Object.entries(transport.headers)) {
    const key = name.toLowerCase()
    if (headerNameProblem(name) !== undefined || headers.has(key)) return badHeader(name)
    const value = fillHeader(name, template, { tool, input, secrets })
    if (typeof value !== 'string') return value
    headers.set(key, value)
  }
  const body = hasBody(method) ? text : undefined
  const usual = body === undefined ? DEFAULTS : [...DEFAULTS, ['content-type', 'application/json'] as const]
  for (const [name, value] of usual) if (!headers.has(name)) headers.set(name, value)
  return { method, url: url.href, headers: [...headers], body }
}

/** The request for display, with placeholders in place of secrets. */
export function maskedRequest(tool: Tool, input: unknown, text: string): HttpRequest | RunRefusal {
  const masked = tool.secrets.map(id => [id, `{{secret:${id.replace(/[^\x20-\x7e]/g, '?')}}}`] as const)
  return httpRequest(tool, input, text, new Map(masked))
}

interface Values {
  readonly tool: Tool
  readonly input: unknown
  readonly secrets: ReadonlyMap<string, string>
}

function fillHeader(name: string, template: string, { tool, input, secrets }: Values): string | RunRefusal {
  let value = ''
  for (const part of readTemplate(template)) {
    switch (part.kind) {
      case 'text':
        value += part.text
        break
      case 'malformed':
        return badHeader(name)
      case 'secret': {
        // Only listed secrets are inserted: policy.caps was checked against this list.
        const secret = tool.secrets.includes(part.id) ? secrets.get(part.id) : undefined
        const problem = secret === undefined ? 'is not there' : headerValueProblem(secret)
        if (problem !== undefined) return noSecret(part.id, problem)
        value += secret
        break
      }
      case 'input': {
        const text = inputText(input, part.path)
        const problem = 'problem' in text ? text.problem : headerPartProblem(text.text, text.field)
        if (problem !== undefined) return { kind: 'invalid_args', message: problem, field: text.field }
        value += 'text' in text ? text.text : ''
      }
    }
  }
  return headerValueProblem(value) === undefined ? value : badHeader(name)
}

function headerPartProblem(text: string, field: string): string | undefined {
  const problem =
    text.length > TEXT_LIMITS.header
      ? `is longer than ${TEXT_LIMITS.header} characters`
      : headerValueProblem(text)
  return problem && `Property '${field}' ${problem}: it is part of a header`
}

function badHeader(name: string): RunRefusal {
  return {
    kind: 'rejected',
    message: `Cannot send the request: its header ${quoteText(name)} cannot be set by a tool`,
  }
}

/** Names the problem with a secret, and nothing of its value. */
function noSecret(id: string, problem: string): RunRefusal {
  return {
    kind: 'unavailable',
    message: `Cannot use the secret ${quoteText(id)} in a header: it ${problem}`,
    retryable: false,
  }
}

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
    const problem = urlPartProblem(value.text, place)
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

function urlPartProblem(text: string, place: 'path' | 'query'): string | undefined {
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

/** Redirects that are followed in one call. */
export const MOST_REDIRECTS = 5

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Undefined if the answer is not a redirect.
 * @param show makes a server's text fit to be shown
 */
export function followRedirect(
  request: HttpRequest,
  status: number,
  location: string | undefined,
  show: (text: string) => string,
): HttpRequest | RunRefusal | undefined {
  if (!REDIRECTS.has(status)) return undefined
  const refuse = (why: string): RunRefusal => ({
    kind: 'execution_error',
    message: `The server answered ${status}, ${why}`,
    retryable: false,
    extra: { status },
  })
  if (location === undefined) return refuse('a redirect that does not say where to')
  if (!URL.canParse(location, request.url)) return refuse('a redirect to an invalid url')
  const next = new URL(location, request.url)
  if (next.origin !== new URL(request.url).origin) {
    return refuse(`a redirect to another origin (${quoteText(show(originOf(next)))}), which is not followed`)
  }
  if (next.username !== '' || next.password !== '') return refuse('a redirect with a user name or password')
  next.hash = ''
  const isKept = status === 307 || status === 308 || !changesMethod(status, request.method)
  if (isKept) return { ...request, url: next.href }
  // Headers about the content are dropped with it.
  const headers = request.headers.filter(([name]) => !name.startsWith('content-'))
  return { method: 'GET', url: next.href, headers, body: undefined }
}

/** As every client does, although the specification once differed for 301 and 302. */
function changesMethod(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST'
}

/** A url without origin, for example `file:`, is compared by its scheme. */
function originOf(url: URL): string {
  return url.origin === 'null' ? url.protocol : url.origin
}
