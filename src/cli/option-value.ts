// The text of one option → the value that its declaration promises.

import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import type { ListOption, NumberOption, Option, StringOption } from './option.ts'
import { didYouMean, nearest } from './suggest.ts'

type Given = string | readonly string[] | boolean | undefined

/** The value of `--flag`. Lists are never undefined, switches only if `negatable` without a default. */
export function readValue(
  command: string,
  flag: string,
  option: Exclude<Option, { type: 'refused' }>,
  given: Given,
): unknown {
  if (option.type === 'boolean') return given ?? option.default ?? (option.negatable ? undefined : false)
  if (given === undefined && option.required)
    throw new UsageError(`Cannot run "rlp ${command}": --${flag} is missing`, {
      field: flag,
      expected: option.placeholder ?? option.type,
      hint: `Add --${flag} ${option.placeholder ?? 'VALUE'}: ${option.describe}`,
    })
  if (option.type === 'strings') return list(flag, option, given)
  if (given === undefined) return option.default
  return option.type === 'string' ? text(flag, option, String(given)) : number(flag, option, String(given))
}

/** Refuses what is not one of `choices`. */
export function checkChoice(
  name: string,
  field: string,
  choices: readonly string[] | undefined,
  value: string,
): string {
  if (choices === undefined || choices.includes(value)) return value
  throw new UsageError(`Cannot use ${name}: ${quoted(value)} is not one of ${choices.join(', ')}`, {
    field,
    expected: `one of ${choices.join(', ')}`,
    hint: didYouMean(nearest(value, choices)),
  })
}

function text(flag: string, option: StringOption, given: string): string {
  return checkChoice(`--${flag}`, flag, option.choices, given)
}

function list(flag: string, option: ListOption, given: Given): string[] {
  const texts = given === undefined ? [] : Array.isArray(given) ? given.map(String) : [String(given)]
  const items = option.commas === false ? texts : texts.flatMap(item => item.split(','))
  if (items.includes('') && option.allowEmpty !== true)
    throw new UsageError(`Cannot use --${flag}: an item of ${quoted(texts.join(','))} is empty`, {
      field: flag,
    })
  return items.map(item => checkChoice(`--${flag}`, flag, option.choices, item))
}

const NUMBER = {
  integer: { pattern: /^-?\d+$/, what: 'a whole number' },
  number: { pattern: /^-?\d+(?:\.\d+)?$/, what: 'a number' },
} as const

function number(flag: string, option: NumberOption, given: string): number {
  const { pattern, what } = NUMBER[option.type]
  const value = Number(given)
  const { min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = option
  if (pattern.test(given) && value >= min && value <= max) return value === 0 ? 0 : value
  const range =
    option.min !== undefined && option.max !== undefined
      ? ` from ${option.min} to ${option.max}`
      : option.min !== undefined
        ? ` of at least ${option.min}`
        : option.max !== undefined
          ? ` of at most ${option.max}`
          : ''
  const expected = `${what}${range}`
  throw new UsageError(`Cannot use --${flag}: ${quoted(given)} is not ${expected}`, { field: flag, expected })
}
