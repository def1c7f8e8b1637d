// What the library offers of a folder that an author works in: followed, and served to an MCP client, unverified.
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { UNANSWERED } from './context.ts'
import { devAgent } from './dev.ts'
import { type TestedAgent, testAgent } from './run-cases.ts'
import { type SessionGiven, sessionGiven } from './session.ts'

export interface DevRound {
  /** Paths that changed; none in the first round. */
  readonly changed: readonly string[]
  /** How many digests were written; undefined if the manifest could not take them. */
  readonly digests: number | undefined
  /** Findings that the round before had not. */
  readonly findings: readonly Finding[]
  /** How many findings of the round before are gone. */
  readonly gone: number
  /** Why the tools from before are still served; undefined if these are. */
  readonly refused: string | undefined
  /** How many tools are served now. */
  readonly tools: number
  /** What the cases of its tools gave, with `test`. */
  readonly tested: TestedAgent | undefined
}

export interface DevOptions extends CallerOptions, SessionGiven {
  /** What the client writes: lines of JSON-RPC in chunks of any size. */
  readonly input: AsyncIterable<Uint8Array>
  /** Sends text to the client. */
  readonly output: (text: string) => void
  /** Run the cases of {@link testTools} after each change. */
  readonly test?: boolean
  /** Confirm every call in advance; without it a call that wants a person's yes is refused. */
  readonly yes?: boolean
  /** Let the client ask its user where a tool wants confirmation, and believe the answer. */
  readonly trustClientConfirmation?: boolean
  /** Told after each round. */
  readonly onRound?: (round: DevRound) => void
  /** Told what went wrong here or in the protocol, and not in a tool. */
  readonly onTrouble?: (message: string) => void
}

/**
 * Follows an agent's folder while its author works in it: writes its digests, checks it, and serves its tools to one MCP client, unverified. A
 * change that cannot be served leaves the tools from before. Resolves when the input ends.
 *
 * @example
 * const output = (text: string) => void process.stdout.write(text)
 * await dev('agents/mailer', { input: process.stdin, output, onRound: ({ findings }) => console.error(findings) })
 *
 * @throws {@link RlpError} `NOT_FOUND` for a folder that is not there, `CANCELLED`
 */
export async function devPath(folder: PathGiven, options: DevOptions): Promise<void> {
  return runVerb('dev', options, async (given, io) => {
    const target = targetGiven(folder, io, 'follow')
    const { input, output, yes = false, trustClientConfirmation = false } = given
    const { onRound, onTrouble: trouble = () => {} } = given
    const session = await sessionGiven(given, UNANSWERED, io)
    try {
      await devAgent(
        {
          target,
          session,
          serving: { yes, trustClientConfirmation, trouble },
          streams: { input, output, signal: io.signal, trouble },
          async onRound(changed, { digests, linted, gone, served }, tools, signal) {
            const opened = served instanceof RlpError ? undefined : await served.now()
            const isTested = given.test === true && opened?.is === 'open'
            const tested = isTested ? await testAgent(target, opened, session, signal) : undefined
            const refused = served instanceof RlpError ? served.message : undefined
            onRound?.({ changed, digests, findings: linted.findings, gone, refused, tools, tested })
          },
          onUnread: error => trouble(error.message),
        },
        io,
      )
    } finally {
      await session.close()
    }
  })
}
