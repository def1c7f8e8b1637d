// A verb is a job that rlp does, declared once. as-command.ts makes a command of it, as-function.ts a function of the library, and
// scripts/list-functions.ts writes the types of that function.
import { own } from '../model/own.ts'
import type { Asked, InputTable } from './input.ts'
import type { World } from './world.ts'

export interface Verb<I extends InputTable, Outcome, Answer> {
  /** The command words: `trust floor`. The function is `trustFloor`. */
  readonly name: string
  /** One line for lists: begins in lower case, no full stop. */
  readonly summary: string
  /** The function, where it is not called after the words: `digest`. */
  readonly called?: string
  readonly inputs: I
  /** Inputs that are arguments of the command, in their order. Those that are needed are parameters of the function. */
  readonly arguments?: readonly (keyof I & string)[]
  /** Inputs that are parameters of the function, where those are not the arguments that are needed, in their order. */
  readonly parameters?: readonly (keyof I & string)[]
  /**
   * The type of the answer, where it depends on which of these options is given: each call gives one of them. The empty name stands for
   * none of them.
   */
  readonly answers?: Readonly<Record<string, string>>
  /** It reads or writes much: a program may hand in `onProgress`. */
  readonly isLong?: true
  /** Does the job. @throws RlpError, which both faces hand on */
  run(asked: Asked<I>, world: World): Outcome | Promise<Outcome>
  /** What a program gets, and what `--json` prints; the outcome itself if this is left out. */
  answer?(outcome: Outcome): Answer | Promise<Answer>
}

/** A verb without the types of its inputs. */
export interface AnyVerb<Answer = unknown> {
  readonly name: string
  readonly summary: string
  readonly called?: string
  readonly inputs: InputTable
  readonly arguments?: readonly string[]
  readonly parameters?: readonly string[]
  readonly answers?: Readonly<Record<string, string>>
  readonly isLong?: true
  run(asked: never, world: World): unknown
  answer?(outcome: never): Answer | Promise<Answer>
}

export function defineVerb<const I extends InputTable, Outcome, Answer = Outcome>(
  verb: Verb<I, Outcome, Answer>,
): Verb<I, Outcome, Answer> {
  return verb
}

/** `trustFloor` for `trust floor`. */
export function functionName({ name, called }: Pick<AnyVerb, 'name' | 'called'>): string {
  return called ?? name.replace(/[ -](.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Inputs that are parameters of the function. */
export function parametersOf({ inputs, arguments: places = [], parameters }: AnyVerb): readonly string[] {
  const isParameter = (place: string) =>
    own(inputs, place)?.isNeeded && own(inputs, place)?.fromGiven !== undefined
  return parameters ?? places.filter(isParameter)
}

/** The options of the function beside those that every function has. */
export function optionsOf(verb: AnyVerb): readonly string[] {
  const parameters = parametersOf(verb)
  return Object.keys(verb.inputs).filter(
    name => own(verb.inputs, name)?.fromGiven !== undefined && !parameters.includes(name),
  )
}
