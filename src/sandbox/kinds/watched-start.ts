// The descriptors of one start of bwrap, and what comes back over them.

import type { ExtraStream } from '../../io/process/extra-streams.ts'
import { inherited } from '../../io/process/inherited.ts'
import { TUNNEL_LIMITS } from '../../model/limits.ts'
import { READY } from '../../net/tunnel/inside.ts'
import type { HostProxy } from '../../net/tunnel/proxy.ts'
import { FD } from '../line.ts'
import type { Held } from './kind.ts'

export class WatchedStart {
  #said = ''
  #info = ''
  readonly #args: Uint8Array
  readonly #filter: Uint8Array
  readonly #proxy: HostProxy | undefined

  /** @param proxy of a program that is granted hosts */
  constructor(args: Uint8Array, filter: Uint8Array, proxy: HostProxy | undefined) {
    this.#args = args
    this.#filter = filter
    this.#proxy = proxy
  }

  get parts(): Pick<Held, 'streams' | 'innerGroup' | 'begun' | 'failure' | 'notices'> {
    const streams: ExtraStream[] = []
    streams[FD.ready - 3] = {
      onData: bytes => {
        this.#said += bytes.toString('latin1')
      },
    }
    streams[FD.args - 3] = { bytes: this.#args }
    streams[FD.filter - 3] = { bytes: this.#filter }
    streams[FD.info - 3] = {
      onData: bytes => {
        this.#info += bytes.toString('latin1')
      },
    }
    const proxy = this.#proxy
    if (proxy !== undefined)
      for (let lane = 0; lane < TUNNEL_LIMITS.tunnels; lane++)
        streams[FD.tunnels - 3 + lane] = { serve: stream => proxy.serve(stream) }
    for (const fd of inherited(streams.length + 3)) {
      while (streams.length < fd - 3) streams.push('left')
      streams[fd - 3] = 'nothing'
    }
    return {
      streams,
      innerGroup: () => this.#childPid(),
      notices: () => proxy?.notices() ?? [],
      begun: () => this.#said.endsWith(READY),
      failure: stderr => {
        if (this.#said.endsWith(READY)) return undefined
        const [swapped] = /^swapped .*/m.exec(this.#said) ?? []
        if (swapped !== undefined)
          return `${swapped.slice('swapped '.length)} was exchanged while the call began`
        return lastLine(stderr) ?? 'it ended before the program was started'
      },
    }
  }

  #childPid(): number | undefined {
    const [, pid] = /"child-pid":\s*([0-9]+)/.exec(this.#info) ?? []
    return pid === undefined ? undefined : Number(pid)
  }
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.trim() || undefined
}
