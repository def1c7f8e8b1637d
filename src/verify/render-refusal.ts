// A bundle with a verdict against it → the refusal, with the exit code of verify.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { printRefusal, type Refused } from '../cli/render/refusal.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import type { Reason, Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { writePath } from '../text/shell-words.ts'
import { renderRefused } from './render.ts'
import { saysPackIt } from './source-folder.ts'

interface Refusing extends Partial<Omit<Refused, 'tool'>> {
  /** For the message: `install`. */
  readonly doing: string
  readonly tool: string
  /** In place of the first one. */
  readonly reason?: Reason | undefined
  /** In place of that of the reason. */
  readonly hint?: string | undefined
  /** What kept the bundle from being read: that is the whole story then. */
  readonly unread?: RlpError | undefined
}

/** Word and exit code are those of verify, and for people its checks come first. */
export function refuseJudged(
  report: Report,
  { doing, tool, reason = report.reasons[0], hint, unread, extra, body }: Refusing,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const { verdict, reasons, target, skipped } = report
  const message = `Cannot ${doing} "${target}": ${verdict}: ${reason?.message ?? ''}`
  printRefusal(io, args, {
    tool,
    error: unread ?? new RlpError('NOT_VERIFIED', message, { hint: hint ?? reason?.hint }),
    extra: { reason: verdict, verdict, reasons, skipped, ...extra },
    body: style => (unread ? [] : (body?.(style) ?? [renderRefused(report, style, io.columns).trimEnd()])),
  })
  return VERDICTS[verdict].exit as ExitCode
}

/**
 * The same for a bundle that is not looked at, but used: one line.
 * @param doing for the message: `call a tool of`
 */
export function refuseBundle(
  report: Report,
  { doing, tool }: { readonly doing: string; readonly tool: string },
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const { verdict, reasons, target } = report
  // A required signature cannot be waived by any flag, so the hint must not suggest one.
  const required = reasons.find(({ code }) => code === 'signature_required')
  const unsigned = required ? SIGN_IT : `${SIGN_IT}. ${WAIVE_IT}`
  const reason = required ?? reasons[0]
  const looked = reason?.hint ?? `rlp agent verify ${writePath(target)} shows what was checked`
  const hint = verdict === 'unsigned' && !saysPackIt(reasons) ? unsigned : looked
  return refuseJudged(report, { doing, tool, reason, hint, body: () => [] }, args, io)
}

const SIGN_IT = 'Ask its author to sign it with rlp agent sign'
const WAIVE_IT = 'If you know where it comes from, --allow-unsigned uses it, without secrets'
