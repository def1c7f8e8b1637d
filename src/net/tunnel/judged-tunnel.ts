// One tunnel outside of a sandbox, from its CONNECT to its end: nothing is passed on before a host that is granted was asked for and named in TLS.
import type { Socket } from 'node:net'
import { TUNNEL_LIMITS } from '../../model/limits.ts'
import { literalOf } from '../../policy/reached.ts'
import { quoteText } from '../../text/quote.ts'
import { dialTarget } from '../connect.ts'
import { hostPort, type NetTarget } from '../target.ts'
import { HelloReader } from './client-hello.ts'
import { HeadReader, type ReadHead, TOO_EARLY } from './connect-head.ts'
import type { GrantedHosts } from './granted.ts'
import type { Lane, Tunnel } from './lane.ts'
import { pump } from './pump.ts'

const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n')

export class JudgedTunnel implements Tunnel {
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
