// A lane: one descriptor that carries one tunnel after another. Both ends of it are the same code, the one inside a sandbox and the one outside.
import type { Duplex } from 'node:stream'
import { END, FrameReader, framesOf } from './frames.ts'

/** What one end does with a tunnel. */
export interface Tunnel {
  piece(bytes: Uint8Array): void
  /** The other end sends no more. */
  ended(): void
  /** The lane is gone. */
  lost(): void
}

export interface LaneUses {
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
