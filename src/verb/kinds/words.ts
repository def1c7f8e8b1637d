// Inputs that are texts, lists and switches.
import { kindName, wrongValue } from '../../model/kind-name.ts'
import type { At, Input, Typed } from '../input.ts'

/** How a flag is declared, beside its type and what it is for. */
export type Facts<T extends Typed['type']> = Omit<Extract<Typed, { type: T }>, 'type' | 'describe'>

/** @param describe one line without a full stop, for `--help`; the comment in the types too, where there is none above the input */
export function text(describe: string, facts: Facts<'string'> = {}): Input<string, string | undefined> {
  return {
    type: 'string',
    typed: { ...facts, type: 'string', describe },
    fromTyped: asItIs<string>,
    fromGiven: givenText,
  }
}

/** A list of texts: the flag may be repeated, and commas separate. Nothing given is an empty list. */
export function texts(
  describe: string,
  facts: Facts<'strings'> = {},
): Input<readonly string[], readonly string[]> {
  return {
    type: 'readonly string[]',
    typed: { ...facts, type: 'strings', describe },
    absent: () => [],
    fromTyped: asItIs<readonly string[]>,
    fromGiven: givenTexts,
  }
}

/** A switch, which is false where nothing is given. */
export function whether(describe: string, facts: Facts<'boolean'> = {}): Input<boolean, boolean> {
  return {
    type: 'boolean',
    typed: { ...facts, type: 'boolean', describe },
    absent: () => false,
    fromTyped: asItIs<boolean>,
    fromGiven: checked((given): given is boolean => typeof given === 'boolean', 'true or false'),
  }
}

/** What is handed in as it is: one of the caller's functions. The command line has none. */
export function callback<F extends (...given: never[]) => unknown>(type: string): Input<F, F | undefined> {
  return { type, fromGiven: givenFunction }
}

export function givenFunction<F extends (...given: never[]) => unknown>(given: F, at: At): F {
  return checked((value): value is F => typeof value === 'function', 'a function')(given, at)
}

export const givenText = checked(isText, 'a text')

export const givenTexts = checked(isTexts, 'a list of texts')

/** @throws UsageError from the reader that it makes, for what is not of that type */
export function checked<T>(is: (value: unknown) => value is T, expected: string) {
  return (value: T, { field }: At): T => {
    if (is(value)) return value
    throw wrongValue(field, shownKind(value), expected)
  }
}

function shownKind(value: unknown): string {
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'string' && !isText(value) ? 'a text with a zero byte' : kindName(value)
}

/** No name, path or word has a zero byte, and none can be typed. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

export function asItIs<T>(value: T): T {
  return value
}
