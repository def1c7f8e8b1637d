// The options that the commands for rlp.lock share.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { Style } from '../cli/render/style.ts'
import { namedPath } from '../io/home.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { LOCK_FILE } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { refuseJudged, renderRefused } from '../verify/render.ts'
import type { LockPlace } from './lock-file.ts'

export const LOCK_OPTION = {
  type: 'string',
  placeholder: 'FILE',
  default: LOCK_FILE,
  describe: 'which lock',
} as const

/** For commands that take one bundle in. */
export const EXPECT_OPTION = {
  type: 'string',
  placeholder: 'NAME[@VARIANT][@RANGE]',
  describe:
    'which agent the bundle has to be; of a repository without a tag the newest version in the range is taken',
} as const

export function lockPlace({ lock }: { readonly lock: string }, io: Io): LockPlace {
  return { path: namedPath(lock, io.cwd), label: lock }
}

/** Only what is trusted is locked: word and exit code are those of verify. */
export function notTrusted(reports: readonly Report[], tool: string, args: GlobalArgs, io: Io): ExitCode {
  const words = Object.keys(VERDICTS)
  const [first] = [...reports].sort((a, b) => words.indexOf(a.verdict) - words.indexOf(b.verdict))
  if (first === undefined) throw new TypeError('a bundle was refused')
  const refusing = {
    doing: 'lock',
    tool,
    hint: first.verdict === 'unsigned' ? 'Ask its author to sign it with rlp agent sign' : undefined,
    extra: { refused: reports.map(({ target, verdict }) => ({ target, verdict })) },
    body: (style: Style) => reports.map(one => renderRefused(one, style, io.columns).trimEnd()),
  }
  return refuseJudged(first, refusing, args, io)
}
