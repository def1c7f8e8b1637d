// The function that runs the module of a loaded bundle. rlp agent run has the streams of its process, and ends as the module does.
import { isUint8Array } from 'node:util/types'
import type { ProgramStream } from '../../io/process/program.ts'
import { Running } from '../../io/process/running.ts'
import { kindName, wrongValue } from '../../model/kind-name.ts'
import { MODULE_LIMITS } from '../../model/limits.ts'
import { callback, checked, defineVerb, type Input, texts } from '../../verb/index.ts'
import { isCount } from '../../verb/kinds/numbers.ts'
import { loadedBundle } from '../loaded-inputs.ts'
import type { RunAgentResult } from '../results.ts'
import { CALLING, sandboxBy } from '../session-inputs.ts'
import { keptBack, openRunLog, runRecorded } from '../wasi/run-module.ts'
import { runnableBundle } from '../wasi/runnable.ts'

type InputGiven = string | Uint8Array | AsyncIterable<Uint8Array>

const input: Input<InputGiven, AsyncIterable<Uint8Array> | undefined> = {
  type: 'string | Uint8Array | AsyncIterable<Uint8Array>',
  isLive: true,
  fromGiven(given, { field }) {
    if (typeof given === 'string' || isUint8Array(given)) return once(Buffer.from(given))
    if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given) return given
    const expected = 'a text, a Uint8Array or an async iterable of Uint8Array'
    throw wrongValue(field, kindName(given), expected)
  },
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

type TakeGiven = (stream: ProgramStream, bytes: Uint8Array) => void | Promise<void>

const memoryMb: Input<number, number | undefined> = {
  type: 'number',
  fromGiven: checked(isCount, 'a whole number of MiB, 1 or more'),
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
export const verb = defineVerb({
  name: 'agent run',
  called: 'runAgent',
  summary: 'run the module of a verified bundle, in the sandbox',
  arguments: ['bundle'],
  inputs: {
    bundle: loadedBundle('run an agent'),
    /** Arguments of the module, behind the path of its entry. */
    args: texts('arguments of the module'),
    /** What it reads; nothing where it is left out. */
    input,
    /** Takes what it writes, while it runs; the module waits for it. Dropped where it is left out. */
    output: callback<TakeGiven>('(stream: ProgramStream, bytes: Uint8Array) => void | Promise<void>'),
    /** Milliseconds; 300,000 where it is left out. */
    timeoutMs: CALLING.timeoutMs,
    /** Memory that it may have, in MiB, within that of config.toml. */
    memoryMb,
    sandbox: CALLING.sandbox,
    /** A file that gets a line about the run. */
    audit: CALLING.audit,
  },
  async run({ bundle, args, input, output, ...asked }, world): Promise<RunAgentResult> {
    const { timeoutMs = MODULE_LIMITS.seconds * 1000, memoryMb, audit } = asked
    const { loaded, judging } = bundle
    const sandbox = await sandboxBy({ ...asked, trace: undefined }, world, judging)
    const agent = await runnableBundle(loaded.report.target, loaded, bundle.bundle.agent)
    const log = await openRunLog(audit?.path, [agent.name, agent.entry, ...args], world)
    const running = new Running()
    const left = [...keptBack(agent.policy, world)]
    try {
      const { end, enforced, ms } = await runRecorded(
        agent,
        {
          args,
          input: input ?? once(new Uint8Array()),
          timeoutMs,
          memoryMb,
          take: async (stream, bytes) => output?.(stream, bytes),
          onLeft: paths => left.push(...paths),
        },
        log,
        { env: world.env, signal: world.signal, running, sandbox },
      )
      return { end, enforced, durationMs: ms, left }
    } finally {
      running.end()
    }
  },
})
