// The bytes of an answer → whether they keep the contract, and match the schema if there is one.

import { checkAgentcliAnswer } from '../agentcli/answer.ts'
import { type CheckedResult, checkResult, type Remark } from '../contract/check-result.ts'
import { decodeText } from '../text/decode.ts'
import type { AnswerSchema } from './answer-schema.ts'

export interface CheckedAnswer extends Pick<CheckedResult, 'passed' | 'remarks'> {
  readonly form: CheckedResult['form'] | 'agentcli' | 'agentcli:failure'
  /** What the model reads, if it is known. */
  readonly content?: string
  /** Whether the result matches the schema; undefined if none was given. */
  readonly fits?: boolean | 'not checked'
  /** References of that schema that cannot be resolved here. */
  readonly unresolved: readonly string[]
}

/** How a program made for agentcli ended. */
export interface AgentcliEnd {
  readonly stderr: Uint8Array
  readonly exitCode: number
}

/** @param end present if agentcli's rules apply, not the tool contract's */
export function checkAnswer(
  bytes: Uint8Array,
  against: AnswerSchema | undefined,
  end?: AgentcliEnd,
): CheckedAnswer {
  const checked = end === undefined ? checkEnvelope(bytes) : checkOutput(bytes, end)
  const { result, ...told } = checked
  if (against === undefined) return { ...told, unresolved: [] }
  const { unresolved } = against
  if (result === undefined) return { ...told, fits: 'not checked', unresolved }
  const message = against.misfit(result)
  if (message === undefined) return { ...told, fits: true, unresolved }
  const fix = 'Change what the tool answers, or what its schema promises'
  const remarks: Remark[] = [{ weight: 'problem', message, fix }, ...told.remarks]
  return { ...told, passed: false, remarks, fits: false, unresolved }
}

type Checked = Pick<CheckedAnswer, 'form' | 'passed' | 'remarks' | 'content'> & { readonly result: unknown }

function checkOutput(bytes: Uint8Array, { stderr, exitCode }: AgentcliEnd): Checked {
  const read = [bytes, stderr].map(stream => decodeText(stream))
  const problem = read.find(stream => !stream.ok && stream.problem.code !== 'empty')
  if (problem !== undefined && !problem.ok)
    return { ...UNREAD, remarks: [unreadable(problem.problem.message)] }
  const [out = '', error = ''] = read.map(stream => (stream.ok ? stream.text : ''))
  const { ok, content, remarks, result } = checkAgentcliAnswer({ stdout: out, stderr: error, exitCode })
  const passed = !remarks.some(({ weight }) => weight === 'problem')
  return { form: ok ? 'agentcli' : 'agentcli:failure', passed, remarks, content, result }
}

function checkEnvelope(bytes: Uint8Array): Checked {
  const read = decodeText(bytes)
  const isEmpty = !read.ok && read.problem.code === 'empty'
  return read.ok || isEmpty
    ? checkResult(read.ok ? read.text : '')
    : { ...UNREAD, remarks: [unreadable(read.problem.message)] }
}
const UNREAD = { form: 'none', passed: false, result: undefined } as const

/** The sentence is about a file; an answer needs another subject. */
function unreadable(message: string): Remark {
  return {
    weight: 'problem',
    message: message.replace(/^The file/, 'The answer'),
    fix: 'Print UTF-8 text without a byte order mark and without NUL',
  }
}
