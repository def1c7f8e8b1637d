// Runs a command on several targets, one after another. A failure of one never hides the others.
import { ERRORS, RlpError } from '../model/error.ts'
import { EXIT, type ExitCode, exitCodeOf } from '../model/exit-code.ts'
import { veiled } from '../secret/veil.ts'
import { asFlags } from '../text/flag-name.ts'
import type { GlobalArgs, Io } from './command.ts'
import { describe, renderFailure } from './failure.ts'
import { createStyle, wantsColor } from './render/style.ts'

/** A target for which the command could not run. */
export interface Failed {
  readonly target: string
  readonly error: RlpError
}

export interface Outcome<T> {
  readonly done: readonly T[]
  readonly failed: readonly Failed[]
}

/** Works on each target. With a single one an error is thrown: there is nothing else to report. */
export async function each<S extends { readonly label: string }, T>(
  targets: readonly S[],
  work: (target: S) => Promise<T>,
): Promise<Outcome<T>> {
  const done: T[] = []
  const failed: Failed[] = []
  for (const target of targets) {
    try {
      done.push(await work(target))
    } catch (error) {
      const isOurs = error instanceof RlpError && ERRORS[error.code].blame !== 'user'
      if (!isOurs || targets.length === 1) throw error
      failed.push({ target: target.label, error })
    }
  }
  return { done, failed }
}

/** What became of the one target that was named: its failure was thrown. */
export function onlyOne<T>({ done: [one] }: Outcome<T>): T {
  if (one === undefined) throw new TypeError('one target was named')
  return one
}

/** The failures of some targets for `--json`, beside the results of the others. */
export function failuresOf(failed: readonly Failed[]) {
  return failed.map(({ target, error }) => ({
    target: veiled(target),
    code: error.code,
    kind: ERRORS[error.code].kind,
    message: veiled(error.message),
    ...(error.hint !== undefined && { hint: veiled(asFlags(error.hint)) }),
  }))
}

/** The answer of a command that changes several targets. @param what the kind of the targets */
export function changedEach<K extends 'bundles' | 'agents', T extends { readonly changed: boolean }>(
  what: K,
  { done, failed }: Outcome<T>,
) {
  return {
    changed: done.some(({ changed }) => changed),
    [what]: done,
    ...(failed.length > 0 && { failed: failuresOf(failed) }),
  }
}

/** The failures of some targets for people. */
export function printFailures(io: Io, args: GlobalArgs, failed: readonly Failed[]): void {
  if (args.json || failed.length === 0) return
  const style = createStyle(wantsColor(args.color, io.env, io.isTTY.stderr))
  const columns = io.isTTY.stderr ? io.columns : undefined
  for (const { error } of failed)
    io.stderr(renderFailure(describe(error, undefined), { style, columns, see: undefined }))
}

/** A pipeline has to look at the machine first, then at the call, then at the bundle. Of verdicts the table of verdicts decides. */
const ORDER: readonly ExitCode[] = [
  EXIT.bug,
  EXIT.user,
  EXIT.machine,
  EXIT.call,
  EXIT.bundle,
  EXIT.denied,
  EXIT.ok,
]

/** The exit code of several targets: the worst. */
export function worstExit(codes: readonly ExitCode[], failed: readonly Failed[]): ExitCode {
  const all = new Set<ExitCode>([...codes, ...failed.map(({ error }) => exitCodeOf(error))])
  return ORDER.find(code => all.has(code)) ?? EXIT.ok
}
