// A Bearer challenge → a token for one repository. The password goes to the realm alone, and only if the realm is a place where it may go.
import { readObject } from '../../format/oci/document.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { Credentials } from './ask-credentials.ts'
import { refusedPlace, type Server } from './base.ts'
import { readSmall } from './body.ts'
import type { Challenge } from './challenge.ts'
import type { RegistryWire } from './wire.ts'
import { refusedStatus, unreached } from './words.ts'

const MOST_BYTES = 1024 * 1024
const DEFAULT_SECONDS = 60
/** Renewed before it ends, so that no upload is refusedAnswer in its middle. */
const EARLY_SECONDS = 10

export interface Token {
  readonly text: string
  /** Of `performance.now()`. */
  readonly until: number
}

export interface TokenCall {
  readonly server: Server
  readonly challenge: Challenge
  /** Computed by us, never taken from an answer. */
  readonly scope: string
  readonly credentials: Credentials | undefined
  readonly wire: RegistryWire
  readonly signal: AbortSignal
}

/** @throws RlpError NO_PERMISSION, UNREACHABLE, STORE */
export async function fetchToken({
  server,
  challenge,
  scope,
  credentials,
  wire,
  signal,
}: TokenCall): Promise<Token> {
  const realm = realmOf(challenge, server)
  const doing = `log in at ${realm.host}`
  const service = challenge.params.get('service')
  const asked = new URLSearchParams({ ...(service !== undefined && { service }), scope })
  const refresh = credentials?.identityToken
  try {
    const answer = await wire.send(
      refresh === undefined
        ? {
            method: 'GET',
            url: withQuery(realm, asked),
            server,
            headers: credentials === undefined ? {} : { authorization: basic(credentials) },
            signal,
          }
        : {
            method: 'POST',
            url: realm,
            server,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: form(asked, refresh),
            signal,
          },
    )
    const body = await readSmall(answer, MOST_BYTES, doing, signal)
    const status = answer.statusCode ?? 0
    // A redirect would take the password along.
    if (status >= 300 && status < 400)
      throw new RlpError('STORE', `Cannot ${doing}: it sends us somewhere else`, {
        hint: 'Check the registry’s set-up',
      })
    if (status !== 200) throw refusedStatus(doing, realm.host, status === 400 ? 401 : status)
    return tokenIn(body, doing)
  } catch (error) {
    throw unreached(doing, realm.host, error)
  }
}

function realmOf({ params }: Challenge, server: Server): URL {
  const text = params.get('realm') ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const why = url === undefined ? 'it is no address' : refusedPlace(url, server)
  if (url !== undefined && why === undefined) return url
  throw new RlpError(
    'NO_PERMISSION',
    `Cannot log in: the registry names a place for it that is not used: ${why}`,
    {
      hint: 'Ask who keeps the registry for one with https and without a user name',
    },
  )
}

function withQuery(realm: URL, asked: URLSearchParams): URL {
  const url = new URL(realm)
  url.hash = ''
  url.search = `${url.search}${url.search === '' ? '?' : '&'}${asked}`
  return url
}

function form(asked: URLSearchParams, refresh: string) {
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
