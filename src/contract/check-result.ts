// A tool's answer → whether it is the contract's envelope, and what its author should change
// (docs/contract.md, "Checking a tool").
import type { FailureKind } from '../model/error.ts'
import { checkFailure, checkSuccess, checkText } from './check-envelope.ts'
import { checkForeign } from './check-foreign.ts'
import { detect } from './detect.ts'
import { success } from './envelope.ts'
import { member } from './json-text.ts'
import { isFailureKind } from './kinds.ts'
import { checkKnownResult, type ResultForm } from './known-result.ts'
import type { NoteRemark, Remark } from './remark.ts'

export type { Remark } from './remark.ts'

/** What an answer is, and what is wrong with it. */
export interface CheckedResult {
  /** `failure` alone: its kind is unknown. `legacy`: a failure in an older form. `none`: not an envelope. */
  readonly form: ResultForm | `failure:${FailureKind}` | 'failure' | 'legacy' | 'none'
  /** True if no remark is a problem. */
  readonly passed: boolean
  readonly remarks: readonly Remark[]
  /** The `result` of a success; undefined for everything else. */
  readonly result: unknown
}

const ORDER: readonly Remark['weight'][] = ['problem', 'remark']

/**
 * Checks one answer. Made for the tests of a tool's author:
 *
 * @example
 * const checked = checkResult('{"ok":true,"result":{"text":"done"},"tool":"todo"}')
 * if (!checked.passed) throw new Error(checked.remarks.map(({ message, fix }) => `${message}. ${fix}`).join('\n'))
 */
export function checkResult(text: string): CheckedResult {
  const found = detect(text)
  const remarks: Remark[] = []
  const note: NoteRemark = (weight, message, fix) => {
    remarks.push({ weight, message, fix })
  }
  const checked = (form: CheckedResult['form'], result?: unknown): CheckedResult => ({
    form,
    passed: !remarks.some(({ weight }) => weight === 'problem'),
    // What breaks the contract comes first.
    remarks: remarks.toSorted((a, b) => ORDER.indexOf(a.weight) - ORDER.indexOf(b.weight)),
    result,
  })
  if (found.is === 'neither' || !('fields' in found)) {
    checkForeign(found, text, note)
    return checked(found.is === 'failure' && found.form !== 'sniffed' ? 'legacy' : 'none')
  }
  const { fields } = found
  const envelope = found.is === 'failure' ? found.failure : success(undefined, member(fields, 'result'))
  checkText(text, fields, envelope, note)
  if (found.is === 'failure') {
    checkFailure(fields, note)
    const kind = member(fields, 'kind')
    return checked(isFailureKind(kind) ? `failure:${kind}` : 'failure')
  }
  checkSuccess(fields, note)
  const result = member(fields, 'result')
  return checked(checkKnownResult(result, note), result)
}
