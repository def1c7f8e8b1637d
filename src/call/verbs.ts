// The functions of the library that do what rlp tool call, list, serve and replay, and rlp agent run, test and dev do.

import { isUint8Array } from 'node:util/types'
import type { Envelope } from '../contract/envelope.ts'
import { operatorConfig } from '../io/config.ts'
import {
  type CallerOptions,
  type LongOptions,
  type PathGiven,
  pathGiven,
  targetGiven,
} from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { ProgramStream } from '../io/process/program.ts'
import { Running } from '../io/process/running.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { kindName } from '../model/kind-name.ts'
import { MODULE_LIMITS } from '../model/limits.ts'
import type { Enforced, SandboxMode } from '../model/sandbox.ts'
import { checkedToken } from '../net/serve/asker.ts'
import { portAddress } from '../net/serve/listen-address.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { quoted } from '../text/printable.ts'
import { type BundleGiven, bundleTarget } from '../verify/bundle-input.ts'
import { judgedWith } from '../verify/bundle-inputs.ts'
import { judgingInput, type TrustOptions, trustInput } from '../verify/input.ts'
import { type LoadedBundle, loadedFrom } from '../verify/load.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type TestedAgent, testAgent } from './cases.ts'
import { refuseYes } from './confirmation.ts'
import { type CallRecord, type Confirm, UNANSWERED } from './context.ts'
import { devAgent } from './dev.ts'
import { Ledger } from './ledger.ts'
import {
  callableBundle,
  type ListedTools,
  listedTools,
  openAgent,
  openSource,
  originOf,
  readCallable,
} from './open-agent.ts'
import { type CallPlan, planOf, prepareCall } from './prepare-call.ts'
import { comparedAnswers, exchangesIn, live, type ReplayResult, replayResult } from './replay.ts'
import { type Clients, serveBundles } from './serve.ts'
import { UNVERIFIED_NAME, unverified as unverifiedWords } from './served.ts'
import { openServed, openServedSource } from './served-bundles.ts'
import { librarySession, recordedCall, type SessionGiven } from './session.ts'
import { readFrame, readTrace } from './trace.ts'
import { keptBack, type ModuleEnd, openRunLog, runRecorded } from './wasi/run-module.ts'
import { runnableBundle } from './wasi/runnable.ts'

export interface CallOptions extends SessionGiven {
  /** Asked where a tool wants a person's yes; without it such a call is refused. */
  readonly confirm?: Confirm
  /** Run nothing and ask nothing: the answer is what would be run. */
  readonly dryRun?: boolean
}

export interface CallResult {
  /** What the tool answered, or why it was not called: docs/contract.md. It holds no secret. */
  readonly envelope: Envelope
  /** Whose words the envelope is. */
  readonly by: CallRecord['by']
  /** What a program wrote to standard error. */
  readonly remarks: string | undefined
  readonly durationMs: number
  /** What held the program, or the request; undefined if nothing was started. */
  readonly enforced: Enforced | undefined
}

/**
 * Calls one tool of a bundle that {@link loadBundle} has loaded. Whatever becomes of the call is an envelope, a refusal too, unless it is aborted;
 * nothing is asked of a person but through `confirm`. It goes by the verdict of the time at which the bundle was loaded: load it again to judge it anew.
 * Calls of one loaded bundle share the budgets of its tools.
 *
 * @param input the arguments: a JSON object
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const { envelope } = await callTool(bundle, 'text.query', { query: '.id' })
 * console.log(envelope.ok ? envelope.result : envelope.message)
 *
 * @throws {@link RlpError} `USAGE` for what was not loaded, and for arguments that are no JSON; for a log that cannot be written; `CANCELLED`
 * when `signal` aborts, although the tool may have begun by then: `audit` and `trace` say what became of it
 */
export function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions & { readonly dryRun: true },
): Promise<CallPlan>
export function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options?: CallOptions & { readonly dryRun?: false },
): Promise<CallResult>
export async function callTool(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions = {},
): Promise<CallResult | CallPlan> {
  return runVerb('callTool', options, (given, io) => callJob(bundle, tool, input, given, io))
}

async function callJob(
  bundle: LoadedBundle,
  tool: string,
  input: unknown,
  options: CallOptions,
  io: Setting,
): Promise<CallResult | CallPlan> {
  const origin = originOf(bundle, 'call a tool')
  const text = textOf(input)
  // A dry run is not recorded.
  const { audit: _, trace: __, ...unrecorded } = options
  const given = options.dryRun === true ? unrecorded : options
  const session = await librarySession(given, abortableConfirm(options.confirm), io, {
    ledger: ledgerOf(bundle),
    judging: origin.judging,
  })
  try {
    const agent = callableBundle(origin.bundle, origin.overrides)
    const context = session.contextFor({ agent, isTrusted: origin.bundle.report.verdict === 'trusted' })
    if (options.dryRun === true) return planOf(await prepareCall({ tool, text }, context))
    const record = await recordedCall(session, context, { tool, text, signal: io.signal })
    const { envelope, by, remarks, durationMs, enforced } = record
    return { envelope, by, remarks, durationMs, enforced }
  } finally {
    await session.close()
  }
}

/** Every call of a bundle that was loaded counts against the same budgets. Calls that begin together wait for each other there. */
const LEDGERS = new WeakMap<LoadedBundle, Ledger>()

function ledgerOf(bundle: LoadedBundle): Ledger {
  const ledger = LEDGERS.get(bundle) ?? new Ledger()
  LEDGERS.set(bundle, ledger)
  return ledger
}

/** A call that is given up while a person is asked is recorded like every other. */
function abortableConfirm(confirm: Confirm = UNANSWERED): Confirm {
  return async (question, signal) => {
    try {
      return await confirm(question, signal)
    } catch (error) {
      if (signal.aborted) return 'cancelled'
      throw error
    }
  }
}

function textOf(input: unknown): string {
  const text: unknown = JSON.stringify(input)
  if (typeof text === 'string') return text
  throw new UsageError(`Cannot call a tool: its arguments are ${typeof input}`, {
    expected: 'a JSON object',
    hint: 'Write {} for no arguments',
  })
}

export interface ListToolsOptions extends LongOptions, TrustOptions {
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  readonly allowUnsigned?: boolean
  /** The agent is a folder that an author works in, without verification. */
  readonly unverified?: boolean
}

/**
 * The tools of a bundle that may be called on this host, and those that may not. A loaded bundle is judged again.
 *
 * @example
 * const { tools, denied } = await listTools('dist/mailer-0.1.0.agent.bundle')
 * console.log(tools.map(({ id }) => id), denied)
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `USAGE`, `LINT_FAILED` for a folder that cannot be read, `CANCELLED`
 */
export async function listToolsOf(bundle: BundleGiven, options: ListToolsOptions = {}): Promise<ListedTools> {
  return runVerb('listTools', options, async (given, io) => {
    const { expect, allowUnsigned, unverified = false } = given
    const came = bundleTarget(bundle, io, 'list the tools of')
    const judged = { ...judgingInput(given, io), unverified, allowUnsigned, expect }
    const opened = await openAgent('list the tools of', came.target, judgedWith(judged, came), io)
    if (opened.is === 'refused') throw new NotVerifiedError(opened.report)
    return listedTools(opened)
  })
}

export interface ServeOptions extends LongOptions, SessionGiven, TrustOptions {
  /** What the client writes: lines of JSON-RPC in chunks of any size. With `output`, for one client. */
  readonly input?: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output?: (text: string) => void
  /** In place of `input` and `output`: serve clients over HTTP, at a port of this machine, until the call is aborted. */
  readonly http?: HttpGiven
  /** Which agent each bundle has to be, in the order of the bundles; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: readonly string[]
  /** Accept sound bundles without signature. */
  readonly allowUnsigned?: boolean
  /** What is served are folders that an author works in, without verification; the client is told. */
  readonly unverified?: boolean
  /** Put the agent's name before each tool's: `mailer.mail.send`. */
  readonly prefix?: boolean
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. Otherwise such a call is refused. */
  readonly trustClientConfirmation?: boolean
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
  /** How the server calls itself; `rlp-bundle`, or `rlp-unverified`, where it is left out. */
  readonly name?: string
}

export interface HttpGiven {
  /** 0 for one that is free. */
  readonly port: number
  /** `127.0.0.1` where it is left out. */
  readonly host?: '127.0.0.1' | '::1'
  /** What each request has to bring as `Authorization: Bearer`: 32 characters or more. */
  readonly token: string
  /** Told the URL for clients, once the server listens there. */
  readonly onListening?: (url: string) => void
}

/**
 * Serves the tools of verified bundles to one MCP client on two streams, or to any over HTTP. Each bundle is read once; policy, revocations, overrides and clock are read again
 * before every call. Resolves when the input has ended and
 * everything that came before is answered. Over HTTP it ends only by `signal`, and then rejects with `CANCELLED` as every verb does.
 *
 * @example
 * await serveTools(['dist/mailer-0.1.0.agent.bundle'], { input: process.stdin, output: text => process.stdout.write(text) })
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used; then nothing was served
 * @throws {@link RlpError} `USAGE` for names that two tools would have, `NOT_FOUND`, `CANCELLED`
 */
export async function serveTools(bundles: readonly BundleGiven[], options: ServeOptions): Promise<void> {
  return runVerb('serveTools', options, (given, io) => serveJob(bundles, given, io))
}

async function serveJob(bundles: readonly BundleGiven[], options: ServeOptions, io: Setting): Promise<void> {
  const { prefix = false, yes = false, trustClientConfirmation = false, unverified = false } = options
  const { name = unverified ? UNVERIFIED_NAME : 'rlp-bundle' } = options
  const clients = clientsOf(options, io)
  const { home } = trustInput(options)
  refuseYes(yes, await operatorConfig(home === undefined ? {} : { home }))
  const given = bundles.map(bundle => bundleTarget(bundle, io, 'serve'))
  const labels = given.map(({ target }) => target.label).join(', ')
  const refused = await serveBundles({
    bundles: given.map((one, index) => {
      const { target } = one
      if (unverified) return () => openServedSource(target, io)
      const expect = options.expect?.[index]
      const judging = { ...judgingInput(options, io), allowUnsigned: options.allowUnsigned, expect }
      return () => openServed(target, judgedWith(judging, one))
    }),
    prefix,
    session: () => librarySession(options, UNANSWERED, io),
    serving: { yes, trustClientConfirmation, trouble: options.onTrouble ?? (() => {}) },
    name,
    instructions: unverified ? unverifiedWords(labels) : undefined,
    clients,
    onReady: (_, url) => {
      if (url !== undefined) options.http?.onListening?.(url)
    },
  })
  if (refused !== undefined) throw new NotVerifiedError(refused)
}

/** @throws UsageError */
function clientsOf(options: ServeOptions, { signal }: Setting): Clients {
  const { input, output, http, onTrouble: trouble = () => {} } = options
  const wrong = (field: string, state: string) =>
    new UsageError(`Cannot serve tools: ${state}`, { field, hint: 'Give input and output, or http' })
  if (http === undefined) {
    if (input === undefined || output === undefined)
      throw wrong(input === undefined ? 'input' : 'output', 'there is neither a pair of streams nor a port')
    return { streams: { input, output, signal, trouble } }
  }
  if (input !== undefined || output !== undefined)
    throw wrong('http', 'there are streams and a port, and one server serves at one place')
  const { host = '127.0.0.1', port } = http
  const address = portAddress(`${host === '::1' ? '[::1]' : host}:${port}`)
  if (address === undefined)
    throw wrong('http', `${quoted(`${host}:${port}`)} is no port of this machine alone`)
  const token = checkedToken(http.token, state => wrong('http', `the token cannot be used: ${state}`))
  return { http: { address, token, signal, trouble } }
}

export interface ReplayOptions extends Omit<SessionGiven, 'trace'> {
  /** Compare with this one: what is missing in it, or has changed. */
  readonly bundle?: LoadedBundle
  /** Run each call again, with the tools of `bundle`, and compare the answers. */
  readonly live?: boolean
  /** Asked where a tool wants a person's yes; without it such a call is refused. */
  readonly confirm?: Confirm
}

/**
 * The calls of a trace with their answers. Without `live`, nothing is run.
 *
 * @param trace what the option `trace` of a call has written
 *
 * @example
 * const { calls } = await replay('calls.ndjson')
 * for (const { call, differences } of calls) console.log(call.tool, differences.map(({ code }) => code))
 *
 * @throws {@link RlpError} `WRONG_FILE_TYPE` for what is no trace, or one that was changed; `NOT_FOUND`, `USAGE`, `CANCELLED`
 */
export async function replayPath(trace: PathGiven, options: ReplayOptions = {}): Promise<ReplayResult> {
  return runVerb('replay', options, async (given, io) => {
    const { path, label } = targetGiven(trace, io, 'replay')
    const opened = given.bundle && openedOf(given.bundle)
    if (given.live === true && opened === undefined)
      throw new UsageError('Cannot replay live: no bundle is named whose tools could be run', {
        field: 'live',
        hint: 'Give `bundle`, from loadBundle',
      })
    const read = await readTrace(path, label, readFrame)
    const exchanges = exchangesIn(read.frames, label)
    if (given.live !== true || opened === undefined)
      return replayResult(comparedAnswers(exchanges, opened), read)
    const session = await librarySession(given, given.confirm ?? UNANSWERED, io, opened)
    try {
      return replayResult(await live(exchanges, opened, session, io.signal), read)
    } finally {
      await session.close()
    }
  })
}

function openedOf(bundle: LoadedBundle) {
  const origin = loadedFrom(bundle)
  if (origin === undefined)
    throw new UsageError('Cannot replay with the bundle: it is not one that loadBundle has given', {
      field: 'bundle',
      hint: 'Load it first',
    })
  const isTrusted = origin.bundle.report.verdict === 'trusted'
  const { bundle: verified, overrides, judging } = origin
  return { agent: callableBundle(verified, overrides), isTrusted, judging }
}

export interface RunAgentOptions extends CallerOptions {
  /** Arguments of the module, behind the path of its entry. */
  readonly args?: readonly string[]
  /** What it reads; nothing where it is left out. */
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array>
  /** Takes what it writes, while it runs; the module waits for it. Dropped where it is left out. */
  readonly output?: (stream: ProgramStream, bytes: Uint8Array) => void | Promise<void>
  /** Milliseconds; 300,000 where it is left out. */
  readonly timeoutMs?: number
  /** Memory that it may have, in MiB, within that of config.toml. */
  readonly memoryMb?: number
  /** As for {@link callTool}. */
  readonly sandbox?: SandboxMode
  /** A file that gets a line about the run. */
  readonly audit?: PathGiven
}

export interface RunAgentResult {
  /** `exited` with a code of its own; else why it did not end by itself. */
  readonly end: ModuleEnd
  /** What held it. */
  readonly enforced: Enforced
  readonly durationMs: number
  /** Files and folders that are granted, and that it did not get. */
  readonly left: readonly string[]
}

/**
 * Runs the module of a bundle that {@link loadBundle} has loaded, under WASI preview 1 and in the sandbox (docs/wasm.md): with the folders
 * that `policy.caps` grants, no variable and no network. A code that is not 0 is an answer, and no error.
 *
 * @example
 * const bundle = await loadBundle('dist/mailer-0.1.0.agent.bundle', { expect: 'mailer', allowUnsigned: true })
 * const output = (stream: string, bytes: Uint8Array) => console.log(stream, Buffer.from(bytes).toString())
 * const { end } = await runAgent(bundle, { input: 'to be or not to be', output, timeoutMs: 10_000 })
 * console.log(end.is === 'exited' ? end.code : end.is)
 *
 * @throws {@link RlpError} `USAGE` for what was not loaded, `LINT_FAILED` for an entry that WASI preview 1 does not run, `UNENFORCED` if it
 * cannot be held; `CANCELLED` when `signal` aborts; what `input` and `output` throw, which ends the module
 */
export async function runAgent(bundle: LoadedBundle, options: RunAgentOptions = {}): Promise<RunAgentResult> {
  return runVerb('runAgent', options, (given, io) => runModuleOf(bundle, given, io))
}

async function runModuleOf(
  bundle: LoadedBundle,
  options: RunAgentOptions,
  io: Setting,
): Promise<RunAgentResult> {
  const { args = [], output, timeoutMs = MODULE_LIMITS.seconds * 1000, memoryMb } = options
  const input = inputStream(options.input)
  const origin = originOf(bundle, 'run an agent')
  const audit = options.audit === undefined ? undefined : pathGiven(options.audit, io, 'write the audit log')
  const sandbox = await openSandbox(options.sandbox, { ...io, told: [options, origin.judging] })
  const agent = await runnableBundle(origin.bundle.report.target, bundle, origin.bundle.agent)
  const log = await openRunLog(audit, [agent.name, agent.entry, ...args], io)
  const running = new Running()
  const left = [...keptBack(agent.policy, io)]
  try {
    const { end, enforced, ms } = await runRecorded(
      agent,
      {
        args,
        input,
        timeoutMs,
        memoryMb,
        take: async (stream, bytes) => output?.(stream, bytes),
        onLeft: paths => left.push(...paths),
      },
      log,
      { env: io.env, signal: io.signal, running, sandbox },
    )
    return { end, enforced, durationMs: ms, left }
  } finally {
    running.end()
  }
}

function inputStream(given: RunAgentOptions['input'] = ''): AsyncIterable<Uint8Array> {
  // A copy: the caller may change his bytes while they are read.
  if (typeof given === 'string' || isUint8Array(given)) return once(Uint8Array.from(Buffer.from(given)))
  if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given) return given
  throw new UsageError(`Cannot run an agent: its input is ${kindName(given)}`, {
    field: 'input',
    expected: 'a text, a Uint8Array or an async iterable of Uint8Array',
  })
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export interface TestOptions extends SessionGiven {
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
}

/**
 * Runs the cases in `tests/*.json` of an agent's folder, one after the other, without verification.
 *
 * @example
 * const { results } = await testTools('agents/mailer')
 * for (const { name, problem } of results) if (problem !== undefined) console.log(`${name}: ${problem}`)
 *
 * @throws {@link RlpError} `LINT_FAILED` for an agent with errors, and for a file that holds no cases; `CANCELLED`
 */
export async function testPath(path: PathGiven, options: TestOptions = {}): Promise<TestedAgent> {
  return runVerb('testTools', options, async (given, io) => {
    const target = targetGiven(path, io, 'test')
    const source = await readCallable('test', target, io)
    const agent = await openSource('test', target, source, io)
    const confirm = given.yes === true ? async () => 'approved' as const : UNANSWERED
    const session = await librarySession(given, confirm, io)
    try {
      return await testAgent(target, { is: 'open', target, agent, isTrusted: false }, session, io.signal)
    } finally {
      await session.close()
    }
  })
}

export interface DevRound {
  /** Paths that changed; none in the first round. */
  readonly changed: readonly string[]
  /** How many digests were written; undefined if the manifest could not take them. */
  readonly digests: number | undefined
  /** Findings that the round before had not. */
  readonly findings: readonly Finding[]
  /** How many findings of the round before are gone. */
  readonly gone: number
  /** Why the tools from before are still served; undefined if these are. */
  readonly refused: string | undefined
  /** How many tools are served now. */
  readonly tools: number
  /** What the cases of its tools gave, with `test`. */
  readonly tested: TestedAgent | undefined
}

export interface DevOptions extends CallerOptions, SessionGiven {
  /** What the client writes: lines of JSON-RPC in chunks of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output: (text: string) => void
  /** Run the cases of {@link testTools} after each change. */
  readonly test?: boolean
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. */
  readonly trustClientConfirmation?: boolean
  /** Told after each round. */
  readonly onRound?: (round: DevRound) => void
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
}

/**
 * Follows an agent's folder while its author works in it: writes its digests, checks it, and serves its tools to one MCP client, unverified. A
 * change that cannot be served leaves the tools from before. Resolves when the input ends.
 *
 * @example
 * const output = (text: string) => void process.stdout.write(text)
 * await dev('agents/mailer', { input: process.stdin, output, onRound: ({ findings }) => console.error(findings) })
 *
 * @throws {@link RlpError} `NOT_FOUND` for a folder that is not there, `CANCELLED`
 */
export async function devPath(folder: PathGiven, options: DevOptions): Promise<void> {
  return runVerb('dev', options, async (given, io) => {
    const target = targetGiven(folder, io, 'follow')
    const { input, output, yes = false, trustClientConfirmation = false } = given
    const { onRound, onTrouble: trouble = () => {} } = given
    const session = await librarySession(given, UNANSWERED, io)
    try {
      await devAgent(
        {
          target,
          session,
          serving: { yes, trustClientConfirmation, trouble },
          streams: { input, output, signal: io.signal, trouble },
          async onRound(changed, { digests, linted, gone, served }, tools, signal) {
            const opened = served instanceof RlpError ? undefined : await served.now()
            const isTested = given.test === true && opened?.is === 'open'
            const tested = isTested ? await testAgent(target, opened, session, signal) : undefined
            const refused = served instanceof RlpError ? served.message : undefined
            onRound?.({ changed, digests, findings: linted.findings, gone, refused, tools, tested })
          },
          onUnread: error => trouble(error.message),
        },
        io,
      )
    } finally {
      await session.close()
    }
  })
}
