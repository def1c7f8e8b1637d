// What the library offers of modules: the entry of a bundle that was loaded, run once.

import { isUint8Array } from 'node:util/types'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { ProgramStream } from '../io/process/pass-output.ts'
import { Running } from '../io/process/running.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { kindName } from '../model/kind-name.ts'
import { MODULE_LIMITS } from '../model/limits.ts'
import type { Enforced, SandboxMode } from '../model/sandbox.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { type LoadedBundle, loadedFrom } from '../verify/load.ts'
import type { ModuleEnd } from './wasi/ended.ts'
import { keptBack } from './wasi/folders.ts'
import { openRunLog } from './wasi/run-log.ts'
import { runRecorded } from './wasi/run-recorded.ts'
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
  const { args = [], output, timeoutMs = MODULE_LIMITS.seconds * 1000, memoryMb, sandbox: mode } = options
  const input = inputGiven(options.input)
  const origin = loadedFrom(bundle)
  if (origin === undefined) {
    throw new UsageError('Cannot run an agent: the bundle is not one that loadBundle has given', {
      hint: 'Load the bundle first',
    })
  }
  const audit = options.audit === undefined ? undefined : pathGiven(options.audit, io, 'write the audit log')
  const { env, cwd, signal } = io
  const told = [options, origin.judging]
  const sandbox = await openSandbox({ mode, host: { env, cwd, signal, told } })
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

function inputGiven(given: RunAgentOptions['input'] = ''): AsyncIterable<Uint8Array> {
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
