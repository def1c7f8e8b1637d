// What this session tells a registry of who we are: nothing, until the registry asks.
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import type { Credentials } from './ask-credentials.ts'
import type { Server } from './base.ts'
import { type Challenge, readChallenges } from './challenge.ts'
import { credentialsFor } from './credentials.ts'
import { basic, fetchToken, type Token } from './token.ts'
import type { RegistryWire } from './wire.ts'

export class Login {
  readonly #scope: string
  readonly #access: RegistryAccess
  readonly #wire: RegistryWire
  readonly #signal: AbortSignal
  /** Looked up once, when the registry asks for the first time. */
  #credentials: Promise<Credentials | undefined> | undefined
  #basic: string | undefined
  #challenge: Challenge | undefined
  #token: Promise<Token> | undefined
  readonly #secrets: string[] = []

  constructor(scope: string, access: RegistryAccess, wire: RegistryWire, signal: AbortSignal) {
    this.#scope = scope
    this.#access = access
    this.#wire = wire
    this.#signal = signal
  }

  /** What to send along; undefined while the registry has asked for nothing. A token that is about to end is renewed. */
  async header(server: Server): Promise<string | undefined> {
    if (this.#basic !== undefined) return this.#basic
    if (this.#challenge === undefined || this.#token === undefined) return undefined
    const token = await this.#token
    if (performance.now() < token.until) return `Bearer ${token.text}`
    return this.#renewed(this.#challenge, server)
  }

  /**
   * What to send in answer to a 401 of the registry; undefined if nothing is left to try.
   * @throws RlpError NO_PERMISSION where it asks for what we do not have
   */
  async answerTo(header: string | undefined, server: Server): Promise<string | undefined> {
    const challenges = readChallenges(header)
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer')
    const asksBasic = challenges.some(({ scheme }) => scheme === 'basic')
    if (this.#basic !== undefined || (bearer === undefined && !asksBasic)) return undefined
    if (bearer !== undefined) {
      this.#challenge = bearer
      return this.#renewed(bearer, server)
    }
    const credentials = await this.#known(server)
    if (credentials === undefined || credentials.identityToken !== undefined) {
      throw new RlpError(
        'NO_PERMISSION',
        'Cannot log in: the registry wants a name and a password, and none are known',
        {
          hint: 'Log in with docker login or podman login, or with --username and --password-stdin',
        },
      )
    }
    this.#basic = basic(credentials)
    this.#keep(credentials)
    return this.#basic
  }

  /** Whether a text holds what this session has told: a server could send it back. */
  isTold(text: string): boolean {
    return this.#secrets.some(secret => text.includes(secret))
  }

  async #renewed(challenge: Challenge, server: Server): Promise<string> {
    const credentials = await this.#known(server)
    const [scope, wire, signal] = [this.#scope, this.#wire, this.#signal]
    this.#token = fetchToken({ server, challenge, scope, credentials, wire, signal })
    const { text } = await this.#token
    this.#secrets.push(text)
    if (credentials !== undefined) this.#keep(credentials)
    return `Bearer ${text}`
  }

  #keep(credentials: Credentials): void {
    const { password, identityToken } = credentials
    const encoded = basic(credentials).slice('Basic '.length)
    this.#secrets.push(...[password, identityToken ?? '', encoded].filter(secret => secret !== ''))
  }

  #known(server: Server): Promise<Credentials | undefined> {
    this.#credentials ??= credentialsFor(server.names, this.#access, this.#signal)
    return this.#credentials
  }
}
