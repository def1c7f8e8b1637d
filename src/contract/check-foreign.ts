// An answer that is not an envelope → what it is, and how to make it one.
import type { Detected } from './detect.ts'
import type { NoteRemark } from './remark.ts'

/** @param found what `detect` says of it */
export function checkForeign(found: Detected, text: string, note: NoteRemark): void {
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
