// The options of the commands for rlp.lock, and what they mean.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { printRefusal } from '../cli/render/refusal.ts'
import { expandHome } from '../io/home.ts'
import { RlpError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { LOCK_FILE } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { renderRefused } from '../verify/render.ts'
import type { ExamineOptions } from '../verify/verify-file.ts'
import type { LockPlace } from './lock-file.ts'

export const LOCK_OPTION = {
  type: 'string',
  placeholder: 'FILE',
  default: LOCK_FILE,
  describe: 'which lock',
} as const

/** For commands that read bundles. */
export const JUDGING = { ...TRUST_OPTIONS, ...REGISTRY_OPTIONS } as const

type TrustArgs = Parameters<typeof trustOf>[0]

export function lockPlace({ lock }: { readonly lock: string }, io: Io): LockPlace {
  return { path: resolve(io.cwd, expandHome(lock)), label: lock }
}

export function examining(args: TrustArgs, io: Io): ExamineOptions {
  return { ...trustOf(args, io), onProgress: io.onProgress }
}

/** Only what is trusted is locked: word and exit code are those of verify. */
export function notTrusted(
  reports: readonly Report[],
  doing: string,
  tool: string,
  args: GlobalArgs,
  io: Io,
): ExitCode {
  const words = Object.keys(VERDICTS)
  const [first] = [...reports].sort((a, b) => words.indexOf(a.verdict) - words.indexOf(b.verdict))
  if (first === undefined) throw new TypeError('a bundle was refused')
  const { verdict, reasons, target, skipped } = first
  const message = `Cannot ${doing} "${target}": ${verdict}: ${reasons[0]?.message ?? ''}`
  const hint = verdict === 'unsigned' ? 'Ask its author to sign it with rlp agent sign' : reasons[0]?.hint
  printRefusal(io, args, {
    tool,
    error: new RlpError('NOT_VERIFIED', message, { hint }),
    extra: {
      reason: verdict,
      verdict,
      reasons,
      skipped,
      refused: reports.map(one => ({ target: one.target, verdict: one.verdict })),
    },
    body: style => reports.map(one => renderRefused(one, style, io.columns).trimEnd()),
  })
  const { exit } = VERDICTS[verdict]
  return exit as ExitCode
}
