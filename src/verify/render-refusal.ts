// A bundle with a verdict against it → the refusal, with the exit code of verify.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import { writePath } from '../format/text/shell-words.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'

/** @param doing for the message: `call a tool of` */
export function refuseBundle(
  { verdict, reasons, target, skipped }: Report,
  { doing, tool }: { readonly doing: string; readonly tool: string },
  args: GlobalArgs,
  io: Io,
): ExitCode {
  // A required signature cannot be waived by any flag, so the hint must not suggest one.
  const required = reasons.find(({ code }) => code === 'signature_required')
  const reason = required ?? reasons[0]
  const message = `Cannot ${doing} "${target}": ${verdict}: ${reason?.message ?? ''}`
  const hint =
    verdict === 'unsigned'
      ? required
        ? SIGN_IT
        : `${SIGN_IT}. ${WAIVE_IT}`
      : (reason?.hint ?? `rlp agent verify ${writePath(target)} shows what was checked`)
  printRefusal(io, args, {
    tool,
    error: new RlpError('NOT_VERIFIED', message, { hint }),
    extra: { reason: verdict, verdict, reasons, skipped },
    body: () => [],
  })
  return VERDICTS[verdict].exit as ExitCode
}

const SIGN_IT = 'Ask its author to sign it with rlp agent sign'
const WAIVE_IT = 'If you know where it comes from, --allow-unsigned uses it, without secrets'
