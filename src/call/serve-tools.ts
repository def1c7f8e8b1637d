// What the library offers of serving: verified bundles and two streams → an MCP server, until the input ends.
import { type CallerOptions, type PathGiven, pathGiven, settingOf, targetGiven } from '../io/caller.ts'
import { Running } from '../io/process/running.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { SecretSource } from '../model/secret.ts'
import { NotVerifiedError, type TrustOptions, trustInput } from '../verify/load-file.ts'
import { NO_SECRETS } from './call-loaded.ts'
import type { Streams } from './line-transport.ts'
import { openServed, type ServedBundle } from './served-bundle.ts'
import { serving } from './serving.ts'
import { startSession } from './session.ts'

export interface ServeOptions extends CallerOptions, TrustOptions {
  /** What the client writes: lines of JSON-RPC in chunks of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output: (text: string) => void
  /** Which agent each bundle has to be, in the order of the bundles; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: readonly string[]
  /** Accept sound bundles without signature. */
  readonly allowUnsigned?: boolean
  /** Put the agent's name before each tool's: `mailer.mail.send`. */
  readonly prefix?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. Otherwise such a call is refused. */
  readonly trustClientConfirmation?: boolean
  /** Values of secrets by their ids, looked up for each call. */
  readonly secrets?: SecretSource
  /** A file that gets each call and its answer, without secrets. */
  readonly trace?: PathGiven
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
  /** How the server calls itself; `rlp-bundle` where it is left out. */
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
export async function serveTools(bundles: readonly PathGiven[], options: ServeOptions): Promise<void> {
  const io = settingOf(options)
  const {
    prefix = false,
    trustClientConfirmation = false,
    secrets = NO_SECRETS,
    trace,
    name = 'rlp-bundle',
  } = options
  const trouble = options.onTrouble ?? (() => {})
  const served: ServedBundle[] = []
  for (const [index, bundle] of bundles.entries()) {
    const target = targetGiven(bundle, io, 'serve')
    const expect = options.expect?.[index]
    const opened = await openServed(target, {
      ...trustInput(options),
      ...(options.allowUnsigned !== undefined && { allowUnsigned: options.allowUnsigned }),
      ...(expect !== undefined && { expect }),
      signal: io.signal,
    })
    if ('refused' in opened) throw new NotVerifiedError(opened.refused)
    served.push(opened)
  }
  const running = new Running()
  const session = await startSession(
    {
      ...{ running, secrets, withSecrets: false, confirm: async () => 'nobody' as const },
      ...(trace !== undefined && { trace: pathGiven(trace, io, 'write the trace') }),
    },
    io,
  )
  try {
    const { serveMcp } = await import('./serve-mcp.ts')
    const { input, output } = options
    const streams: Streams = { input, output, signal: io.signal, trouble }
    const tools = serving(served, session, { prefix, yes: false, trustClientConfirmation, trouble })
    await serveMcp(tools, { name, version: VERSION }, streams)
  } finally {
    await session.close()
  }
}
