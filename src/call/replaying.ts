// The calls of a trace → each with its differences, from a bundle or from a new run.
import { serialize } from '../contract/serialize.ts'
import { ReadProblem } from '../json/read.ts'
import { RlpError } from '../model/error.ts'
import type { CallPayload, ResultPayload, TraceFrame } from '../model/trace.ts'
import type { OpenAgent } from './callable.ts'
import type { CallableAgent, CallContext } from './context.ts'
import {
  type AnswerDifference,
  compareAnswers,
  compareArguments,
  differencesFrom,
  type Exchange,
  exchangesOf,
  type ReplayBundle,
} from './replay.ts'
import { type CallSession, recordedCall } from './session.ts'
import { bundleDigest, resultFrame, resultSchemaDigest, schemaDigest } from './traced.ts'

/** One call of the trace with its differences. */
export interface Replayed extends Exchange {
  readonly live: ResultPayload | undefined
  readonly differences: readonly AnswerDifference[]
}

type Compared = Pick<OpenAgent, 'agent' | 'isTrusted'>

/** @throws RlpError WRONG_FILE_TYPE for calls and answers that do not belong together */
export function exchangesIn(frames: readonly TraceFrame[], label: string): Exchange[] {
  try {
    return exchangesOf(frames)
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    throw new RlpError('WRONG_FILE_TYPE', `Cannot replay "${label}": ${error.message}`, { cause: error })
  }
}

export function comparedAnswers(exchanges: readonly Exchange[], opened: Compared | undefined): Replayed[] {
  const bundle = opened && replayBundle(opened.agent)
  return exchanges.map(one => ({ ...one, live: undefined, differences: differencesFrom(one, bundle) }))
}

/** One after the other, in the order in which they began. */
export async function live(
  exchanges: readonly Exchange[],
  opened: Compared,
  session: CallSession,
  signal: AbortSignal,
): Promise<Replayed[]> {
  const bundle = replayBundle(opened.agent)
  const replayed: Replayed[] = []
  const context: CallContext = session.contextFor(opened)
  for (const one of exchanges) {
    if (signal.aborted) break
    const { tool, arguments: given, attempt } = one.call
    const text = typeof given === 'string' ? given : serialize(given)
    const request = { tool, text, attempt: attempt + 1, signal }
    const record = await recordedCall(session, context, request)
    const { payload } = resultFrame(record) as { readonly payload: ResultPayload }
    const differences = [
      ...differencesFrom(one, bundle),
      ...compareArguments(one.call, record.arguments),
      ...compareAnswers(one.result, payload),
    ]
    replayed.push({ ...one, live: payload, differences })
  }
  return replayed
}

/** A call of a trace with what it was answered, for programs. */
export interface ReplayedCall {
  readonly call: CallPayload
  /** From the trace, with `replayed: true`; null if the trace ends before it. */
  readonly answer: ResultPayload | null
  /** What the tool answers today, where it was run again. */
  readonly live?: ResultPayload
  readonly differences: readonly AnswerDifference[]
}

/** The answer of `tool replay`. The command prints what the function returns. */
export interface ReplayResult {
  readonly calls: readonly ReplayedCall[]
  /** True if the last line of the trace is incomplete, because its writer was stopped. The replay leaves that line out. */
  readonly isCutOff: boolean
}

export function replayResult(
  replayed: readonly Replayed[],
  { isCutOff }: { readonly isCutOff: boolean },
): ReplayResult {
  return { calls: replayed.map(replayedCall), isCutOff }
}

function replayedCall({ call: recorded, result, live: again, differences }: Replayed): ReplayedCall {
  return {
    call: recorded,
    // Marks the answer as read from a trace.
    answer: result === undefined ? null : { ...result, replayed: true },
    ...(again !== undefined && { live: again }),
    differences,
  }
}

function replayBundle(agent: CallableAgent): ReplayBundle {
  const tools = new Map(agent.tools.map(tool => [tool.id, tool]))
  const denied = new Map(agent.denied.map(one => [one.id, one]))
  return {
    digest: bundleDigest(agent),
    tool(id) {
      const tool = tools.get(id)
      if (tool !== undefined)
        return { inputSchema: schemaDigest(tool), resultSchema: resultSchemaDigest(tool) }
      const refusal = denied.get(id)
      return refusal && { denied: refusal.reason }
    },
  }
}
