// The real process as a terminal for `main`: streams, signals and the exit code. Short output is written directly, because Node's stream
// for a pipe costs 2 ms at start.

import { firstEvent } from '../io/wait/within.ts'
import { withoutWaiting, writeNow } from '../io/write/write-now.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import type { ExitCode, Registry } from './command.ts'
import { main, type Terminal } from './main.ts'
import { inert } from './render/layout.ts'

/**
 * Runs the process's command line and sets its exit code. Does not call `process.exit` on the normal way out, because it would lose
 * output that is still on its way into a pipe.
 */
export async function runProcess(registry?: Registry): Promise<void> {
  // Until the command has ended: a process that stops early must not read as success.
  process.exitCode = EXIT.bug
  const stop = new AbortController()
  let isEchoed = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The second signal ends the process at once. A terminal's line may have something on it: `^C`, or how far the work is.
      const ahead = stderr.isTTY ? '\n' : ''
      if (stop.signal.aborted) {
        stderr.write(ahead)
        process.exit(EXIT.user)
      }
      isEchoed = stderr.isTTY
      setTimeout(() => say('rlp: stopping; Ctrl-C again ends it now\n'), 500).unref()
      stop.abort(new DOMException(`Received ${signal}`, 'AbortError'))
    })
  }
  // Node ends with 1 after an unhandled rejection, which would read as a verdict about the bundle.
  process.on('uncaughtException', error => {
    const stack = String(error.stack ?? error)
      .split('\n')
      .map(line => printable(line))
    process.stderr.write(
      inert(`rlp: Internal error outside a command, please report it\n${stack.join('\n')}\n`),
      () => process.exit(EXIT.bug),
    )
  })
  let broken: ExitCode | undefined
  // If standard error is closed, give up silently.
  const stderr = openOutput(2, () => {})
  const stdout = openOutput(1, error => {
    broken = EXIT.machine
    process.exitCode = broken
    stderr.write(`rlp: Cannot write to standard output: ${error.code ?? error.message}\n`)
  })
  /** What comes first after a signal begins a line of its own, or takes away the line that `^C` is on. */
  const say = (text: string) => {
    stderr.write(isEchoed && !text.startsWith('\r') ? `\n${text}` : text)
    isEchoed = false
  }
  let input: NodeJS.ReadStream | undefined
  const stdin = () => {
    input = process.stdin
    // The reader of standard input gets the error itself.
    input.on('error', () => {})
    return input
  }
  stop.signal.addEventListener('abort', () => input?.destroy(stop.signal.reason))
  const code = await main(
    process.argv.slice(2),
    terminal({ stdout, stderr, say, stdin, signal: stop.signal }),
    registry,
  )
  // An open pipe at standard input must not keep a command alive that no longer reads it.
  input?.destroy()
  process.exitCode = broken ?? code
  // Node waits for a reader that has stopped, and was given up.
  if (stdout.isDropped || stderr.isDropped) process.exit()
}

interface Ends {
  readonly stdout: Output
  readonly stderr: Output
  readonly say: (text: string) => void
  readonly stdin: () => NodeJS.ReadStream
  readonly signal: AbortSignal
}

function terminal({ stdout, stderr, say, stdin, signal }: Ends): Terminal {
  return {
    stdout: text => stdout.write(text),
    unread: () => stdout.unread,
    isOver: () => stdout.isOver,
    stderr: say,
    pass: async (to, bytes, until) => {
      const output = to === 'stdout' ? stdout : stderr
      output.write(bytes)
      await output.taken(until)
    },
    stdin,
    // `process.stdin` is not used here: merely reading the property opens it.
    isTTY: {
      // Loaded on demand: `node:tty` costs 2 ms at start if no stream is a terminal.
      get stdin() {
        return process.getBuiltinModule('node:tty').isatty(0)
      },
      stdout: stdout.isTTY,
      stderr: stderr.isTTY,
    },
    columns: stdout.columns || stderr.columns || 80,
    rows: stdout.rows || stderr.rows || 24,
    env: process.env,
    get cwd() {
      return currentFolder()
    },
    signal,
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new RlpError('IO', 'Cannot read the current folder: it no longer exists', {
      cause,
      hint: 'Change to a folder that exists',
    })
  }
}

/** An empty socket takes this much. */
const AT_ONCE_BYTES = 16 * 1024

interface Output {
  readonly isTTY: boolean
  /** Of the terminal; undefined without one. */
  readonly columns: number | undefined
  readonly rows: number | undefined
  /** Bytes that were written and not yet taken by the reader. */
  readonly unread: number
  /** Whether writing has failed. */
  readonly isOver: boolean
  write(text: string | Uint8Array): void
  /** Waits until the reader has taken most of what was written. When the signal aborts first, the rest is dropped, and nothing more is written. */
  taken(signal: AbortSignal): Promise<void>
  /** Whether something was dropped that Node would still wait for. */
  readonly isDropped: boolean
}

/**
 * After the first failure nothing more is written, so that the output is a beginning without gaps. If the reader closed its end (`rlp
 * agent list | head -1`), the rest is dropped silently.
 * @param onError called once for any other error
 */
export function openOutput(fd: 1 | 2, onError: (error: NodeJS.ErrnoException) => void): Output {
  let isOver = false
  let isDropped = false
  const fail = (error: NodeJS.ErrnoException) => {
    if (isOver) return
    isOver = true
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') onError(error)
  }
  const direct = withoutWaiting(fd)
  let left = direct === undefined ? 0 : AT_ONCE_BYTES
  let opened: NodeJS.WriteStream | undefined
  const stream = () => {
    if (opened === undefined) {
      opened = fd === 1 ? process.stdout : process.stderr
      opened.on('error', fail)
    }
    return opened
  }
  const atOnce = (bytes: Uint8Array): Uint8Array => {
    try {
      return direct === undefined ? bytes : writeNow(direct, bytes)
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
      return new Uint8Array()
    }
  }
  if (left === 0) stream()
  return {
    isTTY: opened?.isTTY === true,
    columns: opened?.columns,
    rows: opened?.rows,
    get unread() {
      return isOver ? 0 : (opened?.writableLength ?? 0)
    },
    get isOver() {
      return isOver
    },
    write(text) {
      if (isOver) return
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      left = opened === undefined && bytes.length <= left ? left - bytes.length : 0
      const rest = left > 0 ? atOnce(bytes) : bytes
      if (rest.length > 0) stream().write(rest)
    },
    async taken(signal) {
      if (isOver || opened?.writableNeedDrain !== true) return
      await firstEvent(opened, ['drain', 'error', 'close'], signal)
      isDropped ||= opened.writableNeedDrain
      isOver ||= isDropped
    },
    get isDropped() {
      return isDropped
    },
  }
}
