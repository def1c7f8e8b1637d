// The registry and a command's declaration to the text of `--help`.
import type { AnyCommand, Registry } from '../command.ts'
import { GLOBAL_OPTIONS } from '../global-options.ts'
import { type Option, type OptionTable, takesValue } from '../option.ts'
import { usageLine, written } from '../positional.ts'
import type { Style } from './style.ts'
import { columnList, wrap } from './wrap.ts'

/** Where help is shown. Lines longer than a hundred columns are hard to read, however wide the terminal. */
export interface Layout {
  readonly style: Style
  readonly columns: number
}

const WIDEST = 100

const ABOUT = 'Scaffold, lint, digest, pack, sign and verify agent bundles'
const EXIT_CODES =
  'Exit codes: 0 done, 1 the agent or bundle is at fault, 2 the call, 3 the machine, 4 denied by the trust policy.'

/** `rlp --help`: every command, group by group. */
export function renderRootHelp(registry: Registry, layout: Layout): string {
  const single = registry.commands.filter(({ name }) => !name.includes(' '))
  return page(layout, ({ heading, paragraph, rows }) => [
    [paragraph('rlp <command> [options]', 'Usage: ')],
    [paragraph(ABOUT)],
    ...registry.groups
      .map(group => ({
        group,
        commands: registry.commands.filter(({ name }) => name.startsWith(`${group.name} `)),
      }))
      .filter(({ commands }) => commands.length > 0)
      .map(({ group, commands }) => [heading(group.summary), rows(listed(commands))]),
    ...(single.length > 0 ? [[heading('More'), rows(listed(single))]] : []),
    [heading('Options'), rows([...optionRows(GLOBAL_OPTIONS), ['-V, --version', 'show the version of rlp']])],
    [paragraph('rlp help <command> explains one command.')],
    [paragraph(EXIT_CODES)],
  ])
}

/** `rlp agent --help`: the commands of one group. */
export function renderGroupHelp(registry: Registry, name: string, layout: Layout): string {
  const group = registry.groups.find(candidate => candidate.name === name)
  const commands = registry.commands.filter(command => command.name.startsWith(`${name} `))
  return page(layout, ({ heading, paragraph, rows }) => [
    [paragraph(`rlp ${name} <command> [options]`, 'Usage: ')],
    [paragraph(sentence(group?.summary ?? ''))],
    [heading('Commands'), commands.length > 0 ? rows(listed(commands)) : ['  none in this build']],
    [paragraph(`rlp help ${name} <command> explains one command.`)],
  ])
}

/** `rlp agent lint --help`. */
export function renderCommandHelp(command: AnyCommand, layout: Layout): string {
  const { positionals = [], options, examples, notes } = command
  const own = optionRows(options)
  return page(layout, ({ heading, paragraph, rows, style }) => [
    [paragraph(usageLine(command), 'Usage: ')],
    [paragraph(sentence(command.summary))],
    ...(positionals.length > 0
      ? [
          [
            heading('Arguments'),
            rows(positionals.map(one => [written(one), withFacts(one.describe, [one.choices?.join(', ')])])),
          ],
        ]
      : []),
    ...(own.length > 0 ? [[heading('Options'), rows(own)]] : []),
    [heading('Options of every command'), rows(optionRows(GLOBAL_OPTIONS))],
    ...(examples.length > 0
      ? [
          [
            heading('Examples'),
            examples.flatMap(([line, what]) => [`  ${style.dim(`# ${what}`)}`, `  ${line}`]),
          ],
        ]
      : []),
    ...(notes === undefined ? [] : notes.split(/\n\s*\n/).map(text => [paragraph(text)])),
  ])
}

interface Parts {
  readonly style: Style
  heading(text: string): string[]
  paragraph(text: string, label?: string): string[]
  rows(list: readonly (readonly [string, string])[]): string[]
}

/** Sections, each made of blocks of lines, with a blank line between sections. */
function page({ style, columns }: Layout, write: (parts: Parts) => readonly (readonly string[][])[]): string {
  const wide = Math.max(30, Math.min(columns, WIDEST))
  const sections = write({
    style,
    heading: text => wrap(`${text}:`, wide).map(line => style.bold(line)),
    paragraph: (text, label = '') =>
      wrap(text, wide - label.length).map((line, index) =>
        index === 0 ? (label && style.bold(label)) + line : ' '.repeat(label.length) + line,
      ),
    rows: list => columnList(list, wide, style.cyan),
  })
  return `${sections.map(blocks => blocks.flat().join('\n')).join('\n\n')}\n`
}

/** Summaries are written for lists. */
function sentence(summary: string): string {
  return summary.slice(0, 1).toUpperCase() + summary.slice(1)
}

function listed(commands: readonly { name: string; summary: string }[]): [string, string][] {
  return commands.map(({ name, summary }) => [name, summary])
}

function optionRows(table: OptionTable): [string, string][] {
  const visible = Object.entries(table).filter(([, option]) => !option.hidden && option.type !== 'refused')
  const letters = visible.some(([, { alias }]) => alias !== undefined)
  return visible.map(([flag, option]) => {
    const letter = option.alias !== undefined ? `-${option.alias}, ` : letters ? '    ' : ''
    return [`${letter}${spelling(flag, option)}`, describeOption(option)]
  })
}

/** `--out FILE`, `--strict`, `--[no-]color`, `--no-unpack` where on is the default. */
function spelling(flag: string, option: Option): string {
  if (option.type === 'boolean' && option.negatable) return option.default ? `--no-${flag}` : `--[no-]${flag}`
  if (!takesValue(option)) return `--${flag}`
  const fallback = { string: 'TEXT', integer: 'N', number: 'N', strings: 'LIST' }[option.type]
  return `--${flag} ${option.placeholder ?? fallback}`
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
