// A bundle that --if-trusted refused → what is said of it, and the exit code.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { VERDICTS } from '../model/verdict.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { renderRefused } from '../verify/render.ts'

/** Of one bundle that is not trusted: word and exit code are those of verify. */
export function refusedBy(error: unknown, args: GlobalArgs, io: Io): ExitCode {
  if (!(error instanceof NotVerifiedError)) throw error
  const { verdict, report } = error
  printRefusal(io, args, {
    tool: 'agent.sign',
    error,
    extra: { reason: verdict, verdict, reasons: report.reasons, skipped: report.skipped },
    body: style => [renderRefused(report, style, io.columns).trimEnd()],
  })
  return VERDICTS[verdict].exit as ExitCode
}
