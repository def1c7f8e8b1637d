// What the library offers of tools that may be called: a list of them, without loading the bundle.
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { judgingGiven, type TrustOptions } from '../verify/trust-given.ts'
import { openAgent } from './callable.ts'
import { type ListedTools, listedTools } from './listed-tools.ts'

export interface ListToolsOptions extends LongOptions, TrustOptions {
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  readonly allowUnsigned?: boolean
  /** The agent is a folder that an author works in, without verification. */
  readonly unverified?: boolean
}

/**
 * The tools of a bundle that may be called on this host, and those that may not. A loaded bundle is judged again.
 *
 * @example
 * const { tools, denied } = await listTools('dist/mailer-0.1.0.agent.bundle')
 * console.log(tools.map(({ id }) => id), denied)
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used
 * @throws {@link RlpError} `NOT_FOUND`, `USAGE`, `LINT_FAILED` for a folder that cannot be read, `CANCELLED`
 */
export async function listToolsOf(bundle: BundleGiven, options: ListToolsOptions = {}): Promise<ListedTools> {
  return runVerb('listTools', options, async (given, io) => {
    const { expect, allowUnsigned, unverified = false } = given
    const came = bundleGiven(bundle, io, 'list the tools of')
    const judged = { ...judgingGiven(given, io), unverified, allowUnsigned, expect }
    const opened = await openAgent('list the tools of', came.target, judgedWith(judged, came), io)
    if (opened.is === 'refused') throw new NotVerifiedError(opened.report)
    return listedTools(opened)
  })
}
