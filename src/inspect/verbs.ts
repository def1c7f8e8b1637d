// The functions of the library that look into bundles: into one, or into two and what changed between them.
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type BundleGiven, bundleTarget } from '../verify/bundle-input.ts'
import { judgedWith } from '../verify/bundle-inputs.ts'
import { judgingInput, type TrustOptions } from '../verify/input.ts'
import { compared, comparison, type DiffResult } from './compared.ts'
import { type InspectResult, inspectedBundle } from './inspected-bundle.ts'
import { seeBundle } from './look-into.ts'

export interface CompareOptions extends LongOptions, TrustOptions {}

export interface InspectOptions extends CompareOptions {
  /** Another version: what is new since then is in `against`. It is compared as {@link diff} compares it. */
  readonly against?: BundleGiven
}

/**
 * Compares two bundles, unpacked bundles or agents' folders: first what the second may do that the first may not, then tools, schemas and
 * files.
 *
 * @example
 * const { passed, widened } = await diff('dist/mailer-0.1.0.agent.bundle', 'agents/mailer', { home: false })
 * if (!passed) console.log('it may do more than before', widened)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for an invalid bundle, which is not compared; `IO` for one that cannot be read; `CANCELLED`
 */
export async function diffPaths(
  before: BundleGiven,
  after: BundleGiven,
  options: CompareOptions = {},
): Promise<DiffResult> {
  return runVerb('diff', options, async (given, io) => {
    const [first, second] = [bundleTarget(before, io, 'compare'), bundleTarget(after, io, 'compare')]
    const examined = judgingInput(given, io)
    const old = await compared(first.target, judgedWith(examined, first), io)
    const now = await compared(second.target, judgedWith(examined, second), io)
    return comparison(old, now)
  })
}

/**
 * Everything that is in a bundle, and the verdict on it, whatever that is; with `against`, what is new since another version.
 *
 * @example
 * const { report, tools } = await inspect('dist/mailer-0.1.0.agent.bundle', { home: false })
 * console.log(report.verdict, tools?.map(({ id, exposed }) => [id, exposed]))
 *
 * @throws {@link RlpError} `NOT_FOUND` and the like for a bundle that cannot be read, `CANCELLED`; for `against` as {@link diff}
 */
export async function inspectPath(bundle: BundleGiven, options: InspectOptions = {}): Promise<InspectResult> {
  return runVerb('inspect', options, async (given, io) => {
    const source = bundleTarget(bundle, io, 'inspect')
    const examined = judgingInput(given, io)
    const seen = await seeBundle(source.target, judgedWith(examined, source))
    if (seen.unread !== undefined) throw seen.unread
    const other = given.against === undefined ? undefined : bundleTarget(given.against, io, 'compare')
    const before = other && (await compared(other.target, judgedWith(examined, other), io))
    return inspectedBundle(seen, before, io.signal)
  })
}
