// What the library offers for looking into bundles: one, or two and what changed between them.
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Report } from '../model/report.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { type ComparedSide, compared } from './compared.ts'
import { type AgentDiff, diffAgents } from './diff.ts'
import { type Inspected, inspect } from './inspected.ts'
import { seeBundle, wrongContents } from './look-into.ts'

export interface CompareOptions extends LongOptions, TrustOptions {}

export interface DiffResult extends AgentDiff {
  readonly before: ComparedSide
  readonly after: ComparedSide
}

export interface InspectResult extends Inspected {
  /** The same report that {@link verifyBundle} gives. Its verdict comes first: contents of a bundle that is not trusted are claims. */
  readonly report: Report
  /** What is wrong with the contents, whatever the verdict; undefined where nothing is. */
  readonly wrong: string | undefined
}

/**
 * Compares two bundles, unpacked bundles or agents' folders: first what the second may do that the first may not, then tools, schemas and
 * files.
 *
 * @example
 * const { widened } = await diff('dist/mailer-0.1.0.agent.bundle', 'agents/mailer', { home: false })
 * if (widened.length > 0) console.log('it may do more than before')
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for an invalid bundle, which is not compared; `IO` for one that cannot be read; `CANCELLED`
 */
export async function diffPaths(
  before: BundleGiven,
  after: BundleGiven,
  options: CompareOptions = {},
): Promise<DiffResult> {
  return runVerb('diff', options, async (given, io) => {
    const [first, second] = [bundleGiven(before, io, 'compare'), bundleGiven(after, io, 'compare')]
    const examined = { ...trustInput(given), signal: io.signal, onProgress: io.onProgress }
    const old = await compared(first.target, judgedWith(examined, first), io)
    const now = await compared(second.target, judgedWith(examined, second), io)
    return { ...diffAgents(old.agent, now.agent), before: old.side, after: now.side }
  })
}

/**
 * Everything that is in a bundle, and the verdict on it, whatever that is.
 *
 * @example
 * const { report, tools } = await inspect('dist/mailer-0.1.0.agent.bundle', { home: false })
 * console.log(report.verdict, tools?.map(({ id, exposed }) => [id, exposed]))
 *
 * @throws {@link RlpError} `NOT_FOUND` and the like for a bundle that cannot be read, `CANCELLED`
 */
export async function inspectPath(bundle: BundleGiven, options: CompareOptions = {}): Promise<InspectResult> {
  return runVerb('inspect', options, async (given, io) => {
    const source = bundleGiven(bundle, io, 'inspect')
    const seen = await seeBundle(
      source.target,
      judgedWith({ ...trustInput(given), signal: io.signal, onProgress: io.onProgress }, source),
    )
    if (seen.unread !== undefined) throw seen.unread
    return { ...inspect(seen), report: seen.report, wrong: wrongContents(seen.report) }
  })
}
