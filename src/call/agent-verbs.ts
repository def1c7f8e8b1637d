// The functions of the library that do what rlp agent run, test and dev do.
import { isUint8Array } from 'node:util/types'
import { type CallerOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { ProgramStream } from '../io/process/program.ts'
import { Running } from '../io/process/running.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { kindName } from '../model/kind-name.ts'
import { MODULE_LIMITS } from '../model/limits.ts'
import type { Enforced, SandboxMode } from '../model/sandbox.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import type { LoadedBundle } from '../verify/load.ts'
import { type TestedAgent, testAgent } from './cases.ts'
import { UNANSWERED } from './context.ts'
import { devAgent } from './dev.ts'
import { openSource, originOf, readCallable } from './open-agent.ts'
import { librarySession, type SessionGiven } from './session.ts'
import { keptBack, type ModuleEnd, openRunLog, runRecorded } from './wasi/run-module.ts'
import { runnableBundle } from './wasi/runnable.ts'

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
  return runVerb('runAgent', options, (given, io) => runJob(bundle, given, io))
}

async function runJob(bundle: LoadedBundle, options: RunAgentOptions, io: Setting): Promise<RunAgentResult> {
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
