// Compares the calls of a trace with a bundle, without running anything, or with a new run.
import { serialize } from '../contract/serialize.ts'
import { ReadProblem } from '../json/read.ts'
import { RlpError } from '../model/error.ts'
import type { AnswerBody, CallPayload, ResultPayload, TraceFrame } from '../model/trace.ts'
import type { CallableAgent, CallContext } from './context.ts'
import type { OpenAgent } from './open-agent.ts'
import { type CallSession, recordedCall } from './session.ts'
import { answerDigest, bundleDigest, resultFrame, schemaDigest } from './trace.ts'

/** One call of a trace with its answer. */
export interface Exchange {
  readonly call: CallPayload
  /** Undefined if the trace ends before it: the recorder was killed, or the call was still running. */
  readonly result: ResultPayload | undefined
}

export const DIFFERENCES = {
  no_result: 'the trace holds no answer to this call',
  bundle_changed: 'it was recorded with another bundle',
  tool_missing: 'the bundle has no such tool',
  tool_denied: 'the tool exists, but policy.caps or an override does not grant what it needs',
  schema_changed: 'the tool takes other arguments now: its input schema has another digest',
  result_schema_changed: 'the tool promises other results now: its result schema has another digest',
  arguments_changed: 'the tool is sent other arguments now: they are coerced by another schema',
  answer_changed: 'the tool answers otherwise now',
} as const

export interface AnswerDifference {
  readonly code: keyof typeof DIFFERENCES
  /** One sentence without a full stop. */
  readonly message: string
}

/** The facts of a bundle that a trace is compared with. */
interface ReplayBundle {
  /** As {@link CallPayload.bundle}. */
  readonly digest: string | null
  /** `denied` with the reason word, or the digest of the input schema; undefined for an unknown tool. */
  tool(
    id: string,
  ): { readonly denied: string } | { readonly inputSchema: string; readonly resultSchema: string } | undefined
}

/**
 * Calls in the order in which they began, each with its answer; calls may overlap.
 * @throws ReadProblem for an answer without a call, a second answer, and a name that is used twice
 */
export function exchangesOf(frames: Iterable<TraceFrame>): Exchange[] {
  const calls = new Map<string, { call: CallPayload; result: ResultPayload | undefined }>()
  for (const { frame, payload } of frames) {
    const { call_id: id, tool } = payload
    const known = calls.get(id)
    if (frame === 'CT_TOOL_CALL') {
      if (known !== undefined) throw new ReadProblem(`two calls have the name ${JSON.stringify(id)}`)
      calls.set(id, { call: payload, result: undefined })
      continue
    }
    if (known === undefined)
      throw new ReadProblem(`an answer names the call ${JSON.stringify(id)}, which is not there`)
    if (known.result !== undefined) throw new ReadProblem(`the call ${JSON.stringify(id)} has two answers`)
    if (known.call.tool !== tool)
      throw new ReadProblem(`the answer to ${JSON.stringify(id)} is of another tool`)
    known.result = payload
  }
  return [...calls.values()]
}

/** The differences between a bundle and the one that a call was recorded with. */
export function differencesFrom(
  { call, result }: Exchange,
  bundle: ReplayBundle | undefined,
): AnswerDifference[] {
  const found: AnswerDifference[] = result === undefined ? [difference('no_result')] : []
  if (bundle === undefined) return found
  if (call.bundle !== bundle.digest) {
    const text = `${call.bundle ?? 'a source folder'}, now ${bundle.digest ?? 'a source folder'}`
    found.push(difference('bundle_changed', text))
  }
  const tool = bundle.tool(call.tool)
  if (tool === undefined) {
    // A tool that was unknown then and is unknown now makes no difference.
    if (call.input_schema !== null) found.push(difference('tool_missing'))
  } else if ('denied' in tool) {
    const wasRefused = result?.ok === false && result.error['kind'] === 'rejected'
    if (!wasRefused) found.push(difference('tool_denied', tool.denied))
  } else {
    if (tool.inputSchema !== call.input_schema) found.push(difference('schema_changed'))
    if (tool.resultSchema !== call.result_schema) found.push(difference('result_schema_changed'))
  }
  return found
}

/** The differences between the recorded answer and today's. Time and name of the call do not count. */
function compareAnswers(recorded: ResultPayload | undefined, live: ResultPayload): AnswerDifference[] {
  if (recorded === undefined || isSameAnswer(recorded, live)) return []
  const was = recorded.ok ? 'ok' : String(recorded.error['kind'])
  const is = live.ok ? 'ok' : String(live.error['kind'])
  return [
    difference('answer_changed', was === is ? `both ${is}, with other contents` : `was ${was}, is ${is}`),
  ]
}

/** By the whole answers: how much of one a model sees is a setting. Older traces have only what the model saw. */
function isSameAnswer(recorded: ResultPayload, live: ResultPayload): boolean {
  const same = (one: AnswerBody, other: AnswerBody) =>
    answerDigest(recorded, one) === answerDigest(live, other)
  return same(recorded.whole ?? recorded, live.whole ?? live) || (!recorded.whole && same(recorded, live))
}

/** Whether the tool is sent what it was sent then. */
function compareArguments(recorded: CallPayload, live: unknown): AnswerDifference[] {
  return serialize(recorded.arguments) === serialize(live) ? [] : [difference('arguments_changed')]
}

function difference(code: AnswerDifference['code'], detail?: string): AnswerDifference {
  return { code, message: detail === undefined ? DIFFERENCES[code] : `${DIFFERENCES[code]} (${detail})` }
}

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
    const { payload } = resultFrame(record)
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
        return { inputSchema: schemaDigest(tool.inputSchema), resultSchema: schemaDigest(tool.resultSchema) }
      const refusal = denied.get(id)
      return refusal && { denied: refusal.reason }
    },
  }
}
