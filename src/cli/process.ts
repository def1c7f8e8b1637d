// The real process as a terminal for `main`: streams, signals and the exit code.

import { printable } from '../format/text/printable.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { ExitCode, Registry } from './command.ts'
import { main, type Terminal } from './main.ts'
import { type Output, openOutput } from './output.ts'
import { inert } from './render/inert.ts'

/**
 * Runs the process's command line and sets its exit code. `process.exit` is not called on the normal way out, so that
 * output still on its way into a pipe is not lost.
 */
export async function runProcess(registry?: Registry): Promise<void> {
  // Until the command has ended: a process that stops early must not read as success.
  process.exitCode = EXIT.bug
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The second time, whoever asks has waited long enough.
      if (stop.signal.aborted) process.exit(EXIT.user)
      setTimeout(() => stderr.write('rlp: stopping; press Ctrl-C again to stop at once\n'), 500).unref()
      stop.abort(new DOMException(`Received ${signal}`, 'AbortError'))
    })
  }
  // A rejected promise that nobody awaits ends with 1 in Node, which would read as a verdict about the bundle.
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
  // Whoever cannot be told cannot be told that.
  const stderr = openOutput(2, () => {})
  const stdout = openOutput(1, error => {
    broken = EXIT.machine
    process.exitCode = broken
    stderr.write(`rlp: Cannot write to standard output: ${error.code ?? error.message}\n`)
  })
  let input: NodeJS.ReadStream | undefined
  const stdin = () => {
    input = process.stdin
    // Whoever reads it hears of it; nobody else has to.
    input.on('error', () => {})
    return input
  }
  stop.signal.addEventListener('abort', () => input?.destroy(stop.signal.reason))
  const code = await main(
    process.argv.slice(2),
    terminal({ stdout, stderr, stdin, signal: stop.signal }),
    registry,
  )
  // Whoever still holds the other end open must not keep a command from ending that has stopped reading.
  input?.destroy()
  process.exitCode = broken ?? code
}

interface Ends {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin: () => NodeJS.ReadStream
  readonly signal: AbortSignal
}

function terminal({ stdout, stderr, stdin, signal }: Ends): Terminal {
  return {
    stdout: text => stdout.write(text),
    unread: () => stdout.unread,
    stderr: text => stderr.write(text),
    stdin,
    // `process.stdin` is not touched here: merely looking at it opens it.
    isTTY: {
      // Loaded when somebody asks: `node:tty` costs 2 ms at start where no stream is a terminal.
      get stdin() {
        return process.getBuiltinModule('node:tty').isatty(0)
      },
      stdout: stdout.isTTY,
      stderr: stderr.isTTY,
    },
    columns: stdout.columns || stderr.columns || 80,
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
