// Everything that one command asks of one registry: who we are is told to the registry alone, redirects are followed by hand, and what
// breaks is tried again a few times.
import type { IncomingMessage } from 'node:http'
import { hostPortOf } from '../../format/oci/reference.ts'
import type { RegistryAccess } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import type { RegistryPlace } from '../../model/oci.ts'
import { isOfServer, NotDialled, refusedPlace, type Server, serverOf } from './base.ts'
import { readSmall, skip } from './body.ts'
import { Login } from './login.ts'
import { proxyHint } from './proxy.ts'
import { Warnings } from './warnings.ts'
import { RegistryWire, type WireRequest } from './wire.ts'
import { codeOf, isBroken, unreached } from './words.ts'

const MOST_TRIES = 3
const MOST_REDIRECTS = 5
/** A registry may ask to wait no longer than this. */
const MOST_WAIT_SECONDS = 30

export interface Ask {
  readonly method: WireRequest['method']
  /** Below `/v2/<repository>/`, or a whole url. */
  readonly to: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly size: number; open(): AsyncIterable<Uint8Array> }
  /** What is done, in the grammar of messages. */
  readonly doing: string
  /** Ends it early. */
  readonly until?: AbortSignal
  /** How often it is sent at most; 1 where the caller has to look first what arrived. */
  readonly tries?: number
}

export class Session {
  readonly host: string
  readonly repository: string
  readonly signal: AbortSignal
  #server: Server
  readonly #wire: RegistryWire
  readonly #login: Login
  readonly #warnings: Warnings
  readonly #env: RegistryAccess['env']
  #settled: Promise<void> | undefined

  constructor(
    place: RegistryPlace,
    access: RegistryAccess,
    what: { readonly writes: boolean; readonly signal: AbortSignal },
  ) {
    this.host = hostPortOf(place)
    this.repository = place.repository
    this.signal = what.signal
    this.#server = serverOf(place)
    this.#wire = new RegistryWire(access.env)
    this.#env = access.env
    this.#warnings = new Warnings(access.onWarning)
    const scope = `repository:${place.repository}:${what.writes ? 'pull,push' : 'pull'}`
    this.#login = new Login(scope, access, this.#wire, what.signal)
  }

  close(): void {
    this.#wire.close()
  }

  /** An url that the registry named → where it leads, or a refusal. */
  placed(location: string | undefined, from: URL, doing: string): URL {
    const url =
      location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined
    const why = url === undefined ? 'it is no address' : refusedPlace(url, this.#server)
    if (url !== undefined && why === undefined) return url
    throw new RlpError(
      'STORE',
      `Cannot ${doing}: the registry names another place that is not used: ${why}`,
      {
        hint: 'Ask who keeps the registry for its set-up',
      },
    )
  }

  url(to: string | URL): URL {
    return typeof to === 'string' ? new URL(`${this.#server.origin}/v2/${this.repository}/${to}`) : to
  }

  isOwn(url: URL): boolean {
    return isOfServer(url, this.#server)
  }

  /**
   * @returns the answer, whatever its status; its body has to be read or skipped
   * @throws RlpError UNREACHABLE, NO_PERMISSION, STORE, CANCELLED
   */
  async ask(ask: Ask): Promise<{ readonly answer: IncomingMessage; readonly url: URL }> {
    const { doing, tries = MOST_TRIES } = ask
    for (let at = 1; ; at++) {
      try {
        const found = await this.#followed(ask)
        const wait = at < tries ? waitIn(found.answer) : undefined
        if (wait === undefined) return found
        await skip(found.answer)
        await this.pause(wait)
      } catch (error) {
        const isOver = this.signal.aborted || ask.until?.aborted === true
        if (isOver || at >= tries || !isBroken(error)) throw this.#failure(doing, error, ask.until)
        await this.pause(0.2 * 4 ** (at - 1))
      }
    }
  }

  /**
   * The body of an answer, up to a limit.
   * @throws RlpError UNREACHABLE, STORE, CANCELLED
   */
  async small(
    answer: IncomingMessage,
    most: number,
    doing: string,
    until?: AbortSignal,
  ): Promise<Uint8Array> {
    try {
      return await readSmall(answer, most, doing, until ?? this.signal)
    } catch (error) {
      throw this.#failure(doing, error, until)
    }
  }

  #failure(doing: string, error: unknown, until: AbortSignal | undefined): unknown {
    if (this.signal.aborted) return new RlpError('CANCELLED', `Cancelled: cannot ${doing}`)
    if (until?.aborted !== true) return this.unreached(doing, error)
    return new RlpError('UNREACHABLE', `Cannot ${doing}: ${this.host} took too long`, {
      hint: 'Try again later',
    })
  }

  unreached(doing: string, error: unknown): unknown {
    return unreached(doing, this.host, error, proxyHint(this.#env))
  }

  /** Waits, unless the call is given up. */
  async pause(seconds: number): Promise<void> {
    await new Promise<void>(resolve => {
      const go = () => {
        clearTimeout(timer)
        this.signal.removeEventListener('abort', go)
        resolve()
      }
      const timer = setTimeout(go, seconds * 1000)
      this.signal.addEventListener('abort', go)
    })
    if (this.signal.aborted) throw new RlpError('CANCELLED', 'Cancelled while waiting for the registry')
  }

  async #followed(ask: Ask): Promise<{ answer: IncomingMessage; url: URL }> {
    this.#settled ??= this.#settle(ask.doing)
    await this.#settled
    let url = this.url(ask.to)
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#authorized(ask, url, redirects > 0)
      const status = answer.statusCode ?? 0
      const isFollowed = ask.method === 'GET' || ask.method === 'HEAD'
      if (![301, 302, 303, 307, 308].includes(status) || !isFollowed) return { answer, url }
      await skip(answer)
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
    const answer = await this.#send(ask, url, await this.#login.header(this.#server))
    if (answer.statusCode !== 401 || isRedirected) return answer
    const header = await this.#login.answerTo(answer.headers['www-authenticate'], this.#server)
    if (header === undefined) return answer
    await skip(answer)
    return this.#send(ask, url, header)
  }

  /**
   * A server on this machine may speak http or https: its first answer tells. Nothing is told to it before. One whose name leads elsewhere
   * is not on this machine, whatever it is called.
   */
  async #settle(doing: string): Promise<void> {
    if (!this.#server.isHere) return
    try {
      const to = new URL(`${this.#server.origin}/v2/`)
      const answer = await this.#send(
        { method: 'GET', to, doing, until: AbortSignal.timeout(10_000) },
        to,
        undefined,
      )
      await skip(answer)
      // Servers with TLS answer so to what is not encrypted.
      if (answer.statusCode !== 400) return
    } catch (error) {
      if (error instanceof NotDialled) this.#server = { ...this.#server, isHere: false }
      else if (!/^HPE_(?!HEADER_OVERFLOW)|^ECONNRESET$/.test(codeOf(error))) throw error
    }
    this.#server = { ...this.#server, origin: this.#server.origin.replace(/^http:/, 'https:') }
  }

  async #send(
    { method, headers = {}, body, until }: Ask,
    url: URL,
    header: string | undefined,
  ): Promise<IncomingMessage> {
    const answer = await this.#wire.send({
      method,
      url,
      server: this.#server,
      headers: { ...headers, ...(header !== undefined && { authorization: header }) },
      ...(body && { body: { size: body.size, chunks: body.open() } }),
      signal: until === undefined ? this.signal : AbortSignal.any([this.signal, until]),
    })
    // With a 401 a registry asks who we are, and says nothing else that counts.
    if (this.isOwn(url) && answer.statusCode !== 401)
      this.#warnings.read(answer.headers.warning, this.host, text => this.#login.isTold(text))
    return answer
  }
}

/** How long a registry asks to wait; undefined where it does not, or for longer than anybody waits. */
function waitIn({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== 429 && statusCode !== 503) return undefined
  const text = headers['retry-after']
  const seconds =
    text === undefined ? 1 : /^[0-9]{1,5}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) || seconds > MOST_WAIT_SECONDS ? undefined : Math.max(0, seconds)
}
