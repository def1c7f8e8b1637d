// The proxy outside of the sandbox of one call: it connects tunnels from inside to hosts that the call is granted. It passes nothing on
// before such a host was asked for and named in TLS. Each name is looked up once.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { byteLimit, TUNNEL_LIMITS } from '../../model/limits.ts'
import { literalOf } from '../../policy/address.ts'
import type { ReachedHost } from '../../policy/host.ts'
import { quoteText } from '../../text/quote.ts'
import { dialTarget, type Wire } from '../connect.ts'
import type { Internet } from '../internet.ts'
import {
  findAddresses,
  hostPort,
  type Lookup,
  type NetTarget,
  type NotReached,
  reachProblem,
} from '../target.ts'
import { HeadReader, HelloReader, type ReadHead, TOO_EARLY } from './first-bytes.ts'
import { Lane, pump, type Tunnel } from './lane.ts'

export class HostProxy {
  readonly #granted: GrantedHosts
  readonly #over = new AbortController()
  readonly #streams = new Set<Duplex>()
  readonly #allBytes: number
  #bytes = 0

  /** @param allBytes of the call; for tests */
  constructor(hosts: readonly string[], internet: Internet, allBytes: number = TUNNEL_LIMITS.allBytes) {
    this.#granted = new GrantedHosts(hosts, internet, this.#over.signal)
    this.#allBytes = allBytes
  }

  /** Serves one descriptor until it is closed. */
  serve(stream: Duplex): void {
    this.#streams.add(stream)
    stream.once('close', () => {
      this.#streams.delete(stream)
      if (this.#streams.size === 0) this.#over.abort()
    })
    new Lane(stream, {
      begin: lane => {
        // So that no number of empty tunnels is free.
        this.#count(TUNNEL_LIMITS.headBytes)
        return new JudgedTunnel(lane, this.#granted)
      },
      moved: bytes => this.#count(bytes),
    })
  }

  /** What was refused, for people. */
  notices(): readonly string[] {
    return this.#granted.told.map(why => `A connection was refused: ${why}`)
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#allBytes) return
    this.#granted.tell(`all of one call carry no more than ${byteLimit(this.#allBytes)}`)
    for (const stream of this.#streams) stream.destroy()
  }
}

const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n')

class JudgedTunnel implements Tunnel {
  readonly #lane: Lane
  readonly #granted: GrantedHosts
  /** Aborts when nothing is to be waited for any more. */
  readonly #over = new AbortController()
  /** Of an answer that refuses. After our 200 there is none: what follows it is TLS. */
  #status: 403 | 502 | undefined = 403
  #timer = this.#within(TUNNEL_LIMITS.headMs, 'its head took too long')
  /** What is done with the next piece. */
  #take: (piece: Uint8Array) => void = this.#readingHead()
  /** Once both sides are connected. */
  #pumped: Tunnel | undefined

  constructor(lane: Lane, granted: GrantedHosts) {
    this.#lane = lane
    this.#granted = granted
  }

  piece(bytes: Uint8Array): void {
    if (this.#pumped === undefined) this.#take(bytes)
    else this.#pumped.piece(bytes)
  }

  ended(): void {
    if (this.#pumped === undefined) this.#close()
    else this.#pumped.ended()
  }

  lost(): void {
    this.#close()
  }

  #readingHead(): (piece: Uint8Array) => void {
    const reader = new HeadReader()
    return piece => {
      const head = reader.read(piece)
      if (head === undefined) return
      this.#take = () => this.#refuse(TOO_EARLY)
      void this.#reach(head)
    }
  }

  async #reach(head: ReadHead): Promise<void> {
    if ('problem' in head) return this.#refuse(head.problem)
    clearTimeout(this.#timer)
    this.#timer = this.#within(TUNNEL_LIMITS.connectMs, `${hostPort(head)} does not answer`)
    const { signal } = this.#over
    try {
      const target = await this.#granted.target(head, signal)
      if (signal.aborted) return
      if ('why' in target) return this.#refuse(target.why)
      this.#status = 502
      const socket = await dialTarget(target, this.#granted.wire, signal)
      if (signal.aborted) return
      clearTimeout(this.#timer)
      this.#timer = this.#within(TUNNEL_LIMITS.headMs, 'its ClientHello took too long')
      this.#take = this.#readingHello(target, socket)
      this.#status = undefined
      this.#lane.send(ESTABLISHED)
    } catch (error) {
      const code = error instanceof Error ? Reflect.get(error, 'code') : undefined
      if (signal.aborted) return
      // Anything else is our bug.
      if (typeof code !== 'string') throw error
      this.#status = 502
      this.#refuse(`${hostPort(head)} cannot be reached (${code})`)
    }
  }

  #readingHello({ host, port, scheme }: NetTarget, socket: Socket): (piece: Uint8Array) => void {
    const reader = new HelloReader()
    const kept: Uint8Array[] = []
    const expected = literalOf({ host }) === undefined ? host : undefined
    const where = hostPort({ host, port, scheme })
    return piece => {
      kept.push(piece)
      const hello = reader.read(piece)
      if (hello === undefined) return
      if ('problem' in hello) return this.#refuse(`${where}: ${hello.problem}`)
      if (hello.name !== expected) return this.#refuse(`${where}: its ClientHello names ${named(hello.name)}`)
      clearTimeout(this.#timer)
      this.#pumped = pump(this.#lane, socket, { answersEnd: false, lingerMs: TUNNEL_LIMITS.lingerMs })
      for (const bytes of kept) this.#pumped.piece(bytes)
    }
  }

  #within(ms: number, problem: string): NodeJS.Timeout {
    return setTimeout(() => this.#refuse(problem), ms)
  }

  #refuse(why: string): void {
    const status = this.#status
    this.#granted.tell(why)
    const words = status === 403 ? 'Forbidden' : 'Bad Gateway'
    if (status !== undefined)
      this.#lane.send(Buffer.from(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\n\r\n${why}\n`))
    this.#close()
  }

  /** Destroys the socket as well: it waits for the signal. */
  #close(): void {
    clearTimeout(this.#timer)
    this.#take = () => {}
    this.#over.abort()
    this.#lane.end()
  }
}

function named(name: string | undefined): string {
  return name === undefined ? 'no host' : quoteText(name)
}

class GrantedHosts {
  readonly wire: Wire
  readonly #hosts: readonly string[]
  readonly #lookup: Lookup
  readonly #told = new Set<string>()

  /** @param signal ends the lookups of the call */
  constructor(hosts: readonly string[], internet: Internet, signal: AbortSignal) {
    this.wire = internet
    this.#hosts = hosts
    const known = new Map<string, ReturnType<Lookup>>()
    this.#lookup = host => {
      const found = known.get(host) ?? internet.lookup(host, signal)
      known.set(host, found)
      return found
    }
  }

  /** @throws what the lookup throws */
  async target(reach: ReachedHost, signal: AbortSignal): Promise<NetTarget | NotReached> {
    return reachProblem(reach, this.#hosts) ?? findAddresses(reach, this.#lookup, signal)
  }

  /** Keeps what was refused, for the answer of the call: programs say little of it. */
  tell(why: string): void {
    if (this.#told.size < TUNNEL_LIMITS.told) this.#told.add(why)
  }

  get told(): readonly string[] {
    return [...this.#told]
  }
}
