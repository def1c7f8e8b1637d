// Everything that one operation asks of one registry: who we are is told to the registry alone, redirects are followed by hand, and what
// breaks is tried again a few times.
import type { IncomingMessage } from 'node:http'
import { hostPortOf } from '../../format/oci/reference.ts'
import type { Deadline } from '../../io/wait/deadline.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import type { RegistryPlace } from '../../model/oci.ts'
import { codeOf } from '../../net/connection-code.ts'
import type { StoreUse } from '../store.ts'
import { isOfServer, NotDialled, refusedPlace, repositoryBeside, type Server, serverOf } from './base.ts'
import { readSmall, skip } from './body.ts'
import { forOneRegistry } from './credentials.ts'
import { Login } from './login.ts'
import { proxyHint } from './proxy.ts'
import { waitIn } from './retry-after.ts'
import { Warnings } from './warnings.ts'
import { RegistryWire, type WireRequest } from './wire.ts'
import { ended, isBroken, unreached } from './words.ts'

const MOST_TRIES = 3
const MOST_REDIRECTS = 5
/** A server on this machine says soon which protocol it speaks. */
const SETTLE_MS = 10_000

export interface Ask {
  readonly method: WireRequest['method']
  /** Below `/v2/<repository>/`, or a whole url. */
  readonly to: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly size: number; open(): AsyncIterable<Uint8Array> }
  /** What is done, in the grammar of messages. */
  readonly doing: string
  /** How often it is sent at most; 1 where the caller has to look first what arrived. */
  readonly tries?: number
}

/** What the parts of one operation share. */
interface Conversation {
  readonly wire: RegistryWire
  readonly login: Login
  readonly warnings: Warnings
  readonly env: RegistryAccess['env']
  server: Server
  settled: Promise<void> | undefined
}

export class Client {
  readonly host: string
  readonly repository: string
  readonly deadline: Deadline
  /** Another repository of this registry, from which blobs are copied. */
  readonly copiesFrom: string | undefined
  readonly #shared: Conversation

  /** @param shared of another client of the same operation */
  private constructor(
    place: Pick<Client, 'host' | 'repository' | 'copiesFrom'>,
    deadline: Deadline,
    shared: Conversation,
  ) {
    this.host = place.host
    this.repository = place.repository
    this.copiesFrom = place.copiesFrom
    this.deadline = deadline
    this.#shared = shared
  }

  static open(
    place: RegistryPlace,
    access: RegistryAccess,
    { writes, deadline, copiesFrom }: StoreUse,
  ): Client {
    const wire = new RegistryWire(access.env)
    const server = serverOf(place)
    const from = copiesFrom && repositoryBeside(place, copiesFrom)
    const scopes = [
      ...(place.repository === '' ? [] : [`repository:${place.repository}:${writes ? 'pull,push' : 'pull'}`]),
      ...(from === undefined ? [] : [`repository:${from}:pull`]),
    ]
    return new Client({ host: hostPortOf(place), repository: place.repository, copiesFrom: from }, deadline, {
      wire,
      login: new Login(scopes, forOneRegistry(access, server), wire),
      warnings: new Warnings(access.onWarning),
      env: access.env,
      server,
      settled: undefined,
    })
  }

  /** The same conversation, with less time. */
  under(deadline: Deadline): Client {
    return new Client(this, deadline, this.#shared)
  }

  close(): void {
    this.#shared.wire.close()
  }

  /** An url that the registry named → where it leads, or a refusal. */
  placed(location: string | undefined, from: URL, doing: string): URL {
    const url =
      location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined
    const why = url === undefined ? 'it is no address' : refusedPlace(url, this.#shared.server)
    if (url !== undefined && why === undefined) return url
    throw new RlpError(
      'STORE',
      `Cannot ${doing}: the registry names another place that is not used: ${why}`,
      { hint: 'Ask who keeps the registry for its set-up' },
    )
  }

  /** Of a client without a repository: the entrance of the API. */
  url(to: string | URL): URL {
    if (typeof to !== 'string') return to
    const below = this.repository === '' ? '' : `${this.repository}/${to}`
    return new URL(`${this.#shared.server.origin}/v2/${below}`)
  }

  /** Whether the registry asked who we are, and was told a name and a password. */
  get hasToldLogin(): boolean {
    return this.#shared.login.hasTold
  }

  isOwn(url: URL): boolean {
    return isOfServer(url, this.#shared.server)
  }

  /**
   * @returns the answer, whatever its status; its body has to be read or skipped
   * @throws RlpError UNREACHABLE, TIMED_OUT, NO_PERMISSION, STORE, CANCELLED
   */
  async ask(ask: Ask): Promise<{ readonly answer: IncomingMessage; readonly url: URL }> {
    const { doing, tries = MOST_TRIES } = ask
    for (let at = 1; ; at++) {
      try {
        const found = await this.#followed(ask)
        const wait = at < tries ? waitIn(found.answer) : undefined
        if (wait === undefined) return found
        await this.skip(found.answer)
        await this.pause(wait, doing)
      } catch (error) {
        if (at >= tries || !isBroken(error)) throw this.failure(doing, error)
        await this.pause(0.2 * 4 ** (at - 1), doing)
      }
    }
  }

  /**
   * The body of an answer, up to a limit.
   * @throws RlpError UNREACHABLE, TIMED_OUT, STORE, CANCELLED
   */
  async small(answer: IncomingMessage, most: number, doing: string): Promise<Uint8Array> {
    try {
      return await readSmall(answer, most, doing, this.deadline)
    } catch (error) {
      throw this.failure(doing, error)
    }
  }

  skip(answer: IncomingMessage): Promise<void> {
    return skip(answer, this.deadline)
  }

  /** What was thrown while something was waited for → what a person is told. */
  failure(doing: string, error: unknown): unknown {
    const { over } = this.deadline
    if (over === undefined || error instanceof RlpError)
      return unreached(doing, this.host, error, proxyHint(this.#shared.env))
    return ended(doing, this.host, over)
  }

  /** Waits, unless the time is over before. */
  async pause(seconds: number, doing: string): Promise<void> {
    try {
      await this.deadline.pause(seconds * 1000)
    } catch (error) {
      throw this.failure(doing, error)
    }
  }

  async #followed(ask: Ask): Promise<{ answer: IncomingMessage; url: URL }> {
    await this.#settled(ask.doing)
    let url = this.url(ask.to)
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#authorized(ask, url, redirects > 0)
      const status = answer.statusCode ?? 0
      const isFollowed = ask.method === 'GET' || ask.method === 'HEAD'
      if (![301, 302, 303, 307, 308].includes(status) || !isFollowed) return { answer, url }
      await this.skip(answer)
      if (redirects >= MOST_REDIRECTS)
        throw new RlpError('STORE', `Cannot ${ask.doing}: more than ${MOST_REDIRECTS} redirects`, {
          hint: 'Ask who keeps the registry for its set-up',
        })
      url = this.placed(answer.headers.location, url, ask.doing)
    }
  }

  /** Credentials go to the registry itself, and only an answer of its own, not one behind a redirect, is asked what it wants. */
  async #authorized(ask: Ask, url: URL, isRedirected: boolean): Promise<IncomingMessage> {
    if (!this.isOwn(url)) return this.#send(ask, url, undefined)
    const { login, server } = this.#shared
    const told = await login.header(server, this.deadline)
    const answer = await this.#send(ask, url, told)
    if (answer.statusCode !== 401 || isRedirected) return answer
    const again = await login.answered(
      { told, header: answer.headers['www-authenticate'] },
      server,
      this.deadline,
      async header => {
        await this.skip(answer)
        return this.#send(ask, url, header)
      },
    )
    return again ?? answer
  }

  /** Asked once; again, if there was no answer. */
  async #settled(doing: string): Promise<void> {
    this.#shared.settled ??= this.#settle(doing)
    try {
      await this.#shared.settled
    } catch (error) {
      this.#shared.settled = undefined
      throw error
    }
  }

  /**
   * A server on this machine may speak http or https: its first answer tells. Nothing is told to it before. One whose name leads elsewhere
   * is not on this machine, whatever it is called.
   */
  async #settle(doing: string): Promise<void> {
    let { server } = this.#shared
    if (!server.isHere) return
    const soon = this.under(this.deadline.within(SETTLE_MS, 'its first answer'))
    try {
      const to = new URL(`${server.origin}/v2/`)
      const answer = await soon.#send({ method: 'GET', to, doing }, to, undefined)
      await soon.skip(answer)
      // Servers with TLS answer so to what is not encrypted.
      if (answer.statusCode !== 400) return
    } catch (error) {
      if (error instanceof NotDialled) server = { ...server, isHere: false }
      else if (!/^HPE_(?!HEADER_OVERFLOW)|^ECONNRESET$/.test(codeOf(error))) throw soon.failure(doing, error)
    }
    this.#shared.server = { ...server, origin: server.origin.replace(/^http:/, 'https:') }
  }

  async #send(
    { method, headers = {}, body }: Ask,
    url: URL,
    header: string | undefined,
  ): Promise<IncomingMessage> {
    const { wire, warnings, login } = this.#shared
    const answer = await wire.send({
      method,
      url,
      server: this.#shared.server,
      headers: { ...headers, ...(header !== undefined && { authorization: header }) },
      body: body && { size: body.size, chunks: body.open() },
      deadline: this.deadline,
    })
    // With a 401 a registry asks who we are, and says nothing else that counts.
    if (this.isOwn(url) && answer.statusCode !== 401)
      warnings.read(answer.headers.warning, this.host, text => login.isTold(text))
    return answer
  }
}
