// Decides from the head of a request whether the sender may ask. At a port, the sender needs a token. A web page can send requests to
// this machine, so the headers that browsers add are refused.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { namedPath } from '../../io/home.ts'
import { readOwn } from '../../io/owner/read-own.ts'
import { Ways } from '../../io/owner/ways.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { SERVICE_LIMITS } from '../../model/limits.ts'
import type { ListenAddress } from './listen-address.ts'

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

/** @throws UsageError where none is needed, or one is; RlpError WRONG_FILE_TYPE, NO_PERMISSION for a file that others may write */
export async function askerToken(
  address: ListenAddress,
  file: string | undefined,
  cwd: string,
): Promise<Uint8Array | undefined> {
  if (address.is === 'unix') {
    if (file === undefined) return undefined
    throw new UsageError('Cannot use --token-file with a socket: its mode says who may ask', {
      field: 'token-file',
      hint: 'Leave it out',
    })
  }
  if (file === undefined)
    throw new UsageError('Cannot listen at a port without a token: every program of this machine could ask', {
      field: 'listen',
      hint: 'Add --token-file FILE, or listen at unix:PATH',
    })
  return tokenInFile(file, cwd)
}

/** @throws RlpError WRONG_FILE_TYPE, NO_PERMISSION for a file that others may write */
export async function tokenInFile(file: string, cwd: string): Promise<Uint8Array> {
  const bytes = await readOwn(namedPath(file, cwd), new Ways(), { most: SERVICE_LIMITS.mostToken })
  const refuse = (state: string) =>
    new RlpError('WRONG_FILE_TYPE', `Cannot use the token in "${file}": ${state}`, {
      hint: `Write one there, for example with: head -c 32 /dev/urandom | base64 > ${file}`,
    })
  if (bytes === undefined) throw refuse('it is not there')
  const token = Buffer.from(bytes)
    .toString('latin1')
    .replace(/\r?\n$/, '')
  return checkedToken(token, refuse)
}

/** @param refuse makes an error of a clause */
export function checkedToken(token: string, refuse: (state: string) => Error): Uint8Array {
  const { leastToken, mostToken } = SERVICE_LIMITS
  if (token.length < leastToken) throw refuse(`it has fewer than ${leastToken} characters`)
  if (token.length > mostToken) throw refuse(`it has more than ${mostToken} characters`)
  if (!/^[\x21-\x7e]+$/.test(token)) throw refuse('it has characters that no header can hold')
  return tokenHash(token)
}
