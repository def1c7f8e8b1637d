// The input of completion scripts: every command's words, options and values, and the files that scripts read with find and sed, because
// Node would take longer to start. Only words without a meaning for shells and terminals are taken, out of small regular files.
import { own } from '../../model/own.ts'
import { digestText } from '../../text/digest-text.ts'
import type { Registry } from '../command.ts'
import {
  GLOBAL_OPTIONS,
  type ListName,
  type Option,
  type OptionTable,
  type Positional,
  takesValue,
} from '../option.ts'

/**
 * What may follow: one of some words, a file, a folder, or an unknown value. The shell itself looks for keys, agents and bundles when it is
 * asked: Node would take longer to start.
 */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | ({ readonly kind: 'file' | 'dir' | 'none' | LookedUp } & Beside)

/** What is offered beside it. */
interface Beside {
  readonly begins?: readonly string[]
  readonly lists?: readonly ListName[]
}

/** What the scripts find by themselves, beside files. */
export type LookedUp = keyof typeof LOOKED

/** A folder, below the home of rlp or here, and the end of the names in it that is cut off. Ids of tools are read out of the files. */
export const LOOKED = {
  key: { isHome: true, folder: 'keys', end: '.pem' },
  agent: { isHome: false, folder: 'agents', end: '/manifest.toml' },
  bundle: { isHome: true, folder: 'agents', end: '.agent.bundle' },
  tool: { isHome: true, folder: 'agents', end: '/tools.json' },
} as const

export function isLooked(values: Values): values is { readonly kind: LookedUp } & Beside {
  return (Object.keys(LOOKED) as string[]).includes(values.kind)
}

export interface Flag {
  /** `--out`, and `-o` if there is one. */
  readonly spellings: readonly string[]
  readonly describe: string
  /** Undefined for switches. */
  readonly value: Values | undefined
  readonly repeatable: boolean
}

/** One place in a command line: all of rlp (''), a group, or a command. */
export interface Node {
  readonly words: string
  /** The words that may come next, of rlp or a group. */
  readonly next: readonly { readonly word: string; readonly summary: string }[]
  readonly flags: readonly Flag[]
  readonly positionals: readonly { readonly name: string; readonly values: Values; readonly many: boolean }[]
}

/** Loads every command of the registry. */
export async function readNodes(registry: Registry): Promise<Node[]> {
  const inside = (group: string) =>
    registry.commands
      .filter(({ name }) => name.startsWith(`${group} `))
      .map(({ name, summary }) => ({ word: name.slice(group.length + 1), summary }))
  const single = registry.commands.filter(({ name }) => !name.includes(' '))
  const filled = registry.groups.filter(({ name }) => inside(name).length > 0)
  const globals = flagsOf(GLOBAL_OPTIONS)
  const version: Flag = {
    spellings: ['--version', '-V'],
    describe: 'show the version',
    value: undefined,
    repeatable: false,
  }
  const first = [...filled, ...single].map(({ name, summary }) => ({ word: name, summary }))
  const help = { word: 'help', summary: 'Explain a command' }
  return [
    { words: '', next: [...first, help], flags: [...globals, version], positionals: [] },
    ...filled.map(({ name }) => ({ words: name, next: inside(name), flags: globals, positionals: [] })),
    ...(await Promise.all(
      registry.commands.map(async entry => {
        const { command } = await entry.load()
        const positionals = (command.positionals ?? []).map(readPositional)
        return { words: entry.name, next: [], flags: [...flagsOf(command.options), ...globals], positionals }
      }),
    )),
  ]
}

function flagsOf(table: OptionTable): Flag[] {
  return Object.entries(table)
    .filter(([, option]) => !option.hidden && option.type !== 'refused')
    .flatMap(([flag, option]) => {
      const negated = option.type === 'boolean' && option.negatable
      const letter = option.alias === undefined ? [] : [`-${option.alias}`]
      const { describe } = option
      const one = (spellings: string[]): Flag => ({
        spellings,
        describe,
        value: valuesOf(option),
        repeatable: option.type === 'strings',
      })
      return [one([`--${flag}`, ...letter]), ...(negated ? [one([`--no-${flag}`])] : [])]
    })
}

function valuesOf(option: Option): Values | undefined {
  if (!takesValue(option)) return undefined
  if ('choices' in option && option.choices !== undefined)
    return { kind: 'words', words: option.choices.map(plain) }
  if ('words' in option && option.words !== undefined)
    return { kind: 'words', words: option.words.map(plain) }
  const { begins = [] } = option.type === 'string' ? option : {}
  const { placeholder = '', lists = own(LISTED_BY_PLACEHOLDER, placeholder) ?? [] } = option
  if (placeholder === 'DIR') return { kind: 'dir' }
  if (placeholder === 'KEY') return { kind: 'key', begins: begins.map(plain) }
  if (placeholder === 'BUNDLE') return { kind: 'bundle' }
  return { kind: /\b(?:FILE|PATH)\b/.test(placeholder) ? 'file' : 'none', lists }
}

/** An expectation names an agent or a bundle. */
const LISTED_BY_PLACEHOLDER: Readonly<Record<string, readonly ListName[]>> = {
  'NAME[@VARIANT][@RANGE]': ['locked', 'identity'],
  'NAME@RANGE|blake3:HEX': ['locked', 'identity'],
  'NAME[@VARIANT]': ['locked'],
  SIGNER: ['signer'],
}

/** One word for each thing: what a positional is called, and what else it takes, says what it is. */
const LOOKED_BY_NAME: Readonly<Record<string, Readonly<Partial<Record<string, LookedUp>>>>> = {
  key: { file: 'key' },
  path: { dir: 'agent' },
  agent: { file: 'agent' },
  bundle: { file: 'bundle' },
  id: { none: 'tool' },
  tool: { none: 'tool' },
}

function readPositional(positional: Positional): Node['positionals'][number] {
  const { name, choices, complete = 'file', many = false, begins = [] } = positional
  const { lists = name === 'bundle' ? (['reference'] as const) : [] } = positional
  const looked = own(own(LOOKED_BY_NAME, name), complete)
  const values: Values =
    choices === undefined
      ? { kind: looked ?? complete, begins: begins.map(plain), lists }
      : { kind: 'words', words: choices.map(plain) }
  return { name, values, many }
}

/** Words are unquoted in scripts, so they must have no special meaning in a shell. */
function plain(word: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9_.@/+-]*:?$/.test(word)) return word
  throw new TypeError(`Cannot complete ${JSON.stringify(word)}: it needs quoting`)
}

/** `text` as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Where it is read: from the file that an option names, else one here or in the home of rlp; or from all files in a folder of the home. */
export interface ListPlace {
  readonly sed: string
  readonly option?: string
  readonly here?: string
  readonly home?: string
  readonly pattern?: string
}

/** A lock is exactly these lines (docs/spec/lock.md, 15.3). */
const LOCK = { option: '--lock', here: 'rlp.lock' } as const
const IS_LOCK = '1{/^version = 1$/!q;}'
const NAME = String.raw`\([A-Za-z0-9_][A-Za-z0-9_-]*\)`
const VARIANT = String.raw`\([A-Za-z0-9_][A-Za-z0-9_-]*@[A-Za-z0-9_][A-Za-z0-9_-]*\)`
const REFERENCE = String.raw`\(oci[a-z-]*:[A-Za-z0-9_.:/@-]*\)`
const HEX = String.raw`[0-9a-f]\{64\}`
const POLICY = { option: '--trust-policy', home: 'trust-policy.toml' } as const

export const LISTS: Readonly<Record<ListName, readonly ListPlace[]>> = {
  locked: [{ ...LOCK, sed: `${IS_LOCK};s/^\\[agents\\.${NAME}]$/\\1/p;s/^\\[agents\\."${VARIANT}"]$/\\1/p` }],
  reference: [{ ...LOCK, sed: `${IS_LOCK};s|^source = "${REFERENCE}"$|\\1|p` }],
  identity: [
    { ...LOCK, sed: `${IS_LOCK};s/^identity = "\\(${digestText(HEX)}\\)"$/\\1/p` },
    { home: 'state', pattern: '*.json', sed: `s/^ *"manifestDigest": *"\\(${HEX}\\)",*$/blake3:\\1/p` },
  ],
  signer: [
    {
      ...POLICY,
      sed: ['anchors', 'groups']
        .flatMap(table => [
          `/^\\[${table}]/,/^\\[/s/^${NAME} *=.*/\\1/p`,
          `s/^\\[${table}\\.${NAME}].*/\\1/p`,
        ])
        .join(';'),
    },
  ],
}

/** Bytes; more is not read. */
const MOST = 1_048_576

/**
 * The command that reads a place, in words that every shell understands alike.
 * @param home a word of the shell for the home of rlp
 * @param typed a word of the shell for the value of an option, or for another one
 */
export function readCommand(
  { sed, option, here, home: inHome, pattern }: ListPlace,
  home: string,
  typed: (option: string, other: string) => string,
): string {
  const other = inHome === undefined ? `${here}` : `${home}/${inHome}`
  const file = option === undefined ? other : typed(option, other)
  const which = pattern === undefined ? '-maxdepth 0' : `-maxdepth 1 -name '${pattern}'`
  return `LC_ALL=C command find -L ${file} ${which} -type f -size -${MOST + 1}c -exec sed -n '${sed}' '{}' + 2>/dev/null`
}
