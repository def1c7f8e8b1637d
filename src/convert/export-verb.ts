// What the library offers for tools of other systems: out of an agent.
import type { Target } from '../io/find/find-agents.ts'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { type BundleGiven, bundleTarget } from '../verify/bundle-input.ts'
import { judgedWith } from '../verify/bundle-inputs.ts'
import { judgingInput, type TrustOptions } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { type ExportResult, exportFrom } from './export-from.ts'

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
  /** Write the document there. */
  readonly out?: PathGiven
  /** Write there which tool has which other name; {@link importTools} takes it as `names`. */
  readonly names?: PathGiven
  /** Replace files that hold something else. */
  readonly force?: boolean
  /** Write nothing, and leave the document out, if a fact would be lost. */
  readonly failOnLoss?: boolean
}

/**
 * The tools of an agent in another system's format, with everything that changed on the way. Writes nothing but the files that `out` and
 * `names` name.
 *
 * @example
 * const { document, changes } = await exportTools('agents/mailer', { to: 'openai' })
 * console.log(JSON.stringify(document), changes.filter(({ what }) => what === 'lost'))
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `LINT_FAILED` when its tools cannot be read, `USAGE`, `CANCELLED`; `EXISTS` without `force`
 */
export async function exportPath(agent: BundleGiven, options: ExportOptions): Promise<ExportResult> {
  return runVerb('exportTools', options, async (given, io) => {
    const { to, ids, api, namespace, expect, allowUnsigned, out, names, force, failOnLoss } = given
    const judged = { ...judgingInput(given, io), expect, allowUnsigned: allowUnsigned === true }
    const source = bundleTarget(agent, io, 'export the tools of')
    const exporting = {
      to,
      ids,
      api,
      namespace,
      out: fileGiven(out, io),
      names: fileGiven(names, io),
      force: force === true,
      failOnLoss: failOnLoss === true,
    }
    const exported = await exportFrom(source.target, judgedWith(judged, source), exporting, io)
    if ('refused' in exported) throw new NotVerifiedError(exported.refused)
    return exported.answer
  })
}

function fileGiven(given: PathGiven | undefined, io: Setting): Target | undefined {
  if (given === undefined) return undefined
  const path = pathGiven(given, io, 'export into')
  return { path, label: typeof given === 'string' ? given : path }
}
