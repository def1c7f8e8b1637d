// Descriptors of a program beside its three standard streams.
import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'

/** One further descriptor: what the program reads from it, who is told what it writes to it, who does both, `/dev/null`, or what this process hands on. */
export type ExtraStream =
  | { readonly bytes: Uint8Array }
  | { onData(bytes: Buffer): void }
  | { serve(stream: Duplex): void }
  | 'nothing'
  | 'left'

/** @param streams from descriptor 3 on */
export function connectStreams({ stdio }: ChildProcess, streams: readonly ExtraStream[]): Duplex[] {
  return streams.flatMap((stream, at) => {
    const end = stdio[3 + at] as Duplex | null | undefined
    if (end === null || end === undefined || typeof stream === 'string') return []
    // A program that ends early has not read all, or not written all: its end says so.
    end.on('error', () => {})
    if ('bytes' in stream) end.end(stream.bytes)
    else if ('serve' in stream) stream.serve(end)
    else end.on('data', (bytes: Buffer) => stream.onData(bytes))
    return end
  })
}
