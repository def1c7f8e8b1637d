// The head of the one request of a tunnel → host and port, or why it is refused. HTTP/1.1, or 1.0 as python's urllib writes it.

import { TUNNEL_LIMITS } from '../../model/limits.ts'
import { type ReachedHost, readHostPort } from '../../policy/host.ts'

const LINE = /^CONNECT ([^ ]+) HTTP\/1\.[01]$/
/** RFC 9110: a token, a colon, and visible text. */
const FIELD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/
/** A port is always written, without zeros before it. */
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):([1-9][0-9]{0,4})$/
export const TOO_EARLY = 'bytes came before the answer'
const HEAD_END = '\r\n\r\n'

export type ReadHead = ReachedHost | { readonly problem: string }

/** Takes the head piece by piece, and keeps no more of it than a head may have. */
export class HeadReader {
  #seen = ''

  /** @returns undefined while more is to come */
  read(piece: Uint8Array): ReadHead | undefined {
    const { headBytes } = TUNNEL_LIMITS
    const from = Math.max(0, this.#seen.length - HEAD_END.length + 1)
    this.#seen += Buffer.from(piece.subarray(0, headBytes + 1 - this.#seen.length)).toString('latin1')
    const at = this.#seen.indexOf(HEAD_END, from)
    const end = at + HEAD_END.length
    if (at < 0 && this.#seen.length <= headBytes) return undefined
    if (at < 0 || end > headBytes) return { problem: `its head has more than ${headBytes} bytes` }
    const head = readHead(this.#seen.slice(0, at))
    return 'problem' in head || this.#seen.length === end ? head : { problem: TOO_EARLY }
  }
}

function readHead(text: string): ReadHead {
  const [line = '', ...fields] = text.split('\r\n')
  const authority = LINE.exec(line)?.[1]
  if (authority === undefined) return { problem: 'it is no CONNECT: only https is passed on' }
  if (!fields.every(field => FIELD.test(field))) return { problem: 'its head is not HTTP' }
  const [, host, port] = AUTHORITY.exec(authority) ?? []
  if (host === undefined) return { problem: 'it names no host:port' }
  const read = readHostPort(`${host}:${port}`)
  if ('problem' in read) return { problem: `it names no host:port: ${read.problem}` }
  return { scheme: 'https', host: read.host, port: Number(port) }
}
