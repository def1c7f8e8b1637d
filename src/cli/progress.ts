// Progress of long work: one line on a terminal's standard error, removed at the end. Nothing without a terminal.
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
 * For work over a network: a line `pulling [####      ] 42%  12.3 MiB/s` while there is progress. A network may be slow, so it is time and
 * not size that decides whether a line is worth showing.
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
      const line = `${doing} ${howFar(done, total)}  ${rate.toFixed(1)} MiB/s`
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

function isShown(io: Io, args: GlobalArgs): boolean {
  return io.isTTY.stderr && !args.quiet && !args.json
}
