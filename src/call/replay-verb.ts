// What the library offers of traces: their answers, compared with a bundle or with a new run.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { UsageError } from '../model/error.ts'
import { type LoadedBundle, loadedFrom } from '../verify/load.ts'
import { callableBundle } from './agent.ts'
import { type Confirm, UNANSWERED } from './context.ts'
import { readTrace } from './read-trace.ts'
import { comparedAnswers, exchangesIn, live, type ReplayResult, replayResult } from './replaying.ts'
import { type SessionGiven, sessionGiven } from './session.ts'
import { readFrame } from './trace.ts'

export interface ReplayOptions extends Omit<SessionGiven, 'trace'> {
  /** Compare with this one: what is missing in it, or has changed. */
  readonly bundle?: LoadedBundle
  /** Run each call again, with the tools of `bundle`, and compare the answers. */
  readonly live?: boolean
  /** Asked where a tool wants a person's yes; without it such a call is refused. */
  readonly confirm?: Confirm
}

/**
 * The calls of a trace with their answers. Without `live`, nothing is run.
 *
 * @param trace what the option `trace` of a call has written
 *
 * @example
 * const { calls } = await replay('calls.ndjson')
 * for (const { call, differences } of calls) console.log(call.tool, differences.map(({ code }) => code))
 *
 * @throws {@link RlpError} `WRONG_FILE_TYPE` for what is no trace, or one that was changed; `NOT_FOUND`, `USAGE`, `CANCELLED`
 */
export async function replayPath(trace: PathGiven, options: ReplayOptions = {}): Promise<ReplayResult> {
  return runVerb('replay', options, async (given, io) => {
    const { path, label } = targetGiven(trace, io, 'replay')
    const opened = given.bundle === undefined ? undefined : openedOf(given.bundle)
    if (given.live === true && opened === undefined)
      throw new UsageError('Cannot replay live: no bundle is named whose tools could be run', {
        field: 'live',
        hint: 'Give `bundle`, from loadBundle',
      })
    const read = await readTrace(path, label, readFrame)
    const exchanges = exchangesIn(read.frames, label)
    if (given.live !== true || opened === undefined)
      return replayResult(comparedAnswers(exchanges, opened), read)
    const session = await sessionGiven(given, given.confirm ?? UNANSWERED, io, opened)
    try {
      return replayResult(await live(exchanges, opened, session, io.signal), read)
    } finally {
      await session.close()
    }
  })
}

function openedOf(bundle: LoadedBundle) {
  const origin = loadedFrom(bundle)
  if (origin === undefined)
    throw new UsageError('Cannot replay with the bundle: it is not one that loadBundle has given', {
      field: 'bundle',
      hint: 'Load it first',
    })
  const isTrusted = origin.bundle.report.verdict === 'trusted'
  const { bundle: verified, overrides, judging } = origin
  return { agent: callableBundle(verified, overrides), isTrusted, judging }
}
