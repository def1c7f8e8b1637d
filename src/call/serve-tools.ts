// What the library offers of serving: verified bundles and two streams → an MCP server, until the input ends.
import { operatorConfig } from '../io/config.ts'
import type { LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { refuseYes } from './confirmation.ts'
import { UNANSWERED } from './context.ts'
import { serveBundles } from './serve.ts'
import { openServed, openServedSource } from './served-bundle.ts'
import { type SessionGiven, sessionGiven } from './session-given.ts'
import { UNVERIFIED_NAME, unverified as unverifiedWords } from './unverified.ts'

export interface ServeOptions extends LongOptions, SessionGiven, TrustOptions {
  /** What the client writes: lines of JSON-RPC in chunks of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output: (text: string) => void
  /** Which agent each bundle has to be, in the order of the bundles; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: readonly string[]
  /** Accept sound bundles without signature. */
  readonly allowUnsigned?: boolean
  /** What is served are folders that an author works in, without verification; the client is told. */
  readonly unverified?: boolean
  /** Put the agent's name before each tool's: `mailer.mail.send`. */
  readonly prefix?: boolean
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. Otherwise such a call is refused. */
  readonly trustClientConfirmation?: boolean
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
  /** How the server calls itself; `rlp-bundle`, or `rlp-unverified`, where it is left out. */
  readonly name?: string
}

/**
 * Serves the tools of verified bundles to one MCP client. Each bundle is read once; policy, revocations, overrides and clock are read again
 * before every call. Resolves when the input ends.
 *
 * @example
 * await serveTools(['dist/mailer-0.1.0.agent.bundle'], { input: process.stdin, output: text => process.stdout.write(text) })
 *
 * @throws {@link NotVerifiedError} for a bundle that may not be used; then nothing was served
 * @throws {@link RlpError} `USAGE` for names that two tools would have, `NOT_FOUND`, `CANCELLED`
 */
export async function serveTools(bundles: readonly BundleGiven[], options: ServeOptions): Promise<void> {
  return runVerb('serveTools', options, (given, io) => serveJob(bundles, given, io))
}

async function serveJob(bundles: readonly BundleGiven[], options: ServeOptions, io: Setting): Promise<void> {
  const { prefix = false, yes = false, trustClientConfirmation = false, unverified = false } = options
  const { name = unverified ? UNVERIFIED_NAME : 'rlp-bundle' } = options
  const { input, output, onTrouble: trouble = () => {} } = options
  const { home } = trustInput(options)
  refuseYes(yes, await operatorConfig(home === undefined ? {} : { home }))
  const given = bundles.map(bundle => bundleGiven(bundle, io, 'serve'))
  const labels = given.map(({ target }) => target.label).join(', ')
  const refused = await serveBundles({
    bundles: given.map((one, index) => {
      const { target } = one
      if (unverified) return () => openServedSource(target, io)
      const expect = options.expect?.[index]
      const examine = {
        ...trustInput(options),
        ...(options.allowUnsigned !== undefined && { allowUnsigned: options.allowUnsigned }),
        ...(expect !== undefined && { expect }),
        signal: io.signal,
        onProgress: io.onProgress,
      }
      return () => openServed(target, judgedWith(examine, one))
    }),
    prefix,
    session: () => sessionGiven(options, UNANSWERED, io),
    serving: { yes, trustClientConfirmation, trouble },
    name,
    instructions: unverified ? unverifiedWords(labels) : undefined,
    streams: { input, output, signal: io.signal, trouble },
  })
  if (refused !== undefined) throw new NotVerifiedError(refused)
}
