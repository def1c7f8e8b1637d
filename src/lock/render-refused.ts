// Says which bundles were not locked, because they are not trusted.
import type { Io } from '../cli/command.ts'
import type { Style } from '../cli/render/style.ts'
import type { RlpError } from '../model/error.ts'
import { judgedRefusal, renderRefused } from '../verify/render.ts'
import { NotLockedError } from './add.ts'

/** Only what is trusted is locked: word and exit code are those of verify. */
export function notTrusted(error: RlpError, { io }: { readonly io: Pick<Io, 'columns'> }) {
  if (!(error instanceof NotLockedError)) return undefined
  const { report, reports } = error
  const refusing = {
    doing: 'lock',
    hint: report.verdict === 'unsigned' ? 'Ask its author to sign it with rlp agent sign' : undefined,
    extra: { refused: reports.map(({ target, verdict }) => ({ target, verdict })) },
    body: (style: Style) => reports.map(one => renderRefused(one, style, io.columns).trimEnd()),
  }
  return judgedRefusal(report, refusing, io)
}
