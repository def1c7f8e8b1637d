// One input of a verb: what a program hands in, what is typed for it at the command line, and how each is read into the same value.
import type { Option, OptionTable, Positional } from '../cli/option.ts'
import { flagName } from '../text/flag-name.ts'
import type { World } from './world.ts'

/**
 * The flag or the argument of an input. Its name is the name of the input, and it is required where the input is, or where it says so; a
 * list is an argument that may be given many times.
 */
export type Typed = Option &
  Pick<Positional, 'complete' | 'names'> & {
    /** The flag, where it is not called as the option is: `agent` for `agents`. */
    readonly flag?: string
    /** The command line may leave it out, though a program may not. */
    readonly optional?: true
  }

/** Where a value came from, for messages. */
export interface At {
  readonly world: World
  /** As the caller writes it: `--at-least` or `atLeast`. */
  readonly spelt: string
  /** Without dashes: the field of an error. */
  readonly field: string
}

/**
 * Both readers end in the same value, so `run` need not know who calls. An input without `fromGiven` belongs to the command line alone,
 * one without `fromTyped` to the library.
 */
export interface Input<Given, Value> {
  /** What a program hands in, as TypeScript writes it. */
  readonly type?: string
  readonly typed?: Typed
  /** Several flags that make one option. `fromTyped` gets the arguments of all of them. */
  readonly flags?: OptionTable
  /** Every call has to give it. */
  readonly isNeeded?: true
  /** A stream, or a bundle that was loaded: used as it is. Bytes and a url are copied all the same. */
  readonly isLive?: true
  /** The value where nothing is given. Undefined without it. */
  absent?(world: World): Value | Promise<Value>
  /** @throws UsageError */
  fromTyped?(typed: never, at: At): Value | Promise<Value>
  /** Types are gone at run time: it looks at what it gets. @throws UsageError */
  fromGiven?(given: Given, at: At): Value | Promise<Value>
  /** For the compiler alone. */
  readonly value?: Value
}

export type AnyInput = Input<never, unknown>

export interface InputTable {
  readonly [name: string]: AnyInput
}

type ValueOf<I> = I extends { readonly value?: infer Value } ? Value : never
type NeededValueOf<I> = I extends { readonly isNeeded: true } ? Exclude<ValueOf<I>, undefined> : ValueOf<I>

/** What `run` gets: the value of each input. */
export type Asked<I extends InputTable> = { readonly [K in keyof I]: NeededValueOf<I[K]> }

/** The same input, which every call has to give. */
export function needed<Given, Value>(
  input: Input<Given, Value>,
): Input<Given, Exclude<Value, undefined>> & { readonly isNeeded: true } {
  return { ...input, isNeeded: true } as Input<Given, Exclude<Value, undefined>> & { readonly isNeeded: true }
}

/** The same input, for the command line alone. */
export function typedOnly<Given, Value>({ fromGiven, ...input }: Input<Given, Value>): Input<never, Value> {
  return input
}

/** The flag or the argument: `trust-policy` for `trustPolicy`. */
export function flagOf(name: string, input: AnyInput | undefined): string {
  return input?.typed?.flag ?? flagName(name)
}
