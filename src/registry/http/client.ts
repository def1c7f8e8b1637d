// The HTTP client for one operation on one registry. It logs in, retries broken requests, and checks each redirect before it follows it.
// A password is sent to the registry itself, or to the server that the registry names for logging in, and to no other.
import type { IncomingMessage } from 'node:http'
import type { Deadline, TimedReach } from '../../io/wait/deadline.ts'
import type { RegistryAccess, RegistryFirstAnswer, SeenRegistry } from '../../model/carried.ts'
import { RlpError } from '../../model/error.ts'
import type { RegistryPlace } from '../../model/oci.ts'
import { own } from '../../model/own.ts'
import { codeOf } from '../../net/connection.ts'
import { hostPortOf } from '../../oci/reference.ts'
import type { StoreUse } from '../store.ts'
import { Login } from './authorization.ts'
import { ended, isBroken, refusedStatus, unreached } from './failure.ts'
import {
  isOfServer,
  NotDialled,
  refusedPlace,
  repositoryBeside,
  type Server,
  serverOf,
} from './registry-server.ts'
import { RegistryWire, readSmall, skip, type WireRequest } from './wire.ts'

const MOST_TRIES = 3
const MOST_REDIRECTS = 5
/** How long a server on this machine gets for its first answer, which shows whether it speaks http or https. */
const SETTLE_MS = 10_000

export interface Ask {
  readonly method: WireRequest['method']
  /** A path below `/v2/<repository>/`, or a complete URL. */
  readonly to: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly size: number; open(): AsyncIterable<Uint8Array> }
  /** The operation, as it reads after "Cannot" in messages: `write the manifest 0.1.0 at registry.example`. */
  readonly doing: string
  /** How many times to send it at most. Pass 1 if the caller has to find out what arrived before it may be sent again. */
  readonly tries?: number
}

/** The state that all clients of one operation share. */
interface Conversation {
  readonly wire: RegistryWire
  readonly login: Login
  readonly warnings: Warnings
  readonly env: RegistryAccess['env']
  server: Server
  /** What this registry has shown to the operations of the call. */
  readonly seen: SeenRegistry
}

/** Talks to one repository, or to a registry as a whole if `repository` is empty. Close it when the operation is over. */
export class Client {
  readonly host: string
  readonly repository: string
  readonly deadline: Deadline
  /** Another repository of the same registry. Blobs are mounted from there instead of being uploaded, if the registry can do that. */
  readonly copiesFrom: string | undefined
  readonly #shared: Conversation

  /** @param shared the state of the operation, which all its clients share */
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

  /** Starts an operation. Nothing is sent before the first request. */
  static open(
    place: RegistryPlace,
    { access, deadline }: TimedReach,
    { writes, deletes, lists, copiesFrom }: StoreUse,
  ): Client {
    const wire = new RegistryWire(access.env)
    const server = serverOf(place)
    const from = copiesFrom && repositoryBeside(place, copiesFrom)
    const rights = `pull${writes ? ',push' : ''}${deletes ? ',delete' : ''}`
    const scopes = [
      ...(place.repository === '' ? [] : [`repository:${place.repository}:${rights}`]),
      ...(lists ? ['registry:catalog:*'] : []),
      ...(from === undefined ? [] : [`repository:${from}:pull`]),
    ]
    return new Client({ host: hostPortOf(place), repository: place.repository, copiesFrom: from }, deadline, {
      wire,
      login: new Login(scopes, access, wire),
      warnings: new Warnings(access.onWarning),
      env: access.env,
      server,
      seen: seenOf(server, access),
    })
  }

  /** Returns a client that shares everything with this one but its deadline. */
  under(deadline: Deadline): Client {
    return new Client(this, deadline, this.#shared)
  }

  close(): void {
    this.#shared.wire.close()
  }

  /**
   * Resolves a URL that the registry returned, such as the target of a redirect, against `from`, the URL of the request.
   * @throws RlpError STORE if it is not a URL, or leads to a place that the registry may not send us to
   */
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

  /** The URL of a path in this repository. For a client without a repository, a path below the root of the API: `/v2/`. */
  url(to: string | URL): URL {
    if (typeof to !== 'string') return to
    const below = this.repository === '' ? '' : `${this.repository}/`
    return new URL(`${this.#shared.server.origin}/v2/${below}${to}`)
  }

  /** True if the registry has asked for credentials. It was then sent a password, or a token, which may be one that anyone can get. */
  get hasToldLogin(): boolean {
    return this.#shared.login.hasTold
  }

  /** What the operations of this call know of the registry. */
  get seen(): SeenRegistry {
    return this.#shared.seen
  }

  isOwn(url: URL): boolean {
    return isOfServer(url, this.#shared.server)
  }

  /**
   * Sends a request, following redirects and retrying what breaks. The caller must read or skip the body of the response.
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
   * Reads the body of a response, of at most `most` bytes.
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

  /** Turns an error of a request into one for people: that time ran out, or why the registry could not be reached. */
  failure(doing: string, error: unknown): unknown {
    const { over } = this.deadline
    if (over === undefined || error instanceof RlpError)
      return unreached(doing, this.host, error, proxyHint(this.#shared.env))
    return ended(doing, this.host, over)
  }

  /** Waits, or throws if the deadline comes first. */
  async pause(seconds: number, doing: string): Promise<void> {
    try {
      await this.deadline.pause(seconds * 1000)
    } catch (error) {
      throw this.failure(doing, error)
    }
  }

  /** Sends a request and follows up to {@link MOST_REDIRECTS} redirects of GET and HEAD. Other methods get the redirect itself. */
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

  /** Sends a request, again with credentials if the registry asks for them. No other server gets any, and no redirect may lead to a login. */
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

  /** Finds out once in a call how the registry answers. Its operations that ask at the same time share the answer, or the failure. */
  async #settled(doing: string): Promise<void> {
    const { seen } = this.#shared
    for (;;) {
      const asked = seen.firstAnswer ?? this.#settle()
      seen.firstAnswer = asked
      const found = await this.#waited(asked, doing)
      if (!('failure' in found)) {
        this.#shared.server = { ...this.#shared.server, ...found }
        return
      }
      if (seen.firstAnswer === asked) seen.firstAnswer = undefined
      // Another operation was given up: it says nothing about the registry.
      if (!found.isCancelled) throw found.failure(doing)
    }
  }

  async #waited<T>(promise: Promise<T>, doing: string): Promise<T> {
    try {
      return await this.deadline.waiting(() => promise)
    } catch (error) {
      throw this.failure(doing, error)
    }
  }

  /**
   * Finds out whether a registry on this machine speaks http or https, before any credentials are sent to it. A registry elsewhere has to
   * speak https. So does one whose name says "this machine" but resolves to another address.
   */
  async #settle(): Promise<RegistryFirstAnswer> {
    const { origin, isHere } = this.#shared.server
    if (!isHere) return { origin, isHere }
    const soon = this.under(this.deadline.within(SETTLE_MS, 'its first answer'))
    const asSecure = origin.replace(/^http:/, 'https:')
    try {
      const to = new URL(`${origin}/v2/`)
      const answer = await soon.#send({ method: 'GET', to, doing: '' }, to, undefined)
      await soon.skip(answer)
      // A TLS server answers 400 to a request in plain http.
      return { origin: answer.statusCode === 400 ? asSecure : origin, isHere }
    } catch (error) {
      if (error instanceof NotDialled) return { origin: asSecure, isHere: false }
      if (/^HPE_(?!HEADER_OVERFLOW)|^ECONNRESET$/.test(codeOf(error))) return { origin: asSecure, isHere }
      const { over } = soon.deadline
      return { isCancelled: over?.why === 'cancelled', failure: doing => soon.failure(doing, error) }
    }
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
    // A 401 is only a request for credentials, so a warning in it is not shown.
    if (this.isOwn(url) && answer.statusCode !== 401)
      warnings.read(answer.headers.warning, this.host, text => login.isTold(text))
    return answer
  }
}

function seenOf({ origin }: Server, { seen }: RegistryAccess): SeenRegistry {
  const before = seen?.get(origin) ?? {}
  seen?.set(origin, before)
  return before
}

const FORM = /(?:^|,\s*)299 \S{1,255} "((?:[^"\\\u0000-\u001f]|\\["\\])*)"/g
/** Of all warnings together (distribution-spec 1.1). */
const MOST_CHARACTERS = 4096

export class Warnings {
  readonly #tell: ((text: string) => void) | undefined
  readonly #told = new Set<string>()
  #left = MOST_CHARACTERS

  constructor(tell: ((text: string) => void) | undefined) {
    this.#tell = tell
  }

  /** @param isSecret whether a text holds what must not be repeated */
  read(header: string | string[] | undefined, host: string, isSecret: (text: string) => boolean): void {
    if (this.#tell === undefined || header === undefined) return
    const all = (Array.isArray(header) ? header.join(', ') : header).slice(0, 2 * MOST_CHARACTERS)
    for (const [, escaped = ''] of all.matchAll(FORM)) {
      const text = escaped.replace(/\\(.)/g, '$1')
      if (text === '' || this.#told.has(text) || text.length > this.#left || isSecret(text)) continue
      this.#told.add(text)
      this.#left -= text.length
      this.#tell(`${host} says: ${text}`)
    }
  }
}

/** A registry may ask to wait no longer than this. */
const MOST_SECONDS = 30

/** In seconds; undefined where it does not ask, or for longer than anybody waits. */
function waitIn({ statusCode, headers }: IncomingMessage): number | undefined {
  if (statusCode !== 429 && statusCode !== 503) return undefined
  const text = headers['retry-after']
  const seconds =
    text === undefined ? 1 : /^[0-9]{1,5}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) || seconds > MOST_SECONDS ? undefined : Math.max(0, seconds)
}

type Environment = Readonly<Record<string, string | undefined>>
/** Plain http is spoken to this machine alone, and needs none. */
const NAMES = ['https_proxy', 'HTTPS_PROXY']

/** Undefined where no proxy is named, or it is used. */
export function proxyHint(env: Environment, node: string = process.versions.node): string | undefined {
  const name = NAMES.find(one => (own(env, one) ?? '') !== '')
  if (name === undefined) return undefined
  const isAble = canUseProxies(node)
  if (isAble && env['NODE_USE_ENV_PROXY'] === '1') return undefined
  return isAble
    ? `${name} is set, and Node uses it only with NODE_USE_ENV_PROXY=1`
    : `${name} is set, and Node ${node} uses no proxy: run rlp with Node 24.5 or newer and NODE_USE_ENV_PROXY=1`
}

/** From 24.5 on, and from 22.21 on in the line before. */
function canUseProxies(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}

const ERROR_BYTES = 16 * 1024

export async function refusedAnswer(
  client: Client,
  answer: Parameters<typeof readSmall>[0],
  doing: string,
): Promise<RlpError> {
  const body = await readSmall(answer, ERROR_BYTES, doing, client.deadline).catch(error => {
    // The status says enough.
    if (error instanceof RlpError || isBroken(error) || client.deadline.over !== undefined)
      return new Uint8Array()
    throw error
  })
  return refusedStatus(doing, client.host, answer.statusCode ?? 0, Buffer.from(body).toString('latin1'))
}
