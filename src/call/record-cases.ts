// A call that is made now, or the calls of a trace → cases that expect what was answered.
import { resolve } from 'node:path'
import { readJson } from '../contract/json-text.ts'
import type { Setting } from '../io/setting.ts'
import { ReadProblem } from '../json/read.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import type { AnswerBody } from '../model/trace.ts'
import type { OpenAgent } from './callable.ts'
import type { Expected, ToolCase } from './read-cases.ts'
import { readTrace } from './read-trace.ts'
import { exchangesOf } from './replay.ts'
import { callOnce } from './run-cases.ts'
import type { CallSession } from './session.ts'
import { readFrame } from './trace.ts'
import { resultFrame } from './traced.ts'

type NewCase = Omit<ToolCase, 'name'>

/** @param text the arguments. @throws UsageError for arguments that are no JSON */
export async function recordCall(
  tool: string,
  text: string,
  opened: OpenAgent,
  session: CallSession,
  signal: AbortSignal,
): Promise<NewCase> {
  const read = readJson(text)
  if (!read.ok) throw new UsageError('Cannot record a case: the arguments are no JSON', { field: 'args' })
  const record = await callOnce({ tool, arguments: read.value }, opened, session, signal)
  const { payload } = resultFrame(record) as {
    readonly payload: AnswerBody & { readonly whole?: AnswerBody }
  }
  return { tool, arguments: read.value, expected: expectedOf(payload.whole ?? payload) }
}

/** Of the tools that the agent has; a call without an answer is left out. */
export async function recordTrace(
  file: string,
  { agent }: OpenAgent,
  io: Pick<Setting, 'cwd'>,
): Promise<NewCase[]> {
  const { frames } = await readTrace(resolve(io.cwd, file), file, readFrame)
  const ids = new Set([...agent.tools, ...agent.denied].map(({ id }) => id))
  try {
    return exchangesOf(frames).flatMap(({ call, result }) => {
      if (result === undefined || !ids.has(call.tool)) return []
      const given = call.given ?? call.arguments
      return [{ tool: call.tool, arguments: given, expected: expectedOf(result.whole ?? result) }]
    })
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error
    throw new RlpError('WRONG_FILE_TYPE', `Cannot read the trace "${file}": ${error.message}`, {
      hint: 'Use the file as it was written',
      cause: error,
    })
  }
}

/** Of a failure what does not depend on words. */
function expectedOf(answer: AnswerBody): Expected {
  if (answer.ok) return { is: 'answer', value: answer.result }
  const members = ['kind', 'field', 'reason'].flatMap(name => {
    const value = own(answer.error, name)
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { is: 'failure', members: Object.fromEntries(members) }
}
