// A lane: one descriptor that carries one tunnel after another, in pieces behind their length. Both of its ends are this code, the one
// inside a sandbox and the one outside. Each side waits while the other is full.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** What one end does with a tunnel. */
export interface Tunnel {
  piece(bytes: Uint8Array): void
  /** The other end sends no more. */
  ended(): void
  /** The lane is gone. */
  lost(): void
}

interface LaneUses {
  /** The other end begins a tunnel. */
  begin(lane: Lane): Tunnel
  /** Told of all bytes in either direction. */
  moved(bytes: number): void
}

export class Lane {
  readonly stream: Duplex
  readonly #uses: LaneUses
  readonly #reader = new FrameReader()
  #tunnel: Tunnel | undefined
  #hasSentEnd = false
  #hasGotEnd = false

  constructor(stream: Duplex, uses: LaneUses) {
    this.stream = stream
    this.#uses = uses
    stream.on('data', (chunk: Buffer) => this.#read(chunk))
    // Its end says it: a lane without the other end carries nothing.
    stream.on('error', () => {})
    stream.once('close', () => this.#tunnel?.lost())
  }

  get isFree(): boolean {
    return this.#tunnel === undefined && this.stream.writable && this.stream.readable
  }

  /** This end begins a tunnel. */
  begin(tunnel: Tunnel): void {
    this.#tunnel = tunnel
    this.#hasSentEnd = false
    this.#hasGotEnd = false
  }

  /** @returns false if the lane is full: wait for its `drain` */
  send(piece: Uint8Array): boolean {
    if (piece.length === 0 || this.#hasSentEnd) return true
    return this.#write(piece)
  }

  /** Sends no more for this tunnel. The lane is free when the other end has said the same. */
  end(): void {
    if (this.#tunnel === undefined || this.#hasSentEnd) return
    this.#hasSentEnd = true
    this.#write(END)
    this.#freeIfOver()
  }

  #write(piece: Uint8Array): boolean {
    this.#uses.moved(piece.length)
    if (!this.stream.writable) return true
    this.stream.cork()
    let isRoom = true
    for (const part of framesOf(piece)) isRoom = this.stream.write(part)
    this.stream.uncork()
    return isRoom
  }

  #read(chunk: Uint8Array): void {
    this.#uses.moved(chunk.length)
    for (const piece of this.#reader.read(chunk)) {
      if (this.#tunnel === undefined) this.begin(this.#uses.begin(this))
      // What comes after an end and before ours belongs to no tunnel.
      if (this.#hasGotEnd) continue
      if (piece.length > 0) this.#tunnel?.piece(piece)
      else this.#gotEnd()
    }
  }

  #gotEnd(): void {
    this.#hasGotEnd = true
    this.#tunnel?.ended()
    this.#freeIfOver()
  }

  #freeIfOver(): void {
    if (this.#hasSentEnd && this.#hasGotEnd) this.#tunnel = undefined
  }
}

const LENGTH_BYTES = 2
const MOST_BYTES = 0xffff

/** What ends a tunnel. */
export const END: Uint8Array = Buffer.alloc(0)

/** What is written for one piece. A long piece becomes several. */
export function framesOf(piece: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at === 0 || at < piece.length; at += MOST_BYTES) {
    const part = piece.subarray(at, at + MOST_BYTES)
    frames.push(Buffer.from([part.length >> 8, part.length & 0xff]), part)
  }
  return frames
}

export class FrameReader {
  /** The bytes of a length that have come. */
  #length: number[] = []
  /** Bytes of a piece that are still to come. */
  #left = 0

  /** @returns the pieces in a chunk. A long piece comes in parts, as its bytes come: nothing is kept. */
  read(chunk: Uint8Array): readonly Uint8Array[] {
    const pieces: Uint8Array[] = []
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const part = chunk.subarray(at, at + this.#left)
        at += part.length
        this.#left -= part.length
        pieces.push(part)
        continue
      }
      this.#length.push(chunk[at++] ?? 0)
      if (this.#length.length < LENGTH_BYTES) continue
      const [high = 0, low = 0] = this.#length
      this.#length = []
      this.#left = high * 256 + low
      if (this.#left === 0) pieces.push(END)
    }
    return pieces
  }
}

interface PumpOptions {
  /** Whether the end of the other side is answered at once, so that the lane is free; else what the socket still says is passed on. */
  readonly answersEnd: boolean
  /** How long the socket may take to end after the other side has. */
  readonly lingerMs: number
}

export function pump(lane: Lane, socket: Socket, { answersEnd, lingerMs }: PumpOptions): Tunnel {
  const { stream } = lane
  let isOver = false
  const onDrain = () => void socket.resume()
  // Once only: later the lane may carry another tunnel. What the socket still says is read, and passed on to no other.
  const end = () => {
    if (isOver) return
    isOver = true
    stream.off('drain', onDrain)
    socket.resume()
    lane.end()
  }
  stream.on('drain', onDrain)
  socket.on('drain', () => void stream.resume())
  socket.on('data', piece => {
    if (!isOver && !lane.send(piece)) socket.pause()
  })
  socket.once('end', end)
  socket.once('close', () => {
    // It may have been waiting for this socket.
    stream.resume()
    end()
  })
  // `close` follows.
  socket.on('error', () => {})
  // It has been closed before anything was passed on.
  if (socket.destroyed) end()
  return {
    piece(bytes) {
      if (socket.writable && !socket.write(bytes)) stream.pause()
    },
    ended() {
      socket.end()
      setTimeout(() => socket.destroy(), lingerMs).unref()
      if (answersEnd) end()
    },
    lost: () => void socket.destroy(),
  }
}

/** On 127.0.0.1 of the sandbox, where nothing else listens when the program starts. */
export const PROXY_PORT = 3128

/** Said to the descriptor that waits for it, when all is as it should be, before the program starts. */
export const READY = 'ready\n'

const PROXY = `http://127.0.0.1:${PROXY_PORT}`

/** Programs read one or the other spelling. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'all_proxy'].flatMap(name => [
      [name, PROXY],
      [name.toUpperCase(), PROXY],
    ]),
  ),
  no_proxy: '',
  NO_PROXY: '',
  NODE_USE_ENV_PROXY: '1',
}
