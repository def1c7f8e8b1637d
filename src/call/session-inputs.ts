// The inputs of every verb that calls tools: where secrets come from, what holds programs, and what is recorded. Each of them makes one session.
import { kindAt } from '../io/find/search-folders.ts'
import { namedPath, runloopHome } from '../io/home.ts'
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import { Running } from '../io/process/running.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { SandboxMode } from '../model/sandbox.ts'
import type { ToldOptions } from '../sandbox/never-granted.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { quoted } from '../text/printable.ts'
import { readWords } from '../text/shell-words.ts'
import {
  type Asked,
  type At,
  asItIs,
  checked,
  type Input,
  type InputTable,
  type World,
  whether,
} from '../verb/index.ts'
import { isCount } from '../verb/kinds/numbers.ts'
import { labelledFile } from '../verb/kinds/paths.ts'
import { readTyped } from '../verb/read.ts'
import type { Confirm } from './context.ts'
import { type BudgetLedger, checkedLedger, type Ledger } from './ledger.ts'
import { CALL_OPTIONS, type CallArgs, SOURCE_NAMES, sandboxFor } from './options.ts'
import { isSecrets, type SecretsGiven, secretSource } from './secrets/given.ts'
import { SECRET_SOURCES } from './secrets/index.ts'
import { type CallSession, type SessionParts, startSession } from './session.ts'

/** The longest wait of a timer. Node uses 1 millisecond instead of a longer one. */
const LONGEST_MS = 2 ** 31 - 1

/** Milliseconds; typed as seconds. */
function time(flag: 'timeout' | 'idle-timeout'): Input<number, number | undefined> {
  return {
    type: 'number',
    typed: { ...CALL_OPTIONS[flag], flag },
    fromTyped: (seconds: number) => Math.round(seconds * 1000),
    fromGiven: checked(
      (given): given is number => isCount(given) && given <= LONGEST_MS,
      `a whole number of milliseconds, from 1 to ${LONGEST_MS}`,
    ),
  }
}

const secrets: Input<SecretsGiven, OpenSecrets> = {
  type: 'SecretsGiven',
  typed: { ...CALL_OPTIONS['secrets-from'], flag: 'secrets-from' },
  absent: world => opening({}, world),
  fromTyped: (typed: string, { world }: At) => secretsFrom(typed, world),
  fromGiven: (given, at) =>
    opening(checked(isSecrets, 'an object with values, a function, or env')(given, at), at.world),
}

function opening(given: SecretsGiven, world: World): OpenSecrets {
  return () => ({ secrets: secretSource(given, world), fromEnvironment: given === 'env' })
}

/** Opens a source of secrets for a session. */
type OpenSecrets = (running: Running) => Pick<SessionParts, 'secrets' | 'fromEnvironment'>

/** @throws UsageError for an unknown or incomplete source */
function secretsFrom(spec: string, { env, cwd }: Pick<Setting, 'env' | 'cwd'>): OpenSecrets {
  const [, name, rest] = /^([^:]*)(?::(.*))?$/s.exec(spec) ?? []
  const source = SECRET_SOURCES.find(one => one.name === name)
  const isWhole = source !== undefined && (source.takes === undefined ? rest === undefined : Boolean(rest))
  if (!isWhole) {
    throw new UsageError(`Cannot use --secrets-from: ${quoted(spec)} is no source of secrets`, {
      field: 'secrets-from',
      expected: SOURCE_NAMES,
      hint: 'Write for example env, dir:/run/secrets, pass, or cmd:/usr/local/bin/get-secret',
    })
  }
  const path = (written: string) => namedPath(written, cwd)
  return running => ({
    secrets: source.open(rest ?? '', { env, cwd, running, path, words: wordsOf }),
    fromEnvironment: source.isEnvironment === true,
  })
}

function wordsOf(line: string): readonly string[] {
  const words = readWords(line)
  const problem = 'problem' in words ? words.problem : words.value[0] ? undefined : 'it names no program'
  if (problem !== undefined || 'problem' in words) {
    throw new UsageError(`Cannot use --secrets-from: ${problem}`, { field: 'secrets-from' })
  }
  return words.value
}

const folder: Input<PathGiven, string | undefined> = {
  type: 'PathGiven',
  typed: { ...CALL_OPTIONS.cwd, flag: 'cwd' },
  fromTyped: (typed: string, at: At) => folderAt(namedPath(typed, at.world.cwd), typed, at),
  fromGiven: (given, at) => {
    const path = pathGiven(given, at.world, 'start programs in')
    return folderAt(path, path, at)
  },
}

/**
 * @param written the same path as the caller wrote it
 * @throws UsageError if it is not a folder: the system's error would be that the program is missing
 */
function folderAt(path: string, written: string, { spelt, field }: Pick<At, 'spelt' | 'field'>): string {
  if (kindAt(path) === 'folder') return path
  throw new UsageError(`Cannot use ${spelt}: ${quoted(written)} is no folder`, { field })
}

const sandbox: Input<SandboxMode, SandboxMode | undefined> = {
  type: 'SandboxMode',
  typed: CALL_OPTIONS.sandbox,
  fromTyped: asItIs<SandboxMode>,
  fromGiven: checked(
    (given): given is SandboxMode => CALL_OPTIONS.sandbox.choices.includes(given as SandboxMode),
    `one of ${CALL_OPTIONS.sandbox.choices.join(', ')}`,
  ),
}

const ledger: Input<BudgetLedger, Ledger | undefined> = {
  type: 'BudgetLedger',
  isLive: true,
  fromGiven: checkedLedger,
}

/** @interface CallingGiven */
export const CALLING = {
  /** In place of the tool's own time limit, in milliseconds. */
  timeoutMs: time('timeout'),
  /** End a program that has printed nothing for as long, in milliseconds. */
  idleMs: time('idle-timeout'),
  /** Values of secrets by their ids, a function that is asked for each, or `env`. Without it a tool that needs one is not run. */
  secrets,
  /** Hand secrets, and variables of `x-rlp.env` that need a grant, also to a bundle that is not `trusted`. */
  withSecrets: whether(CALL_OPTIONS['with-secrets'].describe),
  /** Where programs start, in place of an empty folder of their own. */
  folder,
  /**
   * Whether programs are held to their grants: `auto`, the default, uses what works here; `require` starts none that cannot be held; `off`. A
   * config.toml that says `require` decides (docs/sandbox.md).
   */
  sandbox,
  /** Where used budgets are counted, for calls that are to share them. */
  ledger,
  /** A file that gets a line about each call. */
  audit: labelledFile(CALL_OPTIONS.audit.describe, { doing: 'write the audit log' }),
} as const satisfies InputTable

/** @interface SessionGiven */
export const SESSION = {
  ...CALLING,
  /** A file that gets each call and its answer, without secrets. */
  trace: labelledFile(CALL_OPTIONS.trace.describe, { doing: 'write the trace' }),
} as const satisfies InputTable

/** `trace` is left out where calls are not recorded. */
type SessionAsked = Asked<typeof CALLING> & Partial<Pick<Asked<typeof SESSION>, 'trace'>>

/**
 * What holds the programs of this call; a command opens it before it reads anything of a bundle. Where nothing does, its user is warned, and the
 * process of a program.
 * @param asked all that the verb was asked: the sandbox keeps the files that it names from programs
 * @param judging of a bundle that was loaded before
 * @throws RlpError as {@link openSandbox}
 */
export async function sandboxBy(
  asked: Pick<SessionAsked, 'sandbox' | 'audit' | 'trace'>,
  world: World,
  judging: ToldOptions = {},
): Promise<Sandbox> {
  const { sandbox, audit, trace } = asked
  const { terminal } = world
  if (terminal !== undefined) return sandboxFor({ ...terminal.args, sandbox }, terminal.io)
  const told = { ...asked, audit: audit?.path, trace: trace?.path }
  const opened = await openSandbox(sandbox, { ...world, told: [told, judging] })
  if (opened.note !== undefined && !isWarned) process.emitWarning(opened.note, { code: 'RLP_NO_SANDBOX' })
  isWarned ||= opened.note !== undefined
  return opened
}

/** A program is told once that nothing holds the programs of tools here. */
let isWarned = false

/**
 * @param confirm asked where a tool wants a person's yes
 * @param parts the sandbox, and the ledger where the caller hands none in
 * @throws RlpError as {@link startSession}
 */
export async function sessionBy(
  { secrets, folder, ledger, ...asked }: SessionAsked,
  world: World,
  confirm: Confirm,
  parts: Pick<SessionParts, 'sandbox' | 'ledger'>,
): Promise<CallSession> {
  const running = new Running()
  const session = {
    ...asked,
    ...secrets(running),
    running,
    confirm,
    sandbox: parts.sandbox,
    ledger: ledger ?? ownMembers(parts).ledger,
    cwd: folder,
  }
  return startSession(session, world)
}

/** The same for a command that is written by hand. */
export async function openSession(
  args: CallArgs,
  sandbox: Sandbox,
  io: Setting,
  confirm: Confirm,
): Promise<CallSession> {
  const world: World = {
    ...io,
    home: async () => runloopHome(io.env),
    spelt: name => name,
    tell: () => {},
  }
  const asked = (await readTyped({ inputs: SESSION }, args, world)) as Asked<typeof SESSION>
  return sessionBy(asked, world, confirm, { sandbox })
}
