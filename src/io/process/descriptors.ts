// The descriptors of a program beside its three standard streams: those that are opened for it, and those that it would inherit from this
// process. Node closes its own, but not those that it was started with.
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { isSystemError } from '../../model/system-error.ts'

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

/** `O_CLOEXEC` in /proc/self/fdinfo, octal. */
const CLOSES = 0o2000000

/** Numbers from `first` on. Linux only. */
export function inherited(first: number): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(fd => fd >= first && staysOpen(fd))
}

function staysOpen(fd: number): boolean {
  try {
    const [, flags] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSES) === 0
  } catch (error) {
    // The one by which the list was read is closed by now.
    if (isSystemError(error)) return false
    throw error
  }
}
