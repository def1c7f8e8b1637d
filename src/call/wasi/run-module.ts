// A module, its arguments and its input → how it ended, in the sandbox. What it writes is handed on while it runs.
import { join } from 'node:path'
import type { RunsAs } from '../../io/owner/mounted-way.ts'
import type { TakeOutput } from '../../io/process/pass-output.ts'
import { runProgram } from '../../io/process/program.ts'
import { startClock } from '../../io/process/run-clock.ts'
import type { Running } from '../../io/process/running.ts'
import type { Setting } from '../../io/setting.ts'
import { RlpError } from '../../model/error.ts'
import { MODULE_LIMITS } from '../../model/limits.ts'
import type { Enforced } from '../../model/sandbox.ts'
import type { Held } from '../../sandbox/kinds/kind.ts'
import { programsOf } from '../../sandbox/programs.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import {
  keepInUse,
  makeScratch,
  placeInScratch,
  removeAbandoned,
  removeScratch,
  type Scratch,
} from '../scratch.ts'
import { type ModuleEnd, readEnded } from './ended.ts'
import { engineFlags, withEngine } from './engine.ts'
import { fileGrants, openedFolders } from './folders.ts'
import { heldBack } from './held-back.ts'
import type { RunnableAgent } from './runnable.ts'
import { runnerFile } from './runner-file.ts'

export interface ModuleRun {
  /** Behind the name of the module. */
  readonly args: readonly string[]
  /** Undefined for an empty input. */
  readonly input: AsyncIterable<Uint8Array> | undefined
  readonly take: (...taken: [...Parameters<TakeOutput>, signal: AbortSignal]) => Promise<void>
  readonly timeoutMs: number
  readonly memoryMb: number | undefined
  /** Told of granted files and folders that the module does not get. */
  onLeft(paths: readonly string[]): void
}

export interface RanModule {
  readonly end: ModuleEnd
  readonly enforced: Enforced
  readonly memoryMb: number
  readonly ms: number
  readonly outputBytes: number
  readonly errorBytes: number
}

export interface ModuleHost extends Pick<Setting, 'env' | 'signal'> {
  readonly running: Running
  readonly sandbox: Sandbox
}

/** @throws RlpError UNENFORCED if it cannot be held, IO if it cannot be started */
export async function runModule(agent: RunnableAgent, run: ModuleRun, host: ModuleHost): Promise<RanModule> {
  await removeAbandoned(new Date())
  const as = await host.sandbox.takeUser(host.signal)
  const scratch = await makeScratch(undefined, host.running, as)
  try {
    if ('kind' in scratch) throw new RlpError('IO', scratch.message)
    const stopMarking = keepInUse(scratch.path)
    try {
      return await runIn(scratch, as, agent, run, host)
    } finally {
      stopMarking()
      await removeScratch(scratch.path, host.running)
    }
  } finally {
    as?.release()
  }
}

async function runIn(
  scratch: Scratch,
  as: RunsAs | undefined,
  agent: RunnableAgent,
  run: ModuleRun,
  { env, running, sandbox, signal }: ModuleHost,
): Promise<RanModule> {
  const { args, timeoutMs, memoryMb } = run
  const profile = sandbox.profile({
    capabilities: fileGrants(agent.policy, { env }),
    rlp: { memoryMb },
  })
  const runner = await runnerFile()
  const held = sandbox.hold({
    profile: withEngine(profile),
    program: {
      command: process.execPath,
      args: [...engineFlags(profile.limits.memoryMb), join(scratch.path, runner.name)],
      env: {},
      cwd: scratch.work,
    },
    own: [
      { path: scratch.path, isWritable: false },
      { path: scratch.work, isWritable: true },
    ],
    scratch: scratch.path,
    timeoutMs,
    programs: programsOf(agent.tools),
    as,
  })
  if ('kind' in held) throw new RlpError('UNENFORCED', held.message)
  const { folders, left } = openedFolders(profile)
  run.onLeft(left)
  await placeInScratch(scratch, {
    [runner.name]: runner.bytes,
    'module.wasm': agent.module,
    'run.json': Buffer.from(JSON.stringify({ args: [agent.entry, ...args], folders })),
  })
  return started(held, scratch, agent, run, { running, signal, memoryMb: profile.limits.memoryMb })
}

async function started(
  held: Held,
  { work }: Scratch,
  { label }: RunnableAgent,
  { input, take, timeoutMs }: ModuleRun,
  { running, signal, memoryMb }: Pick<ModuleHost, 'running' | 'signal'> & Pick<RanModule, 'memoryMb'>,
): Promise<RanModule> {
  const { line, env, cwd, streams, innerGroup, enforced } = held
  const clock = startClock(timeoutMs, signal)
  const begun = performance.now()
  const output = heldBack(held, (...taken) => take(...taken, clock.signal))
  try {
    const end = await runProgram({
      ...line,
      env,
      cwd,
      streams,
      innerGroup,
      running,
      signal: clock.signal,
      stdin: input,
      take: output.take,
      outputBytes: 0,
      errorBytes: MODULE_LIMITS.startBytes,
    })
    if (!end.started) throw notStarted(label, `the system says ${end.error.code}`)
    const stopped = signal.aborted ? 'stopped' : clock.signal.aborted ? 'late' : undefined
    const failure = held.failure(end.stderr.text)
    if (failure !== undefined && stopped === undefined) throw notStarted(label, failure)
    await output.rest()
    return {
      end: stopped === undefined ? await readEnded(work, held.ended(end)) : { is: stopped },
      enforced,
      memoryMb,
      ms: Math.round(performance.now() - begun),
      outputBytes: end.stdout.bytes,
      errorBytes: end.stderr.bytes,
    }
  } finally {
    clock.stop()
  }
}

/** What was decided before the start is not decided anew: the run has failed, and is not made with less. */
function notStarted(label: string, why: string): RlpError {
  return new RlpError('IO', `Cannot start "${label}" in the sandbox: ${why}`, {
    hint: 'rlp doctor says what works here',
  })
}
