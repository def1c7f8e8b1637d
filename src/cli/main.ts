// Runs one command line: finds the command, loads it, parses its arguments, runs it and reports errors. Nothing that it prints can
// control a terminal or a pipeline.

import { anySignal } from '../io/wait/any-signal.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import { VERSION } from '../model/rlp-version.ts'
import { jsonLine } from '../report/json.ts'
import { quoted } from '../text/printable.ts'
import type { AnyCommand, CommandEntry, ExitCode, GlobalArgs, Io, Registry } from './command.ts'
import { REGISTRY } from './commands.ts'
import { describe, renderFailure } from './failure.ts'
import { asksFor, GLOBAL_OPTIONS } from './option.ts'
import { parse } from './parse.ts'
import { fit, inert } from './render/layout.ts'
import { createStyle, wantsColor } from './render/style.ts'
import { didYouMean, nearest, nearestFlags } from './suggest.ts'

/** The input of `main`, which decides about colour itself. */
export type Terminal = Omit<Io, 'color'>

/** How far a command line got, for error messages. */
interface Progress {
  /** The command words known so far: '', a group, or a command. */
  words: string
  isCommand: boolean
}

/**
 * Runs one command line. Never throws: everything is reported on `terminal` and by the exit code.
 * Parts that only some command lines need are loaded on demand.
 */
export async function main(
  argv: readonly string[],
  bare: Terminal,
  registry: Registry = REGISTRY,
): Promise<ExitCode> {
  const terminal = guarded(bare)
  const progress: Progress = { words: '', isCommand: false }
  try {
    return await dispatch(argv, terminal, registry, progress)
  } catch (error) {
    return fail(interrupted(error, terminal, progress) ?? error, argv, terminal, progress)
  }
}

async function dispatch(
  argv: readonly string[],
  terminal: Terminal,
  registry: Registry,
  progress: Progress,
): Promise<ExitCode> {
  if (argv[0] === '__complete')
    return (await import('./completion/complete.ts')).printCompletions(argv[1], terminal)
  const route = resolve(argv, registry)
  if (route.to === 'version') {
    terminal.stdout(`${VERSION}\n`)
    return EXIT.ok
  }
  if (route.to === 'help') {
    progress.words = route.at
    // A program that forgot the command must not take help for a result.
    if (!route.asked && asksFor(argv, '--json'))
      throw new UsageError(`Cannot run "${`rlp ${route.at}`.trim()}": the command is missing`)
    const { renderGroupHelp, renderRootHelp, renderWholeHelp } = await import('./render/help.ts')
    const layout = layoutFor(argv, terminal)
    terminal.stdout(
      route.at !== ''
        ? await renderGroupHelp(registry, route.at, layout)
        : route.all
          ? await renderWholeHelp(registry, layout)
          : await renderRootHelp(registry, layout),
    )
    return EXIT.ok
  }
  progress.words = route.entry.name
  progress.isCommand = true
  const { command } = await route.entry.load()
  const args = route.help ? undefined : parse(command, route.rest)
  // `resolve` has found help in all spellings but `-qh` and similar.
  if (args === undefined || args.help) {
    const { renderCommandHelp } = await import('./render/help.ts')
    terminal.stdout(await renderCommandHelp(command, layoutFor(argv, terminal)))
    return EXIT.ok
  }
  const io: Io = { ...terminal, color: colorOf(argv, terminal, 'stdout') }
  return runCommand(command, args, route.rest, io)
}

/** A stop by the user is `CANCELLED`, whatever error the interrupted part threw. */
function interrupted(error: unknown, { signal }: Terminal, { words }: Progress): RlpError | undefined {
  if (!signal.aborted || !(error instanceof Error)) return undefined
  if (error !== signal.reason && error.name !== 'AbortError') return undefined
  return new RlpError('CANCELLED', `Cannot finish "rlp ${words}": it was interrupted`, { cause: error })
}

function fail(
  error: unknown,
  argv: readonly string[],
  terminal: Terminal,
  { words, isCommand }: Progress,
): ExitCode {
  const description = describe(error, isCommand ? words.replaceAll(' ', '.') : undefined)
  if (asksFor(argv, '--json')) {
    terminal.stdout(jsonLine(description.envelope))
    // The envelope says what went wrong; a stack does not belong there.
    if (description.stack === undefined) return description.exit
  }
  const usage = error instanceof RlpError && error.code === 'USAGE'
  terminal.stderr(
    renderFailure(description, {
      style: createStyle(colorOf(argv, terminal, 'stderr')),
      columns: terminal.isTTY.stderr ? terminal.columns : undefined,
      see: usage ? `${`rlp ${words}`.trim()} --help` : undefined,
    }),
  )
  return description.exit
}

function layoutFor(argv: readonly string[], terminal: Terminal) {
  return { style: createStyle(colorOf(argv, terminal, 'stdout')), columns: terminal.columns }
}

/** Without parsing: help and errors have colour too, and they come before or instead of parsed arguments. */
function colorOf(argv: readonly string[], terminal: Terminal, stream: 'stdout' | 'stderr'): boolean {
  const asked = asksFor(argv, '--no-color', '--color=false')
    ? false
    : asksFor(argv, '--color')
      ? true
      : undefined
  return wantsColor(asked, terminal.env, terminal.isTTY[stream])
}

/** The result for a command line. `rest` is what the command parses; `help.at` is '' for all of rlp or a group's name; `all`: every command of it. */
type Route =
  | { readonly to: 'version' }
  | { readonly to: 'help'; readonly at: string; readonly asked: boolean; readonly all: boolean }
  | {
      readonly to: 'command'
      readonly entry: CommandEntry
      readonly rest: readonly string[]
      readonly help: boolean
    }

/**
 * Finds the command. Global switches may come before and between the command words.
 * @throws UsageError for unknown words and options
 */
function resolve(argv: readonly string[], registry: Registry): Route {
  const switches: string[] = []
  let words = ''
  let helping = false
  let all = false
  for (const [index, token] of argv.entries()) {
    if (words === '' && (token === '--version' || token === '-V')) return { to: 'version' }
    if (helping && words === '' && token === '--all') {
      all = true
      continue
    }
    if (token.startsWith('-')) {
      if (!isGlobal(token)) throw misplaced(token, words)
      switches.push(token)
      continue
    }
    if (words === '' && token === 'help' && !helping) {
      helping = true
      continue
    }
    const path = words === '' ? token : `${words} ${token}`
    const entry = registry.commands.find(({ name }) => name === path)
    if (entry !== undefined) {
      const rest = [...switches, ...argv.slice(index + 1)]
      return { to: 'command', entry, rest, help: helping || asksFor(rest, '--help', '-h') }
    }
    if (words !== '' || registry.groups.every(({ name }) => name !== token))
      throw unknown(words, token, argv[index + 1], registry)
    words = token
  }
  return { to: 'help', at: words, asked: helping || asksFor(switches, '--help', '-h'), all }
}

function isGlobal(token: string): boolean {
  const name = token.replace(/=.*$/s, '')
  return Object.entries(GLOBAL_OPTIONS).some(
    ([flag, option]) =>
      name === `--${flag}` ||
      ('alias' in option && name === `-${option.alias}`) ||
      ('negatable' in option && name === `--no-${flag}`),
  )
}

function misplaced(token: string, words: string): UsageError {
  const near = nearestFlags(token.replace(/=.*$/s, ''), ['version', ...Object.keys(GLOBAL_OPTIONS)])
  const path = ['rlp', words, '<command>'].filter(Boolean).join(' ')
  return new UsageError(`Cannot read ${quoted(token)}: no command comes before it`, {
    hint: didYouMean(near) ?? `Options follow the command: ${path} [options]`,
  })
}

function unknown(group: string, word: string, next: string | undefined, registry: Registry): UsageError {
  const known = [...registry.groups, ...registry.commands].map(({ name }) => name)
  // People forget the group: `rlp lint` for `rlp agent lint`. So look in every group for the same word.
  const elsewhere = known.filter(name => name.endsWith(` ${word}`))
  const here = nearest(
    group === '' ? word : `${group} ${word}`,
    known.filter(name => (group === '' ? !name.includes(' ') : name.startsWith(`${group} `))),
  )
  const anywhere = nearest(
    word,
    known.map(name => name.replace(/^\S+ /, '')),
  ).flatMap(last => known.filter(name => name.endsWith(` ${last}`)))
  // The group was misspelt, and the word after it is right.
  const whole = here.map(name => `${name} ${next}`).filter(name => known.includes(name))
  const offers = [whole, here, elsewhere, anywhere].find(list => list.length > 0) ?? []
  const meant = group === '' ? own(OTHER_WORDS, word) : own(OTHER_WORDS, `${group} ${word}`)
  const path = group === '' ? word : `${group} ${word}`
  return new UsageError(`Cannot run ${quoted(`rlp ${path}`)}: there is no such command`, {
    hint: meant ?? didYouMean(offers.slice(0, 3).map(name => `rlp ${name}`)),
  })
}

const SCAFFOLD = 'rlp agent scaffold NAME makes a new agent'
const INIT = `rlp agent init makes an agent of a folder that exists; ${SCAFFOLD}`
const PACK =
  'rlp agent pack makes a bundle; the program itself is built with your own compiler (docs/wasm.md)'
const RUN = 'rlp agent run AGENT runs the module of a bundle, rlp tool call TOOL AGENT one of its tools'
const INSPECT = 'rlp agent inspect BUNDLE shows what is in a bundle, and what it may do'
const CHECK = 'rlp agent lint checks a folder, rlp agent verify a bundle'
const UNPACK =
  'A bundle is a tar archive: tar -xf FILE.agent.bundle unpacks it, after rlp agent verify FILE.agent.bundle'
const WATCH = 'Run rlp agent lint after each change; editors check as you type (docs/lint.md)'
const TEST =
  "rlp agent test AGENT runs the cases of an agent, rlp tool call TOOL FOLDER --unverified --args '{…}' runs one tool, rlp tool check-result checks what it printed"
const DOCTOR = 'rlp doctor says what is wrong on this host, of installed agents too'

/** Said of the word alone, and in the group `agent`. */
const OF_AGENTS = {
  new: SCAFFOLD,
  create: SCAFFOLD,
  build: PACK,
  info: INSPECT,
  check: CHECK,
  validate: CHECK,
  unpack: UNPACK,
  extract: UNPACK,
  watch: WATCH,
}

export const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...OF_AGENTS,
  init: INIT,
  run: RUN,
  test: TEST,
  ...Object.fromEntries(Object.entries(OF_AGENTS).map(([word, hint]) => [`agent ${word}`, hint])),
  'agent doctor': DOCTOR,
  version: 'rlp --version prints it',
  update: 'rlp agent install puts a newer bundle in the place of the old one',
  'key new': 'rlp key generate NAME makes a key',
  'key add': 'rlp key import NAME FILE keeps a key that you have',
  'tool delete': 'rlp tool remove AGENT TOOL removes it',
  'tool rm': 'rlp tool remove AGENT TOOL removes it',
  'tool test': TEST,
  'caps lint': 'rlp agent lint checks policy.caps, and rlp doctor the overrides of it on this host',
}

/**
 * @param words of the command line, behind those of the command
 * @throws what the command throws; a hint says where the name is, if it is elsewhere
 */
async function runCommand(
  command: AnyCommand,
  args: GlobalArgs,
  words: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const line = { command, args, words }
  try {
    const elsewhere = async (message: string) => (await import('./elsewhere.ts')).elsewhere(line, io, message)
    return await running(command, args, {
      ...io,
      registries: { logins: new Map(), seen: new Map() },
      elsewhere,
    })
  } catch (error) {
    if (!(error instanceof RlpError) || !['NOT_FOUND', 'IO'].includes(error.code)) throw error
    const hint = await (await import('./elsewhere.ts')).elsewhere(line, io, error.message)
    throw hint === undefined ? error : new RlpError(error.code, error.message, { hint, cause: error })
  }
}

async function running(command: AnyCommand, args: GlobalArgs, io: Io): Promise<ExitCode> {
  if (!io.isTTY.stderr) return command.run(args as never, io)
  return (await import('./progress.ts')).withMeter(command, args, io)
}

/**
 * All output passes through here, so that a stranger's text never becomes a command to a pipeline's runner, and everything on standard error
 * fits its terminal. Any number of listeners may wait for its signal.
 */
function guarded(terminal: Terminal): Terminal {
  const out: Pick<Terminal, 'stdout' | 'stderr' | 'signal'> = {
    signal: anySignal(terminal.signal),
    stdout: (text, how) =>
      terminal.stdout(typeof text === 'string' && how !== 'commands' ? inert(text) : text),
    stderr: text => terminal.stderr(inert(terminal.isTTY.stderr ? fit(text, terminal.columns) : text)),
  }
  // Not spread: the current folder is looked up on demand, and may be gone.
  const members = { ...Object.getOwnPropertyDescriptors(terminal), ...Object.getOwnPropertyDescriptors(out) }
  return Object.defineProperties({}, members) as Terminal
}
