// The bytes of an answer → what the contract says of it, and the schema where there is one.

import { type CheckedResult, checkResult, type Remark } from '../contract/check-result.ts'
import { decodeText } from '../format/text/decode.ts'
import type { AnswerSchema } from './answer-schema.ts'

export interface CheckedAnswer extends Pick<CheckedResult, 'form' | 'passed' | 'remarks'> {
  /** Whether the result was held against a schema; undefined when none was named. */
  readonly fits?: boolean | 'not checked'
  /** References of that schema which nothing here resolves. */
  readonly unresolved: readonly string[]
}

export function checkAnswer(bytes: Uint8Array, against: AnswerSchema | undefined): CheckedAnswer {
  const read = decodeText(bytes)
  const isEmpty = !read.ok && read.problem.code === 'empty'
  const checked: CheckedResult =
    read.ok || isEmpty
      ? checkResult(read.ok ? read.text : '')
      : { ...UNREAD, remarks: [unreadable(read.problem.message)] }
  const { form, remarks } = checked
  if (against === undefined) return { form, passed: checked.passed, remarks, unresolved: [] }
  const { unresolved } = against
  if (checked.result === undefined)
    return { form, passed: checked.passed, remarks, fits: 'not checked', unresolved }
  const message = against.misfit(checked.result)
  if (message === undefined) return { form, passed: checked.passed, remarks, fits: true, unresolved }
  const fix = 'Change what the tool answers, or what its schema promises'
  return {
    form,
    passed: false,
    remarks: [{ weight: 'problem', message, fix }, ...remarks],
    fits: false,
    unresolved,
  }
}

const UNREAD = { form: 'none', passed: false, result: undefined } as const

/** The sentence speaks of a file. */
function unreadable(message: string): Remark {
  return {
    weight: 'problem',
    message: message.replace(/^The file/, 'The answer'),
    fix: 'Print UTF-8 text without a byte order mark and without NUL',
  }
}
