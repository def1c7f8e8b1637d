// A command on a terminal → the same, with a line that says how far it is while its job reports that.
import { usesNative } from '../bundle/blake3.ts'
import type { OnProgress } from '../model/progress.ts'
import type { AnyCommand, ExitCode, GlobalArgs, Io } from './command.ts'

/** What the command prints or asks takes the line away first. */
export async function withMeter(command: AnyCommand, args: GlobalArgs, io: Io): Promise<ExitCode> {
  const { onProgress, end } = progressOf(command.name.replace(/^.* /, ''), io, args)
  try {
    return await command.run(args as never, {
      ...io,
      onProgress,
      stdout: (text, how) => {
        end()
        io.stdout(text, how)
      },
      stderr: text => {
        end()
        io.stderr(text)
      },
      pass: (to, bytes, until) => {
        end()
        return io.pass(to, bytes, until)
      },
    })
  } finally {
    end()
  }
}

/**
 * Progress of long work: one line on a terminal's standard error, removed at the end. Nothing without a terminal.
 */
const EVERY_MS = 100
const BAR = 20
const SHORTEST_BAR = 5
/** Ctrl-C shows as `^C` behind the line. */
const ECHO = 2
const MIB = 1024 ** 2

/**
 * A line `verify [####      ] 42%  12.3 MiB/s  3 s left` while there is progress. It is time and not size that decides whether a line is
 * worth showing: networks, gzip and hashing in JavaScript are slow.
 */
function progressOf(
  doing: string,
  io: Io,
  args: GlobalArgs,
): { readonly onProgress?: OnProgress; readonly end: () => void } {
  if (!isShown(io, args)) return { end: () => {} }
  let began: { readonly at: number; readonly done: number } | undefined
  let last = 0
  let shown = 0
  let width = 0
  let isSlowSaid = false
  return {
    onProgress({ done, total }) {
      const now = performance.now()
      // A connection that broke goes on further back, and a new file begins at nothing.
      if (began === undefined || done < last) began = { at: now, done }
      last = done
      if (now - shown < EVERY_MS || now - began.at < 5 * EVERY_MS) return
      shown = now
      const rate = ((done - began.done) / MIB / (now - began.at)) * 1000
      const left = total === undefined || rate === 0 ? '' : `  ${timeLeft((total - done) / MIB / rate)}`
      const end = `  ${rate.toFixed(1)} MiB/s${left}`
      // A line that breaks could not be taken away.
      const most = Math.max(20, io.columns - 1 - ECHO)
      const line = `${doing} ${howFar(done, total, most - doing.length - end.length - 1)}${end}`.slice(
        0,
        most,
      )
      if (!isSlowSaid) io.stderr(slowLine())
      isSlowSaid = true
      io.stderr(`\r${line.padEnd(width)}`)
      width = line.length
    },
    end() {
      if (width > 0) io.stderr(`\r${' '.repeat(width + ECHO)}\r`)
      began = undefined
      last = 0
      width = 0
    },
  }
}

/** Within `room` columns, without a bar where there is none for one. */
function howFar(done: number, total: number | undefined, room: number): string {
  if (total === undefined || total === 0) return `${(done / MIB).toFixed(1)} MiB`
  const part = Math.min(1, done / total)
  const percent = `${Math.floor(part * 100)}%`.padStart(4)
  const bar = Math.min(BAR, room - percent.length - '[] '.length)
  return bar < SHORTEST_BAR ? percent : `[${'#'.repeat(Math.round(part * bar)).padEnd(bar)}] ${percent}`
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
