// Renders the text of --help from the registry and a command's declaration. yargs lays it out, and is loaded for help alone: it takes 19
// ms.

import type { Argv } from 'yargs'
import yargs from 'yargs'
import { midSentence } from '../../text/words.ts'
import type { AnyCommand, Registry } from '../command.ts'
import { GLOBAL_OPTIONS, type Option, type OptionTable, type Positional, takesValue } from '../option.ts'
import { usageLine, written } from '../parse.ts'
import { brokenCommand, fit, wrap } from './layout.ts'
import type { Style } from './style.ts'

/** The size of the display. Lines longer than a hundred columns are hard to read, however wide the terminal. */
interface Layout {
  readonly style: Style
  readonly columns: number
}

const WIDEST = 100
const NARROWEST = 30
/** Narrower, and the description of an option goes below it: yargs would break its words. */
const TWO_COLUMNS = 50
const UNBROKEN = 1000
const BELOW = 8

const ABOUT = 'Scaffold, lint, digest, pack, sign and verify agent bundles'
const EXIT_CODES =
  'Exit codes: 0 done, 1 the agent or bundle is at fault, 2 the call, 3 the machine, 4 denied by the trust policy.'

/** `rlp --help`: on one screen of 80 columns and 24 lines, the main job first. */
export async function renderRootHelp(
  { groups, mainJob = [], commands }: Registry,
  layout: Layout,
): Promise<string> {
  const first = mainJob.flatMap(name => commands.filter(one => one.name === name))
  const single = commands.filter(({ name }) => !name.includes(' ')).map(({ name }) => name)
  const listed = groups.map(({ name, summary }) => ({ name, summary: midSentence(summary) }))
  const also = single.length === 0 ? '' : `Also ${single.join(', ')}. `
  const end = `${also}rlp help <command> explains one.`
  return page(layout, [
    [sheet(layout).usage('Usage: rlp <command> [options]')],
    ...(first.length > 0 ? [[addCommands(untitled(layout), first), 'The main job'] as const] : []),
    [addCommands(untitled(layout), listed), 'Groups of commands (rlp help --all lists every command)'],
    [untitled(layout).epilogue(end)],
  ])
}

/** `rlp help --all`: every command, group by group. */
export async function renderWholeHelp({ groups, commands }: Registry, layout: Layout): Promise<string> {
  const inGroup = (first: string) => commands.filter(({ name }) => name.startsWith(`${first} `))
  const lists = [
    ...groups.map(({ name, summary }) => [summary, inGroup(name)] as const),
    ['More', commands.filter(({ name }) => !name.includes(' '))] as const,
  ]
  const options = untitled(layout).epilogue(`rlp help <command> explains one command.\n\n${EXIT_CODES}`)
  addOptions(options, 'Options:', GLOBAL_OPTIONS)
  options.option('version', { alias: 'V', describe: 'show the version of rlp', group: 'Options:' })
  return page(layout, [
    [sheet(layout).usage(`Usage: rlp <command> [options]\n\n${ABOUT}`)],
    ...lists
      .filter(([, listed]) => listed.length > 0)
      .map(([heading, listed]) => [addCommands(untitled(layout), listed), heading] as const),
    [options],
  ])
}

/** `rlp agent --help`: the commands of one group. */
export async function renderGroupHelp(registry: Registry, name: string, layout: Layout): Promise<string> {
  const summary = registry.groups.find(group => group.name === name)?.summary ?? ''
  const commands = registry.commands.filter(command => command.name.startsWith(`${name} `))
  const usage = `Usage: rlp ${name} <command> [options]\n\n${sentence(summary)}`
  const more = commands.length > 0 ? '' : 'This build has no commands here.\n\n'
  const help = sheet(layout).usage(usage).epilogue(`${more}rlp help ${name} <command> explains one command.`)
  return page(layout, [[addCommands(help, commands)]])
}

/** `rlp agent lint --help`. */
export async function renderCommandHelp(command: AnyCommand, layout: Layout): Promise<string> {
  const { positionals = [], options, examples, notes = '' } = command
  const help = sheet(layout).usage(`Usage: ${usageLine(command)}\n\n${sentence(command.summary)}`)
  if (positionals.length > 0) {
    // They come first, although yargs hears of them last.
    help.group([], 'Positionals:')
    help.command(['$0', ...positionals.map(written)].join(' '), false, inner => {
      for (const one of positionals) inner.positional(one.name, { describe: describeArgument(one) })
    })
  }
  addOptions(help, 'Options:', options)
  addOptions(help, 'Options of every command:', GLOBAL_OPTIONS)
  const wide = widthOf(layout)
  const lines = examples.flatMap(([line, what]) => [
    ...wrap(what, wide - EXAMPLE.length).map(part => EXAMPLE + part),
    ...brokenCommand(`  ${line}`, wide),
  ])
  const end = [
    ...(lines.length > 0 ? [`Examples:\n${lines.join('\n')}`] : []),
    ...notes.split(/\n\s*\n/).map(text => wrap(text, wide).join('\n')),
  ]
  // Not by yargs, which would break a command where it cannot be pasted.
  return page(layout, [[help]], end.filter(Boolean))
}

const EXAMPLE = '  # '

function widthOf({ columns }: Layout): number {
  return Math.max(NARROWEST, Math.min(columns, WIDEST))
}

/** One piece of help. It never sees a command line. */
function sheet({ columns }: Layout): Argv {
  const wide = columns < TWO_COLUMNS ? UNBROKEN : Math.min(columns, WIDEST)
  return yargs([]).locale('en').scriptName('').help(false).version(false).wrap(wide)
}

/** A piece without a line on usage. */
function untitled(layout: Layout): Argv {
  return (sheet(layout).usage as unknown as (none: null) => Argv)(null)
}

function addCommands(help: Argv, commands: readonly { name: string; summary: string }[]): Argv {
  for (const { name, summary } of commands) help.command(name, summary)
  return help
}

/**
 * Pieces of help below each other; a heading takes the place of the one that yargs gives to commands.
 * @param end paragraphs that fit already
 */
async function page(
  { style, columns }: Layout,
  pieces: readonly (readonly [help: Argv, heading?: string])[],
  end: readonly string[] = [],
): Promise<string> {
  const texts: string[] = []
  for (const [help, heading = 'Commands'] of pieces) {
    const text = await help.getHelp()
    texts.push(
      text
        .trim()
        .replace(/^Commands:$/m, `${heading}:`)
        .replace(/^Positionals:$/m, 'Arguments:')
        // yargs takes a digit for the name of a long option.
        .replace(/^ {6}--([a-z-]+), --([0-9])(?= |$)/gm, '  -$2, --$1     '),
    )
  }
  const text = texts
    .join('\n\n')
    .split('\n')
    .flatMap(line => fitted(line, Math.max(NARROWEST, columns)))
    .join('\n')
  const coloured = [text, ...end]
    .join('\n\n')
    .replace(/^(?:Usage:|\S.*:$)/gm, style.bold)
    .replace(
      /^( {2,6}(?:-\w, )?)(--\S+(?: \S+)*)/gm,
      (_, start: string, flag: string) => start + style.cyan(flag),
    )
  return `${coloured}\n`
}

function fitted(line: string, columns: number): string[] {
  if (/^\S.*[^:]$/.test(line)) return wrap(line, columns)
  const gap = columns < TWO_COLUMNS && /^ {2,6}\S/.test(line) ? /(?<=\S) {2,}(?=\S)/.exec(line) : null
  if (gap === null) return [fit(line, columns)]
  const [label, text] = [line.slice(0, gap.index), line.slice(gap.index + gap[0].length)]
  return [fit(label, columns), ...wrap(text, columns - BELOW).map(part => ' '.repeat(BELOW) + part)]
}

/** Summaries are written for lists. */
function sentence(summary: string): string {
  return summary.slice(0, 1).toUpperCase() + summary.slice(1)
}

function addOptions(help: Argv, group: string, table: OptionTable): void {
  for (const { typed, alias, describe } of shownOptions(table))
    help.option(typed, { ...(alias !== undefined && { alias }), describe, group })
}

/** An option as help shows it. */
export interface ShownOption {
  /** As it is typed, without the dashes: `out FILE`, `strict`, `[no-]color`, `no-unpack` where on is the default. */
  readonly typed: string
  /** The letter that means the same. */
  readonly alias: string | undefined
  readonly describe: string
}

/** The options that help shows, in the order of their declarations. */
export function shownOptions(table: OptionTable): ShownOption[] {
  return Object.entries(table)
    .filter(([, option]) => !option.hidden && option.type !== 'refused')
    .map(([flag, option]) => ({
      typed: spelling(flag, option),
      alias: option.alias,
      describe: describeOption(option),
    }))
}

function spelling(flag: string, option: Option): string {
  if (option.type === 'boolean' && option.negatable) return option.default ? `no-${flag}` : `[no-]${flag}`
  if (!takesValue(option)) return flag
  const isChoice = 'choices' in option && option.choices !== undefined
  const ofType = { string: 'TEXT', integer: 'N', number: 'N', strings: 'LIST' }[option.type]
  // Its choices follow its description.
  const fallback = isChoice ? flag.replace(/^.*-/, '').toUpperCase() : ofType
  return `${flag} ${option.placeholder ?? fallback}`
}

export function describeArgument({ describe, choices }: Positional): string {
  return withFacts(describe, [choices?.join(', ')])
}

function describeOption(option: Option): string {
  if (!takesValue(option)) return option.describe
  return withFacts(option.describe, [
    option.required && 'required',
    'choices' in option && option.choices?.join(', '),
    option.type === 'strings' && 'repeatable',
    'default' in option && option.default !== undefined && `default: ${option.default}`,
  ])
}

/** `how to write findings (text, sarif; default: text)`. */
function withFacts(describe: string, facts: readonly (string | false | undefined)[]): string {
  const known = facts.filter(Boolean)
  return known.length === 0 ? describe : `${describe} (${known.join('; ')})`
}
