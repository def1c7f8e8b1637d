// How a program was started and ended → the outcome of a run.
import type { ProgramEnd } from '../../io/process/program.ts'
import type { RunFacts, RunOutcome, RunRefusal } from '../../model/run.ts'
import { NOT_ENFORCED } from '../../model/sandbox.ts'
import { noticesOf } from './end.ts'

/** Nothing was started. */
export const NOTHING_RUN: RunFacts = {
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
export function sandboxFailed(why: string): RunRefusal {
  return {
    kind: 'unavailable',
    message: `Cannot start the program in the sandbox: ${why}`,
    retryable: false,
    extra: { reason: 'sandbox_failed' },
  }
}

export function runFactsOf(
  end: Extract<ProgramEnd, { started: true }>,
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

export function failedRun(refusal: RunRefusal, facts: RunFacts): RunOutcome {
  return { status: 'failed', ...refusal, facts }
}
