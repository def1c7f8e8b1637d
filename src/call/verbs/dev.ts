// The function that follows an agent's folder while its author works in it. rlp agent dev has the streams of its process.

import { operatorConfig } from '../../io/config.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { RlpError } from '../../model/error.ts'
import { callback, defineVerb, type Input, needed, whether } from '../../verb/index.ts'
import { testAgent } from '../cases.ts'
import { serveStreams } from '../client-streams.ts'
import { refuseYes } from '../confirmation.ts'
import { UNANSWERED } from '../context.ts'
import { devAgent } from '../dev.ts'
import type { DevRound } from '../results.ts'
import { clientInput, clientOutput, SERVING } from '../serving-inputs.ts'
import { SESSION, sandboxBy, sessionBy } from '../session-inputs.ts'

const folder: Input<PathGiven, Target> = {
  type: 'PathGiven',
  fromGiven: (given, { world }) => targetGiven(given, world, 'follow'),
}

/**
 * Follows an agent's folder while its author works in it: writes its digests, checks it, and serves its tools to one MCP client, unverified. A
 * change that cannot be served leaves the tools from before. Resolves when the input ends.
 *
 * @example
 * const { stdin: input, stdout: output } = process
 * await dev('agents/mailer', { input, output, onRound: ({ findings }) => console.error(findings) })
 *
 * @throws {@link RlpError} `NOT_FOUND` for a folder that is not there, `IO` for a stream that fails, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent dev',
  called: 'dev',
  summary: 'follow an agent’s folder, and serve its tools unverified',
  arguments: ['agent'],
  inputs: {
    agent: needed(folder),
    ...SESSION,
    ...SERVING,
    /** What the client writes: lines of JSON-RPC in chunks of any size. */
    input: needed(clientInput),
    /** What the client reads. It is written as fast as it takes the text, and stays open. A stream that fails ends the call with `IO`. */
    output: needed(clientOutput),
    /** Run the cases of {@link testTools} after each change. */
    test: whether('run the cases of its tools after each change'),
    /** Told after each round. */
    onRound: callback<(round: DevRound) => void>('(round: DevRound) => void'),
  },
  async run({ agent: target, input, output, ...asked }, world): Promise<void> {
    const { yes, trustClientConfirmation, onRound, onTrouble: trouble = () => {} } = asked
    refuseYes(yes, await operatorConfig({ home: await world.home() }))
    const session = await sessionBy(asked, world, UNANSWERED, { sandbox: await sandboxBy(asked, world) })
    const serving = { yes, trustClientConfirmation, trouble }
    try {
      await serveStreams({ input, output, signal: world.signal, trouble }, streams =>
        devAgent(
          {
            target,
            session,
            serving,
            streams,
            async onRound(changed, { digests, linted, gone, served }, tools, signal) {
              const opened = served instanceof RlpError ? undefined : await served.now()
              const isTested = asked.test && opened?.is === 'open'
              const tested = isTested ? await testAgent(target, opened, session, signal) : undefined
              const refused = served instanceof RlpError ? served.message : undefined
              onRound?.({ changed, digests, findings: linted.findings, gone, refused, tools, tested })
            },
            onUnread: error => trouble(error.message),
          },
          { ...world, signal: streams.signal },
        ),
      )
    } finally {
      await session.close()
    }
  },
})
