// Progress of long work: one line on a terminal's standard error, removed at the end. Nothing without a terminal.
import type { GlobalArgs, Io } from './command.ts'

/** Shorter work is over before a line could be read. */
const WORTH_SHOWING_BYTES = 64 * 1024 * 1024
const EVERY_MS = 100

/** The same chunks; while they pass, a line `what 42%` is kept up to date. */
export async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  total: number,
  io: Io,
  args: GlobalArgs,
): AsyncGenerator<Uint8Array> {
  if (total < WORTH_SHOWING_BYTES || !io.isTTY.stderr || args.quiet || args.json) {
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
