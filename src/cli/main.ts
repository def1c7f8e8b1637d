// One command line → an exit code: resolve, load, parse, run, and report errors.
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { VERSION } from '../model/rlp-version.ts'
import { jsonLine } from '../report/json.ts'
import type { ExitCode, Io, Registry } from './command.ts'
import { REGISTRY } from './commands.ts'
import { describe, renderFailure } from './failure.ts'
import { asksFor } from './global-options.ts'
import { guarded } from './guarded.ts'
import { parse } from './parse.ts'
import { createStyle, wantsColor } from './render/style.ts'
import { resolve } from './resolve.ts'
import { runCommand } from './running.ts'

/** The input of `main`, which decides about colour itself. */
export type Terminal = Omit<Io, 'color'>

/** How far a command line got, for error messages. */
interface Progress {
  /** The command words known so far: '', a group, or a command. */
  words: string
  isCommand: boolean
}

/**
 * Runs one command line. Never throws: everything is reported on `terminal` and by the exit code.
 * Parts that only some command lines need are loaded on demand.
 */
export async function main(
  argv: readonly string[],
  bare: Terminal,
  registry: Registry = REGISTRY,
): Promise<ExitCode> {
  const terminal = guarded(bare)
  const progress: Progress = { words: '', isCommand: false }
  try {
    return await dispatch(argv, terminal, registry, progress)
  } catch (error) {
    return fail(interrupted(error, terminal, progress) ?? error, argv, terminal, progress)
  }
}

async function dispatch(
  argv: readonly string[],
  terminal: Terminal,
  registry: Registry,
  progress: Progress,
): Promise<ExitCode> {
  const route = resolve(argv, registry)
  if (route.to === 'version') {
    terminal.stdout(`${VERSION}\n`)
    return EXIT.ok
  }
  if (route.to === 'help') {
    progress.words = route.at
    // A program that forgot the command must not take help for a result.
    if (!route.asked && asksFor(argv, '--json'))
      throw new UsageError(`Cannot run "${`rlp ${route.at}`.trim()}": the command is missing`)
    const { renderGroupHelp, renderRootHelp, renderWholeHelp } = await import('./render/help.ts')
    const layout = layoutFor(argv, terminal)
    terminal.stdout(
      route.at !== ''
        ? await renderGroupHelp(registry, route.at, layout)
        : route.all
          ? await renderWholeHelp(registry, layout)
          : await renderRootHelp(registry, layout),
    )
    return EXIT.ok
  }
  progress.words = route.entry.name
  progress.isCommand = true
  const { command } = await route.entry.load()
  const showHelp = async (): Promise<ExitCode> => {
    const { renderCommandHelp } = await import('./render/help.ts')
    terminal.stdout(await renderCommandHelp(command, layoutFor(argv, terminal)))
    return EXIT.ok
  }
  if (route.help) return showHelp()
  const io: Io = { ...terminal, color: colorOf(argv, terminal, 'stdout') }
  const args = parse(command, route.rest)
  // Only `-qh` and similar get here: resolve has found the other spellings. `parse` used this command's declaration, so these are its
  // arguments.
  if (args.help) return showHelp()
  return runCommand(command, args, route.rest, io)
}

/** A stop by the user is `CANCELLED`, whatever error the interrupted part threw. */
function interrupted(error: unknown, { signal }: Terminal, { words }: Progress): RlpError | undefined {
  if (!signal.aborted || !(error instanceof Error)) return undefined
  if (error !== signal.reason && error.name !== 'AbortError') return undefined
  return new RlpError('CANCELLED', `Cannot finish "rlp ${words}": it was interrupted`, { cause: error })
}

function fail(
  error: unknown,
  argv: readonly string[],
  terminal: Terminal,
  { words, isCommand }: Progress,
): ExitCode {
  const description = describe(error, isCommand ? words.replaceAll(' ', '.') : undefined)
  if (asksFor(argv, '--json')) {
    terminal.stdout(jsonLine(description.envelope))
    // The envelope says what went wrong; a stack does not belong there.
    if (description.stack === undefined) return description.exit
  }
  const usage = error instanceof RlpError && error.code === 'USAGE'
  terminal.stderr(
    renderFailure(description, {
      style: createStyle(colorOf(argv, terminal, 'stderr')),
      columns: terminal.isTTY.stderr ? terminal.columns : undefined,
      see: usage ? `${`rlp ${words}`.trim()} --help` : undefined,
    }),
  )
  return description.exit
}

function layoutFor(argv: readonly string[], terminal: Terminal) {
  return { style: createStyle(colorOf(argv, terminal, 'stdout')), columns: terminal.columns }
}

/** Without parsing: help and errors have colour too, and they come before or instead of parsed arguments. */
function colorOf(argv: readonly string[], terminal: Terminal, stream: 'stdout' | 'stderr'): boolean {
  const asked = asksFor(argv, '--no-color', '--color=false')
    ? false
    : asksFor(argv, '--color')
      ? true
      : undefined
  return wantsColor(asked, terminal.env, terminal.isTTY[stream])
}
