// What this operation tells a registry of who we are: nothing, until the registry asks.
import type { IncomingMessage } from 'node:http'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { LoginOutcomes, RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import type { Credentials } from './ask-credentials.ts'
import type { Server } from './base.ts'
import { type Challenge, readChallenges } from './challenge.ts'
import { credentialsFor } from './credentials.ts'
import { attempted, REFUSED, refusedLogin } from './login-attempts.ts'
import { basic, fetchToken, realmOf, type Token } from './token.ts'
import type { RegistryWire } from './wire.ts'

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
