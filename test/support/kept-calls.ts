// Writes the output of every command as text: each call of test/support/every-command.ts in three ways, and the help of each command.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REGISTRY } from '../../src/cli/commands.ts'
import { CALLS, type EveryCall, everyCall } from './every-command.ts'
import { type Ran, run } from './fake-terminal.ts'
import { tried } from './kept-data.ts'

/** The calls, with a tool that has the same path on every machine, because a bundle holds the path and its sizes depend on it. */
const PORTABLE_CALLS = CALLS.map(
  ([command, ...args]) =>
    [command, ...args.map(arg => (arg === process.execPath ? '/bin/true' : arg))] as const,
)

/** Masks for texts that differ between runs, most specific first. Equal values get equal numbers, except times: two of them may be the same or not. */
const MASKS: readonly (readonly [name: string, value: RegExp, isNumbered: boolean])[] = [
  ['key', /ed25519:[A-Za-z0-9+/]{43}=/g, true],
  ['pem', /MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=/g, true],
  ['fingerprint', /SHA256:[A-Za-z0-9+/]{43}/g, true],
  // A root holds the second in which it was drafted: two of them may be the same or not, as times are.
  [
    'root',
    /(?<=drafted root \d+ of the channel \w+, blake3:|"root": \{\s*"blake3": "blake3:)[0-9a-f]{64}/g,
    false,
  ],
  ['digest', /\b[0-9a-f]{64}\b|\b[0-9a-f]{12}(?=…)/g, true],
  ['signature', /\b[A-Za-z0-9+/]{86}==/g, true],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, true],
  ['time', /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, false],
  ['day', /\b20\d\d-\d\d-\d\d\b/g, false],
  ['left', /(?<=, )\d+d(?= from now)/g, false],
  ['milliseconds', /(?<="duration(?:Ms|_ms)": )\d+/g, false],
]

/** Lines of `doctor` about the machine and not about the files. */
const OF_MACHINE = /^\w+ +sandbox {2}.*$/gm

/** Gives each text with placeholders for what differs between runs. */
function masker(cwd: string): (text: string) => string {
  const known = new Map<string, string>()
  const counts = new Map<string, number>()
  const placeholder = (name: string, value: string) => {
    const before = known.get(value)
    if (before !== undefined) return before
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    known.set(value, `<${name} ${count}>`)
    return `<${name} ${count}>`
  }
  return text =>
    MASKS.reduce(
      (masked, [name, pattern, isNumbered]) =>
        masked.replace(pattern, value => (isNumbered ? placeholder(name, value) : `<${name}>`)),
      text.replaceAll(cwd, '<folder>').replace(OF_MACHINE, '<sandbox of this machine>'),
    )
}

/**
 * Makes the calls without a sandbox, because not every machine has one.
 *
 * @param cwd an empty folder
 */
export function portableCalls(cwd: string): Promise<EveryCall[]> {
  mkdirSync(join(cwd, 'home'), { mode: 0o700 })
  writeFileSync(join(cwd, 'home/config.toml'), '[security]\nsandbox = "off"\n', { mode: 0o600 })
  return everyCall(cwd, PORTABLE_CALLS)
}

/** Writes the output of {@link portableCalls} in a folder as text. */
export function callsText(cwd: string, calls: readonly EveryCall[]): string {
  const mask = masker(cwd)
  const blocks: string[] = []
  for (const { command, args, plain, quiet, json } of calls) {
    const isSame = JSON.stringify(plain) === JSON.stringify(quiet)
    blocks.push(
      `$ rlp ${[command, ...args.map(quoted)].join(' ')}`,
      mask(shown(plain)),
      '-- with --quiet',
      isSame ? 'the same' : mask(shown(quiet)),
      '-- with --json',
      mask(shown({ ...json, stdout: spread(json.stdout) })),
      '',
    )
  }
  return `${blocks.join('\n')}`
}

/** A value without what differs between two runs in a folder. */
export function portable(cwd: string, value: unknown): unknown {
  const timed = JSON.stringify(value, (name, member) => (/^duration(?:Ms|_ms)$/.test(name) ? 0 : member))
  return JSON.parse(masker(cwd)(timed))
}

function quoted(arg: string): string {
  return /^[\w./:=@-]+$/.test(arg) ? arg : `'${arg}'`
}

function shown({ stdout, stderr, exit }: Ran): string {
  const streams = [stdout, stderr === '' ? '' : `-- on standard error\n${stderr}`]
  return `${streams.map(ended).join('')}[exit ${exit}]`
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n-- without an end of line\n`
}

/** One line of JSON as many lines, so that a difference shows its member. Text that is not the compact form of its value stays as it is. */
function spread(text: string): string {
  const value = parsed(text)
  return value !== undefined && `${JSON.stringify(value)}\n` === text
    ? `${JSON.stringify(value, null, 1)}\n`
    : text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The help of `rlp` and of every command, by day of one command in four: a text each. */
export async function helpTexts(cwd: string): Promise<string[]> {
  const texts: string[] = []
  for (const words of tried([[], ...REGISTRY.commands.map(({ name }) => name.split(' '))], 4)) {
    const ran = await run([...words, '--help'], undefined, { cwd })
    texts.push(`$ rlp ${[...words, '--help'].join(' ')}\n${shown(ran)}\n\n`)
  }
  return texts
}
