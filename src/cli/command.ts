// The interface of a command, its input and its result. Each command has a file of its own in its room.
import type { ProgramStream } from '../io/process/program.ts'
import type { Setting } from '../io/setting.ts'
import type { ExitCode } from '../model/exit-code.ts'
import type { ArgsOf, GLOBAL_OPTIONS, OptionTable, Positional } from './option.ts'

export type { ExitCode } from '../model/exit-code.ts'
export type { Option, OptionTable, Positional } from './option.ts'

/** The outside world for a command; tests run `main` in process with a fake one. */
export interface Io extends Setting {
  /**
   * For results only. Text from a bundle goes through `printable` first. `commands` lets lines pass that are commands to the runner of a
   * pipeline: only those that rlp itself has written.
   */
  stdout(text: string | Uint8Array, how?: 'commands'): void
  /** Bytes of standard output that are not read yet. */
  unread?(): number
  /** Whether standard output takes nothing more: its reader is gone, or the disk is full. */
  isOver?(): boolean
  /** Everything else: notes, warnings, progress, errors. */
  stderr(text: string): void
  /** Bytes of a program that was asked for, unchanged. Waits until the reader has taken them; when the signal aborts first, drops them. */
  pass(to: ProgramStream, bytes: Uint8Array, signal: AbortSignal): Promise<void>
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean }
  /** Where a name of the command line is that `message` says was not found, and what to type; undefined if nothing of it is known. */
  elsewhere?(message: string): Promise<string | undefined>
  /** Width of the terminal in columns; 80 without one. */
  readonly columns: number
  /** Height of the terminal in lines; 24 without one. */
  readonly rows: number
  /** Whether stdout may have colour: `createStyle(io.color)`. */
  readonly color: boolean
}

/** The options that every command has: `json`, `quiet`, `color`, `help`. */
export type GlobalArgs = ArgsOf<typeof GLOBAL_OPTIONS, readonly []>

/** The parsed command line of one command. */
export type CommandArgs<O extends OptionTable, P extends readonly Positional[]> = ArgsOf<O, P> & GlobalArgs

export interface Command<
  O extends OptionTable = OptionTable,
  P extends readonly Positional[] = readonly Positional[],
> {
  /** The command words: `agent lint`. The tool contract's name is the same with dots. */
  readonly name: string
  /** One line for lists: begins in lower case, no full stop. The list of commands is generated from it. */
  readonly summary: string
  readonly positionals?: P
  readonly options: O
  readonly examples: readonly (readonly [command: string, what: string])[]
  /** Hints for an option or an argument that the command does not have, and that people try. */
  readonly stray?:
    | {
        readonly option?: (name: string, value: string | undefined) => string
        readonly argument?: (word: string) => string
      }
    | undefined
  /** Paragraphs at the end of `--help`, separated by blank lines. */
  readonly notes?: string | undefined
  /**
   * Runs the command. Throws {@link RlpError} if that is not possible: `main` prints it, as text or with `--json` as an envelope, and
   * decides the exit code. Any other error is reported as our bug.
   */
  run(args: CommandArgs<O, P>, io: Io): Promise<ExitCode>
}

/** One command, with the types of its options and positionals flowing into `run`. */
export function defineCommand<
  const O extends OptionTable,
  const P extends readonly Positional[] = readonly [],
>(command: Command<O, P>): Command<O, P> {
  return command
}

/** A command without its argument types; `parse` returns what its declaration implies. */
export type AnyCommand = Omit<Command, 'run'> & { run(args: never, io: Io): Promise<ExitCode> }

/** One row of the registry: enough to resolve and list a command without loading it. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<{ readonly command: AnyCommand }>
}

export interface Registry {
  /** First words that hold several commands. */
  readonly groups: readonly { readonly name: string; readonly summary: string }[]
  /** What `rlp --help` shows first, by name: from nothing to an agent in use. */
  readonly mainJob?: readonly string[]
  readonly commands: readonly CommandEntry[]
}
