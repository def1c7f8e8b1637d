// Parses the arguments of a command into typed values. The parser of yargs is used in its only configuration; the rest of yargs takes 19
// ms at start, so what it would check is checked here.
import parser from 'yargs-parser'
import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { printable, quoted } from '../text/printable.ts'
import type { Command, CommandArgs } from './command.ts'
import {
  camelCase,
  GLOBAL_OPTIONS,
  type ListOption,
  type NumberOption,
  type Option,
  type OptionTable,
  type Positional,
  type StringOption,
  takesValue,
} from './option.ts'
import { didYouMean, nearest, nearestFlags } from './suggest.ts'

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

/** How an option was found: its flag, its declaration, and whether it was written `--no-…`. */
interface Found {
  readonly flag: string
  readonly option: Option
  readonly negated: boolean
}

type Finder = (name: string, value: string | undefined) => Found
type Named = Pick<Command, 'name' | 'stray'>

/**
 * Writes options out, so that a parser can neither take a value for an option or a positional nor the other way round. This works token
 * by token because a value never begins with a dash, except `-` alone: such a value is written `--name=-value`.
 */
export function spellOut(argv: readonly string[], table: OptionTable, command: Named): string[] {
  const find = finder(table, command)
  const spelt: string[] = []
  const seen = new Set<string>()
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? ''
    if (token === '--') return [...spelt, ...argv.slice(i)]
    if (!isOption(token)) {
      spelt.push(token)
      continue
    }
    const { names, value } = split(token, table)
    if (names[0] === '-o' && saysJson(value ?? valueAfter(argv[i + 1]), table)) {
      if (seen.has('json')) throw new UsageError('Cannot use --json: it is given twice', { field: 'json' })
      seen.add('json')
      spelt.push('--json=true')
      if (value === undefined) i++
      continue
    }
    for (const name of names) {
      const { flag, option, negated } = find(name, value ?? valueAfter(argv[i + 1]))
      if (option.type === 'refused') throw refused(flag, option.instead)
      if (seen.has(flag) && option.type !== 'strings')
        throw new UsageError(`Cannot use --${flag}: it is given twice`, { field: flag })
      seen.add(flag)
      if (!takesValue(option)) {
        if (flag === 'color' && value === undefined) refuseWord(argv[i + 1])
        spelt.push(`--${flag}=${booleanValue(name, value) !== negated}`)
        continue
      }
      const next = argv[i + 1]
      if (value === undefined && (next === undefined || isOption(next) || next === '--'))
        throw missing(flag, option, next)
      if (value === undefined) i++
      spelt.push(`--${flag}=${notEmpty(flag, option, value ?? next ?? '')}`)
    }
  }
  return spelt
}

/**
 * `-o json` is what people of other tools type. A command with formats takes the name of one there; a file called so is written `./json`.
 */
function formatMeant(table: OptionTable, value: string | undefined): Found | undefined {
  const { format: option, out } = table
  if (option?.type !== 'string' || option.choices === undefined) return undefined
  const isFormat = value !== undefined && option.choices.includes(value)
  return isFormat || out === undefined ? { flag: 'format', option, negated: false } : undefined
}

/** Where a command has formats, and json is none of them: then it is `--json`. */
function saysJson(value: string | undefined, { format }: OptionTable): boolean {
  return value === 'json' && format?.type === 'string' && format.choices?.includes('json') === false
}

function valueAfter(next: string | undefined): string | undefined {
  return next === undefined || isOption(next) || next === '--' ? undefined : next
}

function isOption(token: string): boolean {
  return token.length > 1 && token.startsWith('-') && token !== '--'
}

/** `--name`, `--name=value`, `-n`, `-n=value`, and letters of switches together: `-qn`. */
function split(token: string, table: OptionTable): { names: string[]; value: string | undefined } {
  const equals = token.indexOf('=')
  const name = equals === -1 ? token : token.slice(0, equals)
  const value = equals === -1 ? undefined : token.slice(equals + 1)
  const letters = [...name.slice(1)]
  const switches = Object.values(table).flatMap(option => (option.type === 'boolean' ? [option.alias] : []))
  if (!name.startsWith('--') && letters.length > 1 && letters.every(letter => switches.includes(letter)))
    return { names: letters.map(letter => `-${letter}`), value }
  return { names: [name], value }
}

function finder(table: OptionTable, command: Named): Finder {
  // A Map, because `--constructor` must not find an inherited member.
  const found = new Map<string, Found>()
  for (const [flag, option] of Object.entries(table)) {
    found.set(`--${flag}`, { flag, option, negated: false })
    if (option.alias !== undefined) found.set(`-${option.alias}`, { flag, option, negated: false })
    if (option.type === 'boolean' && option.negatable)
      found.set(`--no-${flag}`, { flag, option, negated: true })
  }
  return (name, value) => {
    const entry = (name === '-o' ? formatMeant(table, value) : undefined) ?? found.get(name)
    if (entry !== undefined) return entry
    const offered = [...found].filter(([, { option }]) => !option.hidden && option.type !== 'refused')
    const near = nearestFlags(
      name,
      offered.flatMap(([spelling]) => (spelling.startsWith('--') ? [spelling.slice(2)] : [])),
    )
    throw new UsageError(`Cannot read ${quoted(name)}: "rlp ${command.name}" has no such option`, {
      hint: name.startsWith('--')
        ? (own(GONE_OPTIONS, name.slice(2)) ??
          didYouMean(near) ??
          command.stray?.option?.(name.slice(2), value))
        : dashHint(name),
    })
  }
}

function dashHint(name: string): string {
  return `An argument that begins with a dash comes after --, a value as --option=${printable(name, 80)}`
}

/** Other programs take a word here, and it would be read as the name of an agent. */
function refuseWord(next: string | undefined): void {
  if (next !== 'never' && next !== 'always' && next !== 'auto') return
  const meant = { never: '--no-color', always: '--color alone', auto: 'neither --color nor --no-color' }[next]
  throw new UsageError(`Cannot use --color ${next}: it takes no word`, {
    field: 'color',
    hint: `Write ${meant}; what is called ${next} is named ./${next}`,
  })
}

function booleanValue(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'true') return true
  if (value === 'false') return false
  throw new UsageError(`Cannot use ${name}: ${quoted(value)} is neither true nor false`, {
    field: name.replace(/^-+/, ''),
    expected: 'true or false',
  })
}

function missing(flag: string, option: Option, next: string | undefined): UsageError {
  const what = takesValue(option) ? (option.placeholder ?? 'value') : 'value'
  const dashed =
    next !== undefined && next !== '--' && `Write --${flag}=${next} if ${next} is meant as its value`
  return new UsageError(`Cannot use --${flag}: its ${what} is missing`, {
    field: flag,
    expected: what,
    hint: dashed || undefined,
  })
}

function notEmpty(flag: string, option: Option, value: string): string {
  if (value !== '' || ('allowEmpty' in option && option.allowEmpty)) return value
  throw new UsageError(`Cannot use --${flag}: its value is empty`, { field: flag })
}

function refused(flag: string, instead: string): UsageError {
  return new UsageError(`Cannot use --${flag}: it is not supported`, { field: flag, hint: instead })
}

const CREDENTIALS =
  'rlp login HOST keeps a name and a password. A pipeline that keeps none names a file with them in REGISTRY_AUTH_FILE (docs/registries.md)'

/** By flag, without dashes. */
export const GONE_OPTIONS: Readonly<Record<string, string>> = {
  username: CREDENTIALS,
  'password-stdin': CREDENTIALS,
  'fetch-timeout': 'timeout under [registries] in config.toml sets the time (docs/operator.md)',
}

type Given = string | readonly string[] | boolean | undefined

/** The value of `--flag`. Lists are never undefined, switches only if `negatable` without a default. */
function readValue(
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
function checkChoice(
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

/** The part of a command that decides its positionals. */
type Declared = Pick<Command, 'name' | 'positionals' | 'stray'>

/** The values by their names in camelCase. */
function readPositionals(command: Declared, given: readonly string[]): Record<string, unknown> {
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
