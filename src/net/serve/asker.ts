// The head of a request → whether it may ask, or what it is told. A web page can send requests to this machine: what browsers add is refused.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface AskerRules {
  /** The one value of `Host`. */
  readonly host: string
  /** SHA-256 of the token; undefined on a socket, whose mode says who may ask. */
  readonly token: Uint8Array | undefined
}

export interface RefusedRequest {
  readonly status: number
  /** A sentence. */
  readonly why: string
}

interface Head {
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came: a name that came twice is there twice. */
  readonly rawHeaders: readonly string[]
}

export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token, 'latin1').digest()
}

/** @param needsToken false for what says nothing but that it runs */
export function refusedAsker(
  { headers, rawHeaders }: Head,
  { host, token }: AskerRules,
  needsToken: boolean,
): RefusedRequest | undefined {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map(name => name.toLowerCase())
  if (names.filter(name => name === 'host').length !== 1 || headers.host !== host)
    return { status: 403, why: `The header Host is not ${host}` }
  const fromPage = names.find(name => name === 'origin' || FROM_BROWSER.test(name))
  if (fromPage !== undefined)
    return { status: 403, why: `A request with the header ${fromPage} comes from a web page` }
  if (token === undefined || !needsToken) return undefined
  const [, given] = /^Bearer ([\x21-\x7e]+)$/.exec(headers.authorization ?? '') ?? []
  if (given !== undefined && timingSafeEqual(tokenHash(given), token)) return undefined
  return { status: 401, why: 'The header Authorization has not Bearer and the token' }
}

/** `fetch` of Node sends Sec-Fetch-Mode too; a browser sends it with the others. */
const FROM_BROWSER = /^sec-fetch-(?!mode$)/

/** Pages may send forms and texts without asking, and no JSON. */
export function isJsonRequest({ headers }: Head): boolean {
  return /^application\/json(?:; ?charset=utf-8)?$/i.test(headers['content-type'] ?? '')
}
