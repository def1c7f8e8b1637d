// Writes docs/commands.md from the declarations of the commands, as `npm run docs`. A test compares.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AnyCommand } from '../src/cli/command.ts'
import { REGISTRY } from '../src/cli/commands.ts'
import { GLOBAL_OPTIONS, type OptionTable } from '../src/cli/option.ts'
import { usageLine, written } from '../src/cli/parse.ts'
import { describeArgument, shownOptions } from '../src/cli/render/help.ts'
import { brokenCommand } from '../src/cli/render/layout.ts'
import { ROOT } from '../test/support/lint-fixtures.ts'
import { writeGenerated } from './generated-file.ts'
import { fence, filled, item, plain, sentence } from './markdown.ts'

export const COMMANDS_DOC = 'docs/commands.md'

const INTRO = `<!-- Made by npm run docs from the declarations of the commands. Change those and run it again. -->

# Every command

You know which command you need, and want to know what it takes, what it refuses and with which code it exits.
Look it up here. \`rlp help <command>\` prints the same where you work. What all commands share is on
[another page](command-line.md): names and paths, output, exit codes and questions.
`

/** Columns of a command in an example. */
const WIDEST = 100

export async function commandsDoc(): Promise<string> {
  const commands = await Promise.all(REGISTRY.commands.map(async ({ load }) => (await load()).command))
  const groups = [
    ...REGISTRY.groups.map(({ name, summary }) => ({
      title: `rlp ${name}`,
      summary: sentence(summary),
      members: commands.filter(one => one.name.startsWith(`${name} `)),
    })),
    { title: 'More', summary: undefined, members: commands.filter(({ name }) => !name.includes(' ')) },
  ]
  const sections = groups.flatMap(({ title, summary, members }) => [
    [`## ${title}\n`, ...(summary === undefined ? [] : [`${prose(summary)}\n`])].join('\n'),
    ...members.map(section),
  ])
  return [INTRO, index(groups.flatMap(({ members }) => members)), shared(), ...sections].join('\n')
}

function index(commands: readonly AnyCommand[]): string {
  const rows = commands.map(
    ({ name, summary }) => `| [\`rlp ${name}\`](#rlp-${name.replaceAll(' ', '-')}) | ${plain(summary)} |\n`,
  )
  return `| command | what it does |\n|---|---|\n${rows.join('')}`
}

function shared(): string {
  return `## Options of every command\n\n${optionItems(GLOBAL_OPTIONS).join('\n')}\n`
}

function section(command: AnyCommand): string {
  const { name, summary, positionals = [], options, examples, notes = '' } = command
  const lines = examples.flatMap(([line, what]) => [`# ${what}`, ...brokenCommand(line, WIDEST)])
  const items = [
    ...positionals.map(one => item(`\`${written(one)}\`: ${marked(describeArgument(one))}`)),
    ...optionItems(options),
  ]
  return [
    `### rlp ${name}`,
    prose(sentence(summary)),
    fence('', usageLine(command)),
    ...notes.split(/\n\s*\n/).map(prose),
    items.join('\n'),
    lines.length === 0 ? '' : fence('sh', lines.join('\n')),
  ]
    .filter(text => text !== '')
    .join('\n\n')
    .concat('\n')
}

function optionItems(options: OptionTable): string[] {
  return shownOptions(options).map(({ typed, alias, describe }) => {
    const flags = [...(alias === undefined ? [] : [`-${alias}`]), `--${typed}`]
    return item(`\`${flags.join(', ')}\`: ${marked(describe)}`)
  })
}

function prose(text: string): string {
  return filled(marked(text))
}

/** What declarations name in plain text: a page, a command with its options, an option, standard input, a field of a template, a path. */
const NAMED = new RegExp(
  [
    String.raw`docs/(?<page>[a-z-]+\.md)`,
    `(?<code>rlp (?:${REGISTRY.commands.map(({ name }) => name).join('|')})\\b(?: --[a-z][a-z-]*)*`,
    String.raw`(?<![\w-])--[a-z][a-z-]*(?![a-z-]*])`,
    String.raw`(?<= )-(?= |$)|\{\{[^{}]*\}\}`,
    String.raw`(?:~/|[^\s"“”(),;]*(?:<[a-z[\]@]+>|[*\\]))[^\s"“”(),;]*(?<![.:]))`,
  ].join('|'),
  'g',
)

/** Text of a declaration, as Markdown. */
function marked(text: string): string {
  let end = 0
  let made = ''
  for (const { 0: whole, index, groups } of text.matchAll(NAMED)) {
    const page = groups?.['page']
    made += plain(text.slice(end, index))
    made += page === undefined ? `\`${whole}\`` : `[${page}](${page})`
    end = index + whole.length
  }
  return made + plain(text.slice(end))
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeGenerated(join(ROOT, COMMANDS_DOC), await commandsDoc())
