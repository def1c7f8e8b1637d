// A tool's answer → whether it is the contract's envelope, and what its author should change
// (docs/contract.md, "Checking a tool").
import type { FailureKind } from '../model/error.ts'
import { checkFailure, checkSuccess, checkText } from './check-envelope.ts'
import type { Detected } from './detect.ts'
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

/** @param found what `detect` says of it */
function checkForeign(found: Detected, text: string, note: NoteRemark): void {
  if (found.is === 'failure' && found.form === 'legacy-prefix') {
    const prefix = text.trim().startsWith('[TIMEOUT]') ? '[TIMEOUT]' : '[REJECTED]'
    const { kind } = found.failure
    note(
      'problem',
      `"${prefix}" at the beginning is the old form of a failure`,
      `Answer failure({ kind: '${kind}', message })`,
    )
  } else if (found.is === 'failure' && found.form === 'legacy-object') {
    note(
      'problem',
      '{ error, reason, retryable } is the old form of a failure',
      `Answer failure({ kind: '${found.failure.kind}', message }): kind for error, message for reason, tool for toolName`,
    )
  } else if (found.is !== 'neither') {
    note(
      'problem',
      'It begins like an envelope and is no JSON',
      'Write it with serialize(), and print nothing after it',
    )
  } else if (found.json) {
    note(
      'problem',
      'It is JSON without "ok", so success and failure look alike',
      'Answer success(tool, result)',
    )
  } else if (text.trim() === '') {
    note('problem', 'It is empty', 'Answer success(tool) if there is nothing to say')
  } else {
    const at = text.search(/\{\s*"[^"]*"\s*:/)
    note(
      'problem',
      at > 0 ? 'It is text with JSON somewhere in it' : 'It is plain text',
      at > 0
        ? 'Print only the envelope; text for people belongs on stderr'
        : 'Answer textSuccess(tool, text)',
    )
  }
}
