// Runs a tool of transport kind "exec": one program, started without a shell, with the arguments in a private file or on its standard
// input (docs/running.md). Reads how it ended.

import { outcomeOf } from '../../agentcli/answer.ts'
import { objectIn } from '../../contract/json-text.ts'
import type { RunsAs } from '../../io/owner/mounted.ts'
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { type RunClock, startClock } from '../../io/process/run-clock.ts'
import type { Running } from '../../io/process/running.ts'
import { scriptProblem, startFailure } from '../../io/process/start-failure.ts'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import type { RunFacts, RunHost, RunOutcome, RunRefusal, RunRequest } from '../../model/run.ts'
import { NOT_ENFORCED } from '../../model/sandbox.ts'
import type { Tool } from '../../model/tools.ts'
import type { Internet } from '../../net/internet.ts'
import { reachedBy } from '../../sandbox/reach.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { keepInUse, makeScratch, removeAbandoned, removeScratch, type Scratch } from '../scratch.ts'
import { type ExecCommand, execCommand, execEnvironment, execPlan } from './plan.ts'

export interface ExecOptions {
  /** The environment of this process, from which the allowed variables are taken. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which programs start, absolute; by default an empty one, removed afterwards. */
  readonly cwd?: string | undefined
  readonly running: Running
  readonly sandbox: Sandbox
  /** For programs that are held to hosts. */
  readonly internet: Internet
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number | undefined
}

export function execHost(options: ExecOptions): RunHost {
  let isClean = false
  return {
    kind: 'exec',
    plan: ({ tool, input, limits, variables }) => {
      const prepared = execCommand(tool, input)
      if ('kind' in prepared) return { ok: false, refusal: prepared }
      if (limits.timeoutMs === Number.POSITIVE_INFINITY && limits.idleMs === undefined)
        return { ok: false, refusal: NO_LIMIT }
      const { env, cwd, sandbox } = options
      const refusal = sandbox.refusal(tool)
      if (refusal !== undefined) return { ok: false, refusal }
      return { ok: true, plan: execPlan(tool, prepared, { env, variables, cwd, limits, sandbox }) }
    },
    run: async request => {
      if (!isClean) await removeAbandoned(new Date())
      isClean = true
      const prepared = execCommand(request.tool, request.input)
      if ('kind' in prepared) return failedRun(prepared, NOTHING_RUN)
      const script = await scriptProblem(prepared.command)
      return script === undefined ? run(request, prepared, options) : failedRun(script, NOTHING_RUN)
    },
  }
}

/** Nothing would ever end a program that hangs. */
const NO_LIMIT: RunRefusal = {
  kind: 'rejected',
  message: 'The tool has no time limit (x-rlp.timeout_ms is 0), so a call of it needs an idle limit',
  extra: { reason: 'no_idle_limit' },
}

async function run(request: RunRequest, command: ExecCommand, options: ExecOptions): Promise<RunOutcome> {
  const as = await orRefused(() => options.sandbox.takeUser(request.signal))
  if (as !== undefined && 'kind' in as) return failedRun(as, NOTHING_RUN)
  return runAs(as, request, command, options).finally(() => as?.release())
}

/** What was decided before the start is not decided anew: what fails then is the call. */
async function orRefused<T>(work: () => T | Promise<T>): Promise<T | RunRefusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RlpError) return sandboxFailed(error.message)
    throw error
  }
}

async function runAs(
  as: RunsAs | undefined,
  request: RunRequest,
  command: ExecCommand,
  options: ExecOptions,
): Promise<RunOutcome> {
  const { running } = options
  const scratch = await makeScratch(request.tool.rlp.stdin ? undefined : request.text, running, as)
  if ('kind' in scratch) return failedRun(scratch, NOTHING_RUN)
  const stopMarking = keepInUse(scratch.path)
  const outcome = await runIn(scratch, as, request, command, options).finally(stopMarking)
  if (await removeScratch(scratch.path, running)) return outcome
  const notices = [...outcome.facts.notices, 'The private folder of the call could not be removed']
  return { ...outcome, facts: { ...outcome.facts, notices } }
}

async function runIn(
  scratch: Scratch,
  as: RunsAs | undefined,
  request: RunRequest,
  command: ExecCommand,
  options: ExecOptions,
): Promise<RunOutcome> {
  const { limits, signal, tool } = request
  const clock = startClock(limits.timeoutMs, signal, ownMembers(limits).idleMs)
  try {
    const early = clock.verdict(tool.id)
    return early === undefined
      ? await runHeld(await toStart(scratch, as, request, command, options), clock, request, options)
      : failedRun(early, NOTHING_RUN)
  } finally {
    clock.stop()
  }
}

/** The program as it is started: in its sandbox. */
async function toStart(
  { path, work, argumentsFile }: Scratch,
  as: RunsAs | undefined,
  { tool, secrets, variables, programs, limits }: RunRequest,
  { command, args }: ExecCommand,
  { env: parent, cwd = work, sandbox, internet }: ExecOptions,
): Promise<ToStart> {
  const { env } = execEnvironment(tool, parent, { variables, secrets })
  const program = {
    command,
    env,
    cwd,
    args: argumentsFile === undefined ? args : [argumentsFile, ...args],
  }
  const own = [
    { path: work, isWritable: true },
    ...(argumentsFile === undefined ? [] : [{ path: argumentsFile, isWritable: false }]),
  ]
  const { timeoutMs } = limits
  const what = {
    profile: sandbox.profile(tool),
    program,
    own,
    programs,
    as,
    scratch: path,
    timeoutMs,
    internet,
  }
  return { program, held: await orRefused(() => sandbox.hold(what)) }
}

interface ToStart {
  readonly program: { readonly command: string; readonly args: readonly string[]; readonly cwd: string }
  readonly held: ReturnType<Sandbox['hold']>
}

async function runHeld(
  { program: { command, args, cwd }, held }: ToStart,
  clock: RunClock,
  { tool, text, limits }: RunRequest,
  { running, graceMs, sandbox }: ExecOptions,
): Promise<RunOutcome> {
  if ('kind' in held) return failedRun(held, NOTHING_RUN)
  const begun = performance.now()
  const { line, env, streams, innerGroup, enforced } = held
  const end = await runProgram({
    ...line,
    env,
    cwd: held.cwd,
    streams,
    innerGroup,
    signal: clock.signal,
    running,
    graceMs,
    stdin: tool.rlp.stdin ? text : undefined,
    outputBytes: limits.outputBytes,
    errorBytes: limits.errorBytes,
    onOutput: clock.touch,
  })
  const verdict = clock.verdict(tool.id, end.started)
  const seen = { ms: Math.round(performance.now() - begun), argv: [command, ...args], cwd }
  if (!end.started) {
    const { code } = end.error
    const isHeld = line.command !== command
    const refusal = isHeld ? sandboxFailed(`the system says ${code}`) : await startFailure(command, code)
    return failedRun(refusal, { ...NOTHING_RUN, ...seen })
  }
  const failure = held.failure(end.stderr.text)
  // Ended before it was started: by the clock, or because something of the sandbox failed.
  if (failure !== undefined) return failedRun(verdict ?? sandboxFailed(failure), { ...NOTHING_RUN, ...seen })
  const told = held.ended(end)
  const facts = runFactsOf(told, limits.outputBytes, { ...seen, enforced }, held.notices())
  const remarks = end.stderr.text === '' ? {} : { remarks: end.stderr.text }
  // A program that was stopped has not answered, whatever it printed before its end.
  const answer: { readonly output: string } | RunRefusal = verdict ?? readEnd(told)
  if (!('kind' in answer)) return { status: 'answered', ...answer, facts, ...remarks }
  // A folder that is out of reach looks like one that is not there.
  const notices = [...facts.notices, ...reachedBy(tool, argsOf(tool), enforced, sandbox)]
  return { ...failedRun(answer, { ...facts, notices }), ...remarks }
}

function argsOf({ transport }: Tool): readonly string[] {
  return transport.kind === 'exec' ? transport.args : []
}

/** Nothing was started. */
const NOTHING_RUN: RunFacts = {
  started: false,
  exit: -1,
  ms: 0,
  outputBytes: 0,
  errorBytes: 0,
  truncated: false,
  notices: [],
  enforced: NOT_ENFORCED,
}

/** What was decided before the start is not decided anew: the call has failed, and is not run with less. */
function sandboxFailed(why: string): RunRefusal {
  return {
    kind: 'unavailable',
    message: `Cannot start the program in the sandbox: ${why}`,
    retryable: false,
    extra: { reason: 'sandbox_failed' },
  }
}

function runFactsOf(
  end: Ended,
  keptBytes: number,
  seen: Pick<RunFacts, 'ms' | 'argv' | 'cwd' | 'enforced'>,
  ofSandbox: readonly string[],
): RunFacts {
  const { exitCode, stdout, stderr } = end
  return {
    ...seen,
    started: true,
    exit: exitCode ?? -1,
    outputBytes: stdout.bytes,
    errorBytes: stderr.bytes,
    truncated: stdout.isCut || stderr.isCut,
    notices: [...noticesOf(end, keptBytes), ...ofSandbox],
  }
}

function failedRun(refusal: RunRefusal, facts: RunFacts): RunOutcome {
  return { status: 'failed', ...refusal, facts }
}

type Ended = Extract<ProgramEnd, { started: true }>

/** The answer, or the reason why there is none. */
function readEnd(end: Ended): { readonly output: string } | RunRefusal {
  const { exitCode, signal, stdout, stderr } = end
  const outcome = outcomeOf({
    timedOut: false,
    exitCode,
    signal,
    stdout: stdout.text,
    stderr: stderr.text.trim(),
  })
  // A tool that fails by the contract prints its failure to standard output, and most exit with 1 too.
  if (outcome.ok || isFailureEnvelope(stdout.text)) return { output: stdout.text }
  return {
    kind: 'execution_error',
    message: errorIn(outcome.error),
    ...(stderr.text.trim() !== '' && { isQuoted: true }),
    extra: exitCode === null ? { signal: signal ?? 'unknown' } : { exit: exitCode },
  }
}

/** Notices about output that was cut or is not text. */
function noticesOf({ stdout, isStuck }: Ended, keptBytes: number): string[] {
  return [
    ...(isStuck ? ['The program did not end when it was killed'] : []),
    ...(stdout.isCut
      ? [`The tool printed ${stdout.bytes} bytes, of which the first ${keptBytes} were read`]
      : []),
    ...(stdout.isText ? [] : ['The tool’s output is not UTF-8: invalid bytes are shown as U+FFFD']),
  ]
}

function isFailureEnvelope(text: string): boolean {
  const object = objectIn(text)
  return object !== undefined && Object.hasOwn(object, 'kind') && object['ok'] === false
}

/** Programs made for agentcli write one line of JSON with the member `error`. */
function errorIn(text: string): string {
  const error = objectIn(text)?.['error']
  return typeof error === 'string' && error.trim() !== '' ? error : text
}
