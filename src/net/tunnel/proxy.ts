// The proxy outside of the sandbox of one call: descriptors that lead inside → tunnels to granted hosts.
import type { Duplex } from 'node:stream'
import { byteLimit, TUNNEL_LIMITS } from '../../model/limits.ts'
import type { Internet } from '../internet.ts'
import { GrantedHosts } from './granted.ts'
import { JudgedTunnel } from './judged-tunnel.ts'
import { Lane } from './lane.ts'

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
