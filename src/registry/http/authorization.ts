// The Authorization header for a registry: none until the registry asks, then the password or a token for one repository. A name and a
// password that were refused are not sent again in the same call: a list of references must not lock an account.

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { LoginOutcomes, RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import { readObject } from '../../oci/document.ts'
import { writePath } from '../../text/shell-words.ts'
import { type Credentials, credentialsFor } from './credentials.ts'
import { ended, refusedStatus, unreached } from './failure.ts'
import { refusedPlace, type Server } from './registry-server.ts'
import { type RegistryWire, readSmall } from './wire.ts'

/** Sends a request again, with who we are. */
type Send = (header: string) => Promise<IncomingMessage>

export class Login {
  readonly #scopes: readonly string[]
  readonly #access: RegistryAccess
  readonly #wire: RegistryWire
  readonly #outcomes: LoginOutcomes
  /** Looked up once, when the registry asks for the first time. */
  #credentials: Promise<Credentials | undefined> | undefined
  #basic: string | undefined
  #challenge: Challenge | undefined
  #token: Promise<Token> | undefined
  readonly #secrets: string[] = []

  constructor(scopes: readonly string[], access: RegistryAccess, wire: RegistryWire) {
    this.#scopes = scopes
    this.#access = access
    this.#wire = wire
    this.#outcomes = access.logins ?? new Map()
  }

  /** What to send along; undefined while the registry has asked for nothing. A token that is about to end is renewed. */
  async header(server: Server, deadline: Deadline): Promise<string | undefined> {
    if (this.#basic !== undefined) return this.#basic
    if (this.#challenge === undefined || this.#token === undefined) return undefined
    const pending = this.#token
    const token = await deadline.waiting(() => pending)
    if (performance.now() < token.until) return `Bearer ${token.text}`
    return this.#renewed(this.#challenge, server, deadline)
  }

  /**
   * The answer to a request that is sent again after a 401 of the registry; undefined if nothing is left to try.
   * @param told what was sent along with it
   * @throws RlpError NO_PERMISSION where it asks for what we do not have, or refuses it
   */
  async answered(
    { told, header }: { readonly told: string | undefined; readonly header: string | undefined },
    server: Server,
    deadline: Deadline,
    send: Send,
  ): Promise<IncomingMessage | undefined> {
    const challenges = readChallenges(header)
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer')
    const asksBasic = challenges.some(({ scheme }) => scheme === 'basic')
    const place = new URL(server.origin)
    if (this.#basic !== undefined) {
      if (told === this.#basic) throw refusedLogin(place)
      // Another request was asked for it meanwhile.
      return send(this.#basic)
    }
    if (bearer !== undefined) {
      this.#challenge = bearer
      return send(await this.#renewed(bearer, server, deadline))
    }
    if (!asksBasic) return undefined
    const credentials = await this.#known(server, deadline)
    if (credentials === undefined || credentials.identityToken !== undefined)
      throw new RlpError(
        'NO_PERMISSION',
        'Cannot log in: the registry wants a name and a password, and none are known',
        { hint: `Log in with rlp login ${writePath(server.names.at(-1) ?? '')}` },
      )
    this.#keep(credentials)
    const text = basic(credentials)
    const sharing = { outcomes: this.#outcomes, deadline }
    const answer = await attempted({ place, credentials }, sharing, async () => {
      const got = await send(text)
      if (got.statusCode !== 401) return got
      got.destroy()
      return REFUSED
    })
    this.#basic = text
    return answer
  }

  get hasTold(): boolean {
    return this.#secrets.length > 0
  }

  /** Whether a text holds what this client has told: a server could send it back. */
  isTold(text: string): boolean {
    return this.#secrets.some(secret => text.includes(secret))
  }

  /** A token that did not come is asked for again by the next request, which may have more time. */
  async #renewed(challenge: Challenge, server: Server, deadline: Deadline): Promise<string> {
    const pending = this.#fetched(challenge, server, deadline)
    this.#token = pending
    try {
      return `Bearer ${(await pending).text}`
    } catch (error) {
      if (this.#token === pending) this.#token = undefined
      throw error
    }
  }

  async #fetched(challenge: Challenge, server: Server, deadline: Deadline): Promise<Token> {
    const realm = realmOf(challenge, server)
    const credentials = await this.#known(server, deadline)
    if (credentials !== undefined) this.#keep(credentials)
    const [scopes, wire] = [this.#scopes, this.#wire]
    const fetch = () => fetchToken({ server, realm, challenge, scopes, credentials, wire, deadline })
    const token =
      credentials === undefined
        ? await fetch()
        : await attempted({ place: realm, credentials }, { outcomes: this.#outcomes, deadline }, fetch)
    if (token === REFUSED) throw new TypeError('nothing was told that could be refused')
    this.#secrets.push(token.text)
    return token
  }

  #keep(credentials: Credentials): void {
    const { password, identityToken } = credentials
    const encoded = basic(credentials).slice('Basic '.length)
    this.#secrets.push(...[password, identityToken ?? '', encoded].filter(secret => secret !== ''))
  }

  async #known(server: Server, deadline: Deadline): Promise<Credentials | undefined> {
    const pending = this.#credentials ?? credentialsFor(server.names, this.#access, deadline)
    this.#credentials = pending
    try {
      return await pending
    } catch (error) {
      if (this.#credentials === pending) this.#credentials = undefined
      throw error
    }
  }
}

const MOST_BYTES = 1024 * 1024
const DEFAULT_SECONDS = 60
/** Renewed before it ends, so that no upload is refused in its middle. */
const EARLY_SECONDS = 10

interface Token {
  readonly text: string
  /** Of `performance.now()`. */
  readonly until: number
}

interface TokenCall {
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
function realmOf({ params }: Challenge, server: Server): URL {
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

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

interface Challenge {
  /** Lower case. */
  readonly scheme: string
  readonly params: ReadonlyMap<string, string>
}

const LONGEST = 4 * 1024
const PART =
  /[\s,]*(?:([A-Za-z0-9._~+/-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([A-Za-z0-9-]+)(?=\s|$))/y

/** Nothing for what is no list of challenges. */
function readChallenges(header: string | undefined): readonly Challenge[] {
  const found: { scheme: string; params: Map<string, string> }[] = []
  if (header === undefined || header.length > LONGEST) return found
  PART.lastIndex = 0
  for (let match = PART.exec(header); match !== null; match = PART.exec(header)) {
    const [, name, quoted, plain, scheme] = match
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), params: new Map() })
    else if (name !== undefined) {
      const last = found.at(-1)
      const value = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? ''
      if (last !== undefined && !last.params.has(name.toLowerCase()))
        last.params.set(name.toLowerCase(), value)
    }
  }
  return found
}

/** What a try says that was refused. */
export const REFUSED: unique symbol = Symbol('refused')

/**
 * The first try of all that would send the same; the others wait for what becomes of it.
 *
 * @param place that is told: the registry, or where it logs in
 * @throws RlpError NO_PERMISSION where it was refused, now or before; what `send` throws
 */
export async function attempted<T>(
  { place, credentials }: { readonly place: URL; readonly credentials: Credentials },
  { outcomes, deadline }: { readonly outcomes: LoginOutcomes; readonly deadline: Deadline },
  send: () => Promise<T | typeof REFUSED>,
): Promise<T> {
  const key = keyOf(place, credentials)
  for (let before = outcomes.get(key); before !== undefined; before = outcomes.get(key)) {
    const pending = before
    const outcome = await deadline.waiting(() => pending)
    if (outcome === 'refused') throw refusedLogin(place)
    if (outcome === 'taken') break
  }
  const isFirst = !outcomes.has(key)
  let tell: (outcome: 'taken' | 'refused' | 'unknown') => void = () => undefined
  if (isFirst)
    outcomes.set(
      key,
      new Promise(resolve => {
        tell = resolve
      }),
    )
  try {
    const result = await send()
    tell(result === REFUSED ? 'refused' : 'taken')
    if (result !== REFUSED) return result
  } catch (error) {
    // It was not answered, so the next one tries.
    if (isFirst) outcomes.delete(key)
    tell('unknown')
    throw error
  }
  outcomes.set(key, Promise.resolve('refused'))
  throw refusedLogin(place)
}

function keyOf(place: URL, { username, password, identityToken = '' }: Credentials): string {
  const parts = [`${place.origin}${place.pathname}`, username, password, identityToken]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function refusedLogin({ host }: Pick<URL, 'host'>): RlpError {
  return new RlpError(
    'NO_PERMISSION',
    `Cannot log in at ${host}: the registry refused this name and password`,
    { hint: 'Check both, then log in again with rlp login HOST' },
  )
}
