// Reads the first bytes of a tunnel, in however many pieces they come: the head of its CONNECT request (HTTP/1.1, or 1.0 as Python's
// urllib writes it), and the name of the server in the TLS ClientHello (RFC 8446 §4.1.2, §5.1; RFC 6066 §3).
import { TUNNEL_LIMITS } from '../../model/limits.ts'
import { type ReachedHost, readHostPort } from '../../policy/host.ts'

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const MOST_RECORD = 1 << 14
const SERVER_NAME = 0
const HOST_NAME = 0
/** It hides a second name, and says of itself only that there may be one. */
const ENCRYPTED_HELLO = 0xfe0d

export type ReadHello = { readonly name: string | undefined } | { readonly problem: string }

const NO_TLS = { problem: 'what came first is no TLS' }
const MORE = { problem: 'more than a ClientHello came first' }
const BROKEN = { problem: 'its ClientHello cannot be read' }

export class HelloReader {
  /** The head of the record that is being read. */
  #head: number[] = []
  /** Bytes of the record that are still to come. */
  #left = 0
  /** The message, from all records, in a buffer that is as large as it may get. */
  readonly #message = Buffer.alloc(TUNNEL_LIMITS.helloBytes)
  #length = 0

  /** @returns undefined while more is to come */
  read(piece: Uint8Array): ReadHello | undefined {
    for (let at = 0; at < piece.length; ) {
      if (this.#left === 0) {
        this.#head.push(piece[at++] ?? 0)
        if (this.#head.length < 5) continue
        const [type, major, , high = 0, low = 0] = this.#head
        this.#head = []
        this.#left = high * 256 + low
        if (type !== HANDSHAKE || major !== 3 || this.#left === 0 || this.#left > MOST_RECORD) return NO_TLS
        continue
      }
      const part = piece.subarray(at, at + this.#left)
      at += part.length
      this.#left -= part.length
      const hello = this.#add(part)
      if (hello !== undefined) return hello
    }
    return undefined
  }

  #add(part: Uint8Array): ReadHello | undefined {
    const { helloBytes } = TUNNEL_LIMITS
    if (this.#length + part.length > helloBytes)
      return { problem: `its ClientHello has more than ${helloBytes} bytes` }
    this.#message.set(part, this.#length)
    this.#length += part.length
    if (this.#message[0] !== CLIENT_HELLO) return NO_TLS
    if (this.#length < 4) return undefined
    const end = 4 + this.#message.readUIntBE(1, 3)
    if (this.#length < end) return undefined
    // The next message would be the server's.
    return this.#length > end || this.#left > 0 ? MORE : readHello(this.#message.subarray(4, end))
  }
}

function readHello(body: Buffer): ReadHello {
  const fields = new Fields(body)
  fields.skip(2 + 32)
  for (const size of [1, 2, 1] as const) fields.block(size)
  // Before TLS 1.2 there may be no extensions.
  const extensions = fields.isAtEnd ? new Fields(Buffer.alloc(0)) : fields.block(2)
  const seen = new Map<number, Fields>()
  while (!extensions.isAtEnd && !extensions.isBroken) {
    const type = extensions.number(2)
    const value = extensions.block(2)
    if (seen.has(type)) return { problem: 'its ClientHello has an extension twice' }
    seen.set(type, value)
  }
  if (fields.isBroken || !fields.isAtEnd || extensions.isBroken) return BROKEN
  if (seen.has(ENCRYPTED_HELLO)) return { problem: 'its ClientHello may hide another name (ECH)' }
  const names = seen.get(SERVER_NAME)
  return names === undefined ? { name: undefined } : readName(names)
}

function readName(extension: Fields): ReadHello {
  const list = extension.block(2)
  const type = list.number(1)
  const name = list.block(2).rest().toString('latin1')
  const isOne = extension.isAtEnd && list.isAtEnd && !extension.isBroken && !list.isBroken
  return isOne && type === HOST_NAME && name !== '' ? { name: name.toLowerCase() } : BROKEN
}

/** Reads from the front. Beyond the end everything is zero and empty, and `isBroken` says so. */
class Fields {
  readonly #bytes: Buffer
  #at = 0
  isBroken = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  skip(count: number): Buffer {
    const part = this.#bytes.subarray(this.#at, this.#at + count)
    if (part.length < count) this.isBroken = true
    this.#at += part.length
    return part
  }

  number(size: 1 | 2): number {
    const part = this.skip(size)
    return part.length < size ? 0 : part.readUIntBE(0, size)
  }

  /** What is behind its own length. */
  block(size: 1 | 2): Fields {
    const block = new Fields(this.skip(this.number(size)))
    block.isBroken = this.isBroken
    return block
  }

  rest(): Buffer {
    return this.skip(this.#bytes.length - this.#at)
  }
}

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
