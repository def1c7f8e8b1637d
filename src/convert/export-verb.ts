// What the library offers for tools of other systems: out of an agent.
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Report } from '../model/report.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import type { ExportedTools } from './export.ts'
import { exportTo } from './export-to.ts'
import { openToExport } from './exported.ts'

export interface ExportOptions extends LongOptions, TrustOptions {
  /** The system whose words are wanted. */
  readonly to: string
  /** Only these tools; all where this is left out. */
  readonly ids?: readonly string[]
  /** Which of OpenAI's two shapes; `chat` where this is left out. */
  readonly api?: 'chat' | 'responses'
  /** Of `server-json`: a domain of the publisher, backwards, that is put before the agent's name. */
  readonly namespace?: string
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  readonly allowUnsigned?: boolean
}

export interface ExportResult extends ExportedTools {
  /** `source` for a source folder, which has no verdict. */
  readonly verdict: Report['verdict'] | 'source'
}

/**
 * The tools of an agent in another system's format, with everything that changed on the way. Writes nothing.
 *
 * @example
 * const { document, changes } = await exportTools('agents/mailer', { to: 'openai' })
 * console.log(JSON.stringify(document), changes.filter(({ what }) => what === 'lost'))
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `LINT_FAILED` when its tools cannot be read, `USAGE`, `CANCELLED`
 */
export async function exportPath(agent: BundleGiven, options: ExportOptions): Promise<ExportResult> {
  return runVerb('exportTools', options, async (given, io) => {
    const { to, ids, api, namespace, expect, allowUnsigned } = given
    const judged = {
      ...trustInput(given),
      expect,
      signal: io.signal,
      onProgress: io.onProgress,
      allowUnsigned: allowUnsigned === true,
    }
    const source = bundleGiven(agent, io, 'export the tools of')
    const opened = await openToExport(source.target, judgedWith(judged, source), io)
    if ('refused' in opened) throw new NotVerifiedError(opened.refused)
    const place = source.target.path
    const exported = exportTo(opened.agent, to, { before: opened.changes, ids, api, namespace, place })
    return { ...exported, verdict: opened.verdict }
  })
}
