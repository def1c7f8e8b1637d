// The arguments without a flag → the names in a command's declaration, and their form in help.

import { UsageError } from '../model/error.ts'
import { printable, quoted } from '../text/printable.ts'
import type { Command } from './command.ts'
import { camelCase, type Positional } from './option.ts'
import { checkChoice } from './option-value.ts'

/** The part of a command that decides its positionals. */
type Declared = Pick<Command, 'name' | 'positionals' | 'stray'>

/** The values by their names in camelCase. */
export function readPositionals(command: Declared, given: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const hint = `Write ${usageLine(command)}`
  let next = 0
  for (const positional of command.positionals ?? []) {
    const taken = given.slice(next, positional.many ? given.length : next + 1)
    next += taken.length
    if (taken.length === 0 && positional.required)
      throw new UsageError(`Cannot run "rlp ${command.name}": ${written(positional)} is missing`, {
        field: positional.name,
        expected: positional.describe,
        hint,
      })
    for (const value of taken) {
      if (value === '' && !positional.allowEmpty)
        throw new UsageError(`Cannot use ${written(positional)}: it is empty`, {
          field: positional.name,
          hint,
        })
      checkChoice(written(positional), positional.name, positional.choices, value)
    }
    values[camelCase(positional.name)] = positional.many ? taken : taken[0]
  }
  const extra = given[next]
  if (extra === undefined) return values
  throw new UsageError(`Cannot run "rlp ${command.name}": unexpected argument ${quoted(extra)}`, {
    hint: command.stray?.argument?.(printable(extra, 80)) ?? hint,
  })
}

/** `<path>`, `[path]`, `<path..>` or `[path..]`. */
export function written({ name, required, many }: Positional): string {
  const inner = `${name}${many ? '..' : ''}`
  return required ? `<${inner}>` : `[${inner}]`
}

/** `rlp agent lint [path..] [options]`. */
export function usageLine({ name, positionals = [] }: Declared): string {
  return ['rlp', name, ...positionals.map(written), '[options]'].join(' ')
}
