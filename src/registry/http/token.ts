// A Bearer challenge → a token for one repository. The password goes to the realm alone, and only if the realm is a place where it may go.

import type { Deadline } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { readObject } from '../../oci/document.ts'
import type { Credentials } from './ask-credentials.ts'
import { refusedPlace, type Server } from './base.ts'
import { readSmall } from './body.ts'
import type { Challenge } from './challenge.ts'
import { REFUSED } from './login-attempts.ts'
import type { RegistryWire } from './wire.ts'
import { ended, refusedStatus, unreached } from './words.ts'

const MOST_BYTES = 1024 * 1024
const DEFAULT_SECONDS = 60
/** Renewed before it ends, so that no upload is refused in its middle. */
const EARLY_SECONDS = 10

export interface Token {
  readonly text: string
  /** Of `performance.now()`. */
  readonly until: number
}

export interface TokenCall {
  /** The registry on whose behalf a token is asked for. */
  readonly server: Server
  readonly realm: URL
  readonly challenge: Challenge
  /** Computed by us, never taken from an answer. */
  readonly scopes: readonly string[]
  readonly credentials: Credentials | undefined
  readonly wire: RegistryWire
  readonly deadline: Deadline
}

/** @returns `REFUSED` for credentials that do not hold. @throws RlpError NO_PERMISSION, UNREACHABLE, TIMED_OUT, STORE, CANCELLED */
export async function fetchToken({
  server,
  realm,
  challenge,
  scopes,
  credentials,
  wire,
  deadline,
}: TokenCall): Promise<Token | typeof REFUSED> {
  const doing = `log in at ${realm.host}`
  const service = challenge.params.get('service')
  const asked = new URLSearchParams(service === undefined ? {} : { service })
  const refresh = credentials?.identityToken
  try {
    const answer = await wire.send(
      refresh === undefined
        ? {
            method: 'GET',
            url: withQuery(realm, asked, scopes),
            server,
            headers: credentials === undefined ? {} : { authorization: basic(credentials) },
            deadline,
          }
        : {
            method: 'POST',
            url: realm,
            server,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: form(asked, scopes, refresh),
            deadline,
          },
    )
    const body = await readSmall(answer, MOST_BYTES, doing, deadline)
    const status = answer.statusCode ?? 0
    // A redirect would take the password along.
    if (status >= 300 && status < 400)
      throw new RlpError('STORE', `Cannot ${doing}: it sends us somewhere else`, {
        hint: 'Check the registry’s set-up',
      })
    // Of a token that is to be exchanged, 400 says that it does not hold (RFC 6749 §5.2).
    const isRefused = status === 401 || (status === 400 && refresh !== undefined)
    if (isRefused && credentials !== undefined) return REFUSED
    if (status !== 200) throw refusedStatus(doing, realm.host, status === 400 ? 401 : status)
    return tokenIn(body, doing)
  } catch (error) {
    const { over } = deadline
    if (over !== undefined && !(error instanceof RlpError)) throw ended(doing, realm.host, over)
    throw unreached(doing, realm.host, error)
  }
}

/** Where a registry wants us to log in. @throws RlpError NO_PERMISSION for a place where no password may go */
export function realmOf({ params }: Challenge, server: Server): URL {
  const text = params.get('realm') ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const why = url === undefined ? 'it is no address' : refusedPlace(url, server)
  if (url !== undefined && why === undefined) return url
  throw new RlpError(
    'NO_PERMISSION',
    `Cannot log in: the registry names a place for it that is not used: ${why}`,
    { hint: 'Ask who keeps the registry for one with https and without a user name' },
  )
}

/** Each scope is a parameter of its own here. */
function withQuery(realm: URL, asked: URLSearchParams, scopes: readonly string[]): URL {
  for (const scope of scopes) asked.append('scope', scope)
  const url = new URL(realm)
  url.hash = ''
  url.search = `${url.search}${url.search === '' ? '?' : '&'}${asked}`
  return url
}

/** Spaces separate the scopes here (RFC 6749 §3.3). */
function form(asked: URLSearchParams, scopes: readonly string[], refresh: string) {
  asked.set('scope', scopes.join(' '))
  asked.set('grant_type', 'refresh_token')
  asked.set('client_id', 'rlp')
  asked.set('refresh_token', refresh)
  const bytes = Buffer.from(asked.toString())
  return { size: bytes.length, chunks: once(bytes) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function tokenIn(body: Uint8Array, doing: string): Token {
  const read = readObject(body)
  const value = 'problem' in read ? {} : read.value
  const text = own(value, 'token') ?? own(value, 'access_token')
  if (typeof text !== 'string' || !/^[\x21-\x7e]+$/.test(text))
    throw new RlpError('STORE', `Cannot ${doing}: its answer holds no token`, {
      hint: 'Check the registry’s set-up',
    })
  const stated = own(value, 'expires_in')
  const seconds = typeof stated === 'number' && stated > 0 ? Math.min(stated, 24 * 3600) : DEFAULT_SECONDS
  return { text, until: performance.now() + Math.max(1, seconds - EARLY_SECONDS) * 1000 }
}

export function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
