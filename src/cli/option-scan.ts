// A command's arguments → the same with every option written as `--name=value`; wrong ones are refused.

import { UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { printable, quoted } from '../text/printable.ts'
import type { Command } from './command.ts'
import { GONE_OPTIONS } from './gone-options.ts'
import { type Option, type OptionTable, takesValue } from './option.ts'
import { didYouMean, nearestFlags } from './suggest.ts'

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
