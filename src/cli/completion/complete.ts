// Answers `rlp __complete LINE`, which the scripts of shells call at a Tab, with one candidate a line. Commands and options have a tab and a
// description behind them. The last line says what the shell itself completes as well: `:files`, `:folders` or `:none`.
import { join } from 'node:path'
import { EXIT } from '../../model/exit-code.ts'
import type { ExitCode, Io } from '../command.ts'
import { REGISTRY } from '../commands.ts'
import { wordsOnDisk } from './lists.ts'
import { readWordTable, type TableOption } from './word-table.ts'

/**
 * Always ends well: a Tab shows no errors.
 * @param line as it is typed, up to the cursor
 */
export function printCompletions(line: string = '', io: Pick<Io, 'env' | 'cwd' | 'stdout'>): ExitCode {
  let lines = [':none']
  try {
    const { shown = [], values = '', lock } = candidates(splitWords(line))
    const { env, cwd } = io
    const home = env['RUNLOOP_HOME'] || join(env['HOME'] || '/', '.runloop')
    const words = values
      .split(' ')
      .flatMap(word => (word.startsWith(':') ? wordsOnDisk(word.slice(1), { cwd, home, lock }) : [word]))
    const [paths = ':none'] = /:(?:files|folders)$/.exec(values) ?? []
    lines = [...shown, ...new Set(words.filter(Boolean)), paths]
  } catch {
    // The current folder may be gone.
  }
  io.stdout(`${lines.join('\n')}\n`)
  return EXIT.ok
}

interface Candidates {
  /** Commands or options, each with a tab and what it means. */
  readonly shown?: readonly string[]
  readonly values?: string | undefined
  /** The lock that was typed, or the usual one. */
  readonly lock: string
}

/** @param typed the last word is at the cursor */
function candidates(typed: readonly string[]): Candidates {
  const table = readWordTable()
  const current = typed.at(-1) ?? ''
  const isHelp = typed[0] === 'help'
  const before = typed.slice(isHelp ? 1 : 0, -1)
  const words = before.filter(word => !word.startsWith('-'))
  const known = [words.slice(0, 2), words.slice(0, 1)].find(some => table.has(some.join(' '))) ?? []
  const path = known.join(' ')
  const { options = [], places = [] } = table.get(path) ?? {}
  const { count, pending, areOptionsOver, lock } = readArguments(before, options)
  if (pending !== undefined) return { values: pending.values, lock }
  if (current.startsWith('-') && !areOptionsOver) {
    const { option, value } = splitOption(current, options)
    if (value !== undefined) return { values: option?.values, lock }
    return { shown: options.map(({ names, describe }) => `${names.replace(/ .*/, '')}\t${describe}`), lock }
  }
  const next = count === known.length ? nextWords(path) : []
  if (next.length > 0 || isHelp) return { shown: next, lock }
  return { values: places[Math.min(count - known.length, places.length - 1)], lock }
}

/** The command words that may follow, with what they do. */
function nextWords(path: string): string[] {
  const before = path === '' ? '' : `${path} `
  return [{ name: 'help', summary: 'explain a command' }, ...REGISTRY.groups, ...REGISTRY.commands]
    .filter(({ name }) => name.startsWith(before) && !name.slice(before.length).includes(' '))
    .map(({ name, summary }) => `${name.slice(before.length)}\t${summary}`)
}

interface Arguments {
  /** How many have no flag, command words included. */
  readonly count: number
  /** The option whose value comes next. */
  readonly pending: TableOption | undefined
  readonly areOptionsOver: boolean
  readonly lock: string
}

function readArguments(words: readonly string[], options: readonly TableOption[]): Arguments {
  let count = 0
  let pending: TableOption | undefined
  let areOptionsOver = false
  let lock = 'rlp.lock'
  for (const word of words) {
    if (pending !== undefined) {
      if (pending.names === '--lock') lock = word
      pending = undefined
    } else if (areOptionsOver || !word.startsWith('-')) count++
    else if (word === '--') areOptionsOver = true
    else {
      const { option, value } = splitOption(word, options)
      if (value === undefined) pending = option
      else if (option?.names === '--lock') lock = value
    }
  }
  return { count, pending, areOptionsOver, lock }
}

/** Divides `--name=value`. The option is undefined for a switch and for one that is not known. */
function splitOption(
  word: string,
  options: readonly TableOption[],
): { option: TableOption | undefined; value: string | undefined } {
  const [, name = word, value] = /^([^=]*)=(.*)$/s.exec(word) ?? []
  const option = options.find(({ names, values }) => values !== undefined && names.split(' ').includes(name))
  return { option, value }
}

const WORD = /(?:\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|[^\s'"\\]|\\$)+/gs
const QUOTED = /\\(.)|'([^']*)'?|"((?:\\.|[^"\\])*)"?/gs

/** The words behind the name of the program, without their quotes; the last one is empty behind a blank. Nothing in them is expanded. */
function splitWords(line: string): string[] {
  const found: string[] = line.match(WORD) ?? []
  const last = found.at(-1)
  if (last === undefined || !line.endsWith(last)) found.push('')
  const words = found.map(word => word.replace(QUOTED, '$1$2$3'))
  return words.slice(
    Math.max(
      words.findIndex(word => /(?:^|\/)rlp$/.test(word)),
      0,
    ) + 1,
  )
}
