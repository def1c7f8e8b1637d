// What a program writes while it runs → who takes it. The program is read no faster than that.
import type { Readable } from 'node:stream'

export type ProgramStream = 'stdout' | 'stderr'

/** Resolves when the bytes are taken. Never rejects. */
export type TakeOutput = (stream: ProgramStream, bytes: Uint8Array) => Promise<void>

export function passOutput(from: Readable, stream: ProgramStream, take: TakeOutput): void {
  from.on('data', (bytes: Buffer) => {
    from.pause()
    void take(stream, bytes).then(() => from.resume())
  })
}
