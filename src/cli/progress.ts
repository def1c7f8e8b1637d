// Progress of long work: one line on a terminal's standard error, removed at the end. Nothing without a terminal.
import { usesNative } from '../format/blake3.ts'
import type { OnProgress } from '../model/progress.ts'
import type { GlobalArgs, Io } from './command.ts'

/** Shorter work is over before a line could be read. */
const WORTH_SHOWING_BYTES = 64 * 1024 * 1024
const EVERY_MS = 100
const BAR = 20
const MIB = 1024 ** 2

/** The same chunks; while they pass, a line `what 42%` is kept up to date. */
export async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  total: number,
  io: Io,
  args: GlobalArgs,
): AsyncGenerator<Uint8Array> {
  if (total < WORTH_SHOWING_BYTES || !isShown(io, args)) {
    yield* chunks
    return
  }
  let seen = 0
  let shown = 0
  try {
    for await (const chunk of chunks) {
      seen += chunk.length
      const now = performance.now()
      if (now - shown > EVERY_MS) {
        shown = now
        io.stderr(`\r${what} ${Math.floor((100 * seen) / total)}%`)
      }
      yield chunk
    }
  } finally {
    io.stderr(`\r${' '.repeat(what.length + 5)}\r`)
  }
}

/**
 * A line `verify [####      ] 42%  12.3 MiB/s  3 s left` while there is progress. It is time and not size that decides whether a line is
 * worth showing: networks, gzip and hashing in JavaScript are slow.
 */
export function progressOf(
  doing: string,
  io: Io,
  args: GlobalArgs,
): { readonly onProgress?: OnProgress; readonly end: () => void } {
  if (!isShown(io, args)) return { end: () => {} }
  let began: { readonly at: number; readonly done: number } | undefined
  let shown = 0
  let width = 0
  return {
    onProgress({ done, total }) {
      const now = performance.now()
      // A connection that broke goes on further back, and a new file begins at nothing.
      if (began === undefined || done < began.done) began = { at: now, done }
      if (now - shown < EVERY_MS || now - began.at < 5 * EVERY_MS) return
      shown = now
      const rate = ((done - began.done) / MIB / (now - began.at)) * 1000
      const left = total === undefined || rate === 0 ? '' : `  ${timeLeft((total - done) / MIB / rate)}`
      const whole = `${doing} ${howFar(done, total)}  ${rate.toFixed(1)} MiB/s${left}`
      // A line that breaks could not be taken away.
      const line = whole.slice(0, Math.max(20, io.columns - 1))
      if (width === 0) io.stderr(slowLine())
      io.stderr(`\r${line.padEnd(width)}`)
      width = line.length
    },
    end() {
      if (width > 0) io.stderr(`\r${' '.repeat(width)}\r`)
      began = undefined
      width = 0
    },
  }
}

function howFar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return `${(done / MIB).toFixed(1)} MiB`
  const part = Math.min(1, done / total)
  return `[${'#'.repeat(Math.round(part * BAR)).padEnd(BAR)}] ${`${Math.floor(part * 100)}%`.padStart(4)}`
}

function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds))
  return whole < 60 ? `${whole} s left` : `${Math.ceil(whole / 60)} min left`
}

/** Long work without the native BLAKE3 takes up to forty times as long, and one command helps. */
function slowLine(): string {
  if (usesNative() !== false) return ''
  return 'BLAKE3 is computed without its native part, which is far slower: npm install @napi-rs/blake-hash\n'
}

function isShown(io: Io, args: GlobalArgs): boolean {
  const isPlain = io.env['TERM'] === 'dumb' || Boolean(io.env['CI'])
  return io.isTTY.stderr && !isPlain && !args.quiet && !args.json
}
