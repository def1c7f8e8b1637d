// A command's arguments → typed values. The parser of yargs, in its only configuration. The rest of yargs takes 19 ms at start; what it would
// check, `spellOut` and `readValue` check.
import parser from 'yargs-parser'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import type { Command, CommandArgs } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { camelCase, type OptionTable, type Positional } from './option.ts'
import { spellOut } from './option-scan.ts'
import { readValue } from './option-value.ts'
import { readPositionals } from './positional.ts'

/**
 * Parses the arguments after the command words.
 * @throws UsageError for every command line that does not match the command's declaration
 */
export function parse<O extends OptionTable, P extends readonly Positional[]>(
  command: Pick<Command<O, P>, 'name' | 'options' | 'positionals' | 'stray'>,
  argv: readonly string[],
): CommandArgs<O, P> {
  const table: OptionTable = { ...command.options, ...GLOBAL_OPTIONS }
  const { argv: raw, error } = parser.detailed(spellOut(argv, table, command), {
    ...typesOf(table),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    },
  })
  if (error) throw new UsageError(`Cannot read the arguments of "rlp ${command.name}": ${error.message}`)
  const values: Record<string, unknown> = readPositionals(command, raw._.map(String))
  for (const [flag, option] of Object.entries(table)) {
    if (option.type === 'refused') continue
    const given = own(raw, flag)
    values[camelCase(flag)] = readValue(
      command.name,
      flag,
      option,
      given as string | string[] | boolean | undefined,
    )
  }
  return values as CommandArgs<O, P>
}

/** Values stay text here: `readValue` reads numbers, lists, choices and defaults, and has better messages. */
function typesOf(table: OptionTable): { boolean: string[]; string: string[]; narg: Record<string, number> } {
  const flags = Object.keys(table)
  const boolean = flags.filter(flag => own(table, flag)?.type === 'boolean')
  const string = flags.filter(flag => own(table, flag)?.type !== 'boolean')
  return { boolean, string, narg: Object.fromEntries(string.map(flag => [flag, 1])) }
}
