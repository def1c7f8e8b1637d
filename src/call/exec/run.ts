// Runs a tool of transport kind "exec": one program, started without a shell, with the arguments in a private file or on its standard input
// (docs/running.md).
import { type ProgramEnd, runProgram } from '../../io/process/program.ts'
import { startClock } from '../../io/process/run-clock.ts'
import type { Running } from '../../io/process/running.ts'
import { scriptProblem, startFailure } from '../../io/process/start-failure.ts'
import type { RunFacts, RunHost, RunOutcome, RunRefusal, RunRequest } from '../../model/run.ts'
import { keepInUse, makeScratch, removeAbandoned, removeScratch, type Scratch } from '../scratch.ts'
import { noticesOf, readEnd } from './end.ts'
import { execEnvironment } from './environment.ts'
import { type ExecCommand, execCommand, execPlan } from './plan.ts'

export interface ExecOptions {
  /** The environment of this process, from which the allowed variables are taken. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which programs start, absolute; by default an empty one, removed afterwards. */
  readonly cwd?: string | undefined
  readonly running: Running
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number | undefined
}

export function execHost(options: ExecOptions): RunHost {
  let isClean = false
  return {
    kind: 'exec',
    plan: ({ tool, input, limits }) => {
      const prepared = execCommand(tool, input)
      if ('kind' in prepared) return { ok: false, refusal: prepared }
      if (limits.timeoutMs === Number.POSITIVE_INFINITY && limits.idleMs === undefined)
        return { ok: false, refusal: NO_LIMIT }
      const { env, cwd } = options
      return { ok: true, plan: execPlan(tool, prepared, { env, cwd, limits }) }
    },
    run: async request => {
      if (!isClean) await removeAbandoned(new Date())
      isClean = true
      const prepared = execCommand(request.tool, request.input)
      if ('kind' in prepared) return failed(prepared, NOTHING)
      const script = await scriptProblem(prepared.command)
      return script === undefined ? run(request, prepared, options) : failed(script, NOTHING)
    },
  }
}

/** Nothing would ever end a program that hangs. */
const NO_LIMIT: RunRefusal = {
  kind: 'rejected',
  message: 'The tool has no time limit (x-rlp.timeout_ms is 0), so a call of it needs an idle limit',
  extra: { reason: 'no_idle_limit' },
}

const NOTHING: RunFacts = {
  started: false,
  exit: -1,
  ms: 0,
  outputBytes: 0,
  errorBytes: 0,
  truncated: false,
  notices: [],
}

async function run(request: RunRequest, command: ExecCommand, options: ExecOptions): Promise<RunOutcome> {
  const { running } = options
  const scratch = await makeScratch(request.tool.rlp.stdin ? undefined : request.text, running)
  if ('kind' in scratch) return failed(scratch, NOTHING)
  const stopMarking = keepInUse(scratch.path)
  const outcome = await runIn(scratch, request, command, options).finally(stopMarking)
  if (await removeScratch(scratch.path, running)) return outcome
  const notices = [...outcome.facts.notices, 'The private folder of the call could not be removed']
  return { ...outcome, facts: { ...outcome.facts, notices } }
}

async function runIn(
  { work, argumentsFile }: Scratch,
  { tool, text, secrets, limits, signal }: RunRequest,
  { command, args }: ExecCommand,
  options: ExecOptions,
): Promise<RunOutcome> {
  const begun = performance.now()
  const { env } = execEnvironment(tool, options.env, secrets)
  const argv = argumentsFile === undefined ? args : [argumentsFile, ...args]
  const cwd = options.cwd ?? work
  const clock = startClock(limits.timeoutMs, signal, limits.idleMs)
  const early = clock.verdict(tool.id)
  if (early !== undefined) {
    clock.stop()
    return failed(early, NOTHING)
  }
  const end = await runProgram({
    ...{ command, args: argv, env, cwd, signal: clock.signal, running: options.running },
    ...(tool.rlp.stdin && { stdin: text }),
    graceMs: options.graceMs,
    ...{ outputBytes: limits.outputBytes, errorBytes: limits.errorBytes, onOutput: clock.touch },
  })
  const verdict = clock.verdict(tool.id, end.started)
  clock.stop()
  const seen = { ms: Math.round(performance.now() - begun), argv: [command, ...argv], cwd }
  if (!end.started) return failed(await startFailure(command, end.error.code), { ...NOTHING, ...seen })
  const facts = factsOf(end, limits.outputBytes, seen)
  const remarks = end.stderr.text === '' ? {} : { remarks: end.stderr.text }
  // A program that was stopped has not answered, whatever it printed before its end.
  const answer: { readonly output: string } | RunRefusal = verdict ?? readEnd(end)
  return 'kind' in answer
    ? { ...failed(answer, facts), ...remarks }
    : { status: 'answered', ...answer, facts, ...remarks }
}

function factsOf(
  end: Extract<ProgramEnd, { started: true }>,
  keptBytes: number,
  seen: Pick<RunFacts, 'ms' | 'argv' | 'cwd'>,
): RunFacts {
  const { exitCode, stdout, stderr } = end
  return {
    ...seen,
    started: true,
    exit: exitCode ?? -1,
    outputBytes: stdout.bytes,
    errorBytes: stderr.bytes,
    truncated: stdout.isCut || stderr.isCut,
    notices: noticesOf(end, keptBytes),
  }
}

function failed(refusal: RunRefusal, facts: RunFacts): RunOutcome {
  return { status: 'failed', ...refusal, facts }
}
