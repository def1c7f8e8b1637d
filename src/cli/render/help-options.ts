// Options of a command → what its help says of them.
import { type Option, takesValue } from '../option.ts'

/** As it is typed, without the dashes: `out FILE`, `strict`, `[no-]color`, `no-unpack` where on is the default. */
export function spelling(flag: string, option: Option): string {
  if (option.type === 'boolean' && option.negatable) return option.default ? `no-${flag}` : `[no-]${flag}`
  if (!takesValue(option)) return flag
  const isChoice = 'choices' in option && option.choices !== undefined
  const ofType = { string: 'TEXT', integer: 'N', number: 'N', strings: 'LIST' }[option.type]
  // Its choices follow its description.
  const fallback = isChoice ? flag.replace(/^.*-/, '').toUpperCase() : ofType
  return `${flag} ${option.placeholder ?? fallback}`
}

export function describeOption(option: Option): string {
  if (!takesValue(option)) return option.describe
  return withFacts(option.describe, [
    option.required && 'required',
    'choices' in option && option.choices?.join(', '),
    option.type === 'strings' && 'repeatable',
    'default' in option && option.default !== undefined && `default: ${option.default}`,
  ])
}

/** `how to write findings (text, sarif; default: text)`. */
export function withFacts(describe: string, facts: readonly (string | false | undefined)[]): string {
  const known = facts.filter(Boolean)
  return known.length === 0 ? describe : `${describe} (${known.join('; ')})`
}
