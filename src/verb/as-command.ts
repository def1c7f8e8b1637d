// Makes the command from a verb: flags, arguments and help from its inputs, and its outcome as text, as an envelope and as an exit code.
import type {
  AnyCommand,
  CommandArgs,
  ExitCode,
  GlobalArgs,
  Io,
  Option,
  OptionTable,
  Positional,
} from '../cli/command.ts'
import type { OpenPrompter } from '../cli/interactive.ts'
import type { Refused } from '../cli/render/refusal.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style } from '../cli/render/style.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import { type AnyInput, type Asked, flagOf, type InputTable } from './input.ts'
import { readTyped } from './read.ts'
import type { AnyVerb, Verb } from './verb.ts'
import type { World } from './world.ts'

/** What a command knows when it shows an outcome. */
export interface Showing<I extends InputTable = InputTable, O extends OptionTable = OptionTable> {
  readonly asked: Asked<I>
  readonly args: CommandArgs<O, readonly []>
  readonly style: Style
  readonly io: Io
}

/** What the command line says of an error beside its message. */
export interface CommandRefusal extends Pick<Refused, 'extra' | 'body'> {
  /** In place of the error. */
  readonly error?: RlpError
  readonly exit: ExitCode
}

/** How the command line shows a verb. A program that calls the function loads none of this. */
export interface Shown<I extends InputTable, O extends OptionTable, Outcome> {
  readonly examples: AnyCommand['examples']
  readonly notes?: string
  readonly stray?: AnyCommand['stray']
  /** Flags that say how the outcome is shown. `run` does not get them. */
  readonly flags?: O
  /** The flags that `--help` shows first, in this order; the others come as they are declared. */
  readonly first?: readonly string[]
  /** Refuses flags that do not go together, before anything is read. @throws UsageError */
  ready?(args: CommandArgs<O, readonly []>): void
  text?(outcome: Outcome, showing: Showing<I, O>): string
  /** What `text` gives is for programs or files: no line of it is broken. */
  readonly isDocument?: true
  /** What stays with `--quiet`, a line each; the text, if this is left out or undefined. */
  quiet?(outcome: Outcome, showing: Showing<I, O>): readonly string[] | undefined
  warnings?(outcome: Outcome, showing: Showing<I, O>): readonly string[]
  /** A line on standard error after the outcome. */
  note?(outcome: Outcome, showing: Showing<I, O>): string | undefined
  exit?(outcome: Outcome, showing: Showing<I, O>): ExitCode
  /** Prints it in the place of `text`, where the command has formats of its own. */
  print?(outcome: Outcome, showing: Showing<I, O>, exit: ExitCode): void | Promise<void>
  /** Undefined for an error of which the message says all. */
  refused?(
    error: RlpError,
    showing: Showing<I, O>,
  ): CommandRefusal | undefined | Promise<CommandRefusal | undefined>
}

export interface VerbCommand extends Omit<AnyCommand, 'run'> {
  /** @param open asks a person; tests hand in another one */
  run(args: GlobalArgs, io: Io, open?: OpenPrompter): Promise<ExitCode>
}

/** What asks is loaded for a question. */
const openTerminal: OpenPrompter = async (doing, io) =>
  (await import('../cli/interactive.ts')).openTerminal(doing, io)

export function commandOf<
  I extends InputTable,
  Outcome,
  Answer,
  const O extends OptionTable = Record<never, never>,
>(verb: Verb<I, Outcome, Answer>, shown: Shown<NoInfer<I>, O, NoInfer<Outcome>>): VerbCommand {
  const { name, summary, inputs, arguments: places = [] as readonly string[] } = verb
  const { examples, notes, stray, flags } = shown
  const tool = name.replaceAll(' ', '.')
  const run = async (args: GlobalArgs, io: Io, open = openTerminal): Promise<ExitCode> => {
    shown.ready?.(args as CommandArgs<O, readonly []>)
    const world = worldOf(inputs, { args, io, open })
    const asked = (await readTyped(verb as AnyVerb, args as never, world)) as Asked<I>
    const showing = { asked, args: args as CommandArgs<O, readonly []>, style: createStyle(io.color), io }
    let outcome: Outcome
    try {
      outcome = await verb.run(asked, world)
    } catch (error) {
      const refusal = error instanceof RlpError ? await shown.refused?.(error, showing) : undefined
      if (refusal === undefined) throw error
      const { printRefusal } = await import('../cli/render/refusal.ts')
      printRefusal(io, args, { error: error as RlpError, ...refusal, tool })
      return refusal.exit
    }
    const exit = shown.exit?.(outcome, showing) ?? EXIT.ok
    if (shown.print !== undefined) await shown.print(outcome, showing, exit)
    else
      report(io, args, {
        tool,
        result: verb.answer === undefined ? outcome : await verb.answer(outcome),
        warnings: shown.warnings?.(outcome, showing),
        quiet: shown.quiet?.(outcome, showing),
        text: () => shown.text?.(outcome, showing) ?? '',
        isDocument: shown.isDocument,
      })
    const line = shown.note?.(outcome, showing)
    if (line !== undefined) world.tell(line)
    return exit
  }
  return {
    name,
    summary,
    examples,
    notes,
    stray,
    positionals: places.flatMap(place => positionalOf(place, own(inputs, place))),
    options: inOrder(
      {
        ...Object.fromEntries(
          Object.entries(inputs)
            .filter(([input]) => !places.includes(input))
            .flatMap(flagsOf),
        ),
        ...flags,
      },
      shown.first,
    ),
    run,
  }
}

export function worldOf(inputs: InputTable, terminal: NonNullable<World['terminal']>): World {
  const { args, io } = terminal
  const tell = (line: string) => note(io, args, line)
  return {
    ...io,
    tell,
    registries: { ...io.registries, onWarning: tell },
    home: async () => (await import('../io/home.ts')).runloopHome(),
    spelt: name => `--${flagOf(name, own(inputs, name))}`,
    terminal,
  }
}

function flagsOf([name, input]: readonly [string, AnyInput]): (readonly [string, Option])[] {
  if (input.flags !== undefined) return Object.entries(input.flags)
  if (input.typed === undefined || input.fromTyped === undefined) return []
  const { flag, optional, complete, ...typed } = input.typed
  return [
    [
      flagOf(name, input),
      {
        ...typed,
        ...(input.isNeeded && !optional && typed.type !== 'boolean' && { required: true }),
      } as Option,
    ],
  ]
}

function positionalOf(name: string, input: AnyInput | undefined): Positional[] {
  if (input?.typed === undefined) return []
  const { flag, optional, type, ...typed } = input.typed
  return [
    {
      ...typed,
      name: flagOf(name, input),
      ...(input.isNeeded && !optional && { required: true }),
      ...(type === 'strings' && { many: true }),
    },
  ]
}

function inOrder(options: OptionTable, first: readonly string[] = []): OptionTable {
  return { ...Object.fromEntries(first.map(name => [name, own(options, name) as Option])), ...options }
}
