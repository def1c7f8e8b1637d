// Exports the tools of an agent, and writes the files that hold them: the same for the command and the library.
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { writeResult } from '../io/write/new-files.ts'
import type { Report } from '../model/report.ts'
import type { Judging } from '../verify/examine.ts'
import { type ExportedTools, exportText } from './export.ts'
import { exportTo } from './export-to.ts'
import { openToExport } from './exported.ts'

export interface ExportResult extends ExportedTools {
  /** The agent or file of the tools, as the caller named it. */
  readonly target: string
  /** `source` for a source folder, which has no verdict. */
  readonly verdict: Report['verdict'] | 'source'
  readonly format: string
  /** The files that hold the document and the names, as the caller called them. */
  readonly files: readonly string[]
  /** Whether one of them is new, or has other content now. */
  readonly changed: boolean
}

export interface Exporting {
  readonly to: string
  readonly ids: readonly string[] | undefined
  readonly api: 'chat' | 'responses' | undefined
  readonly namespace: string | undefined
  /** The file of the document. */
  readonly out: Target | undefined
  /** The file of the other names. */
  readonly names: Target | undefined
  readonly force: boolean
  readonly failOnLoss: boolean
}

export type ExportOutcome =
  | {
      readonly answer: ExportResult
      /** Nothing was written, because a fact would be lost. */
      readonly isLossy: boolean
    }
  | { readonly refused: Report }

export async function exportFrom(
  target: Target,
  judged: Judging,
  { to, out, names, force, failOnLoss, ...asked }: Exporting,
  io: Setting,
): Promise<ExportOutcome> {
  const opened = await openToExport(target, judged, io)
  if ('refused' in opened) return opened
  const exported = exportTo(opened.agent, to, { ...asked, before: opened.changes, place: target.path })
  const { document, changes } = exported
  const isLossy = failOnLoss && changes.some(({ what }) => what === 'lost')
  // The names are written first, so that an export never exists without them.
  const files = [
    ...(names === undefined || isLossy ? [] : [{ ...names, text: exportText(exported.names) }]),
    ...(out === undefined || isLossy ? [] : [{ ...out, text: exportText(document) }]),
  ]
  const changed = await writeResult(files, { force, signal: io.signal })
  const answer = {
    ...exported,
    document: out === undefined && !isLossy ? document : undefined,
    target: target.label,
    verdict: opened.verdict,
    format: to,
    files: files.map(({ label }) => label),
    changed,
  }
  return { answer, isLossy }
}
