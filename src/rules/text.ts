// The rules about texts that could not be read as documents differ only in words: one factory makes them.
import type { TextProblemCode } from '../model/document.ts'
import type { Rule } from './rule.ts'

const FIXES: Record<TextProblemCode, string> = {
  empty: 'Write the document, or remove the file',
  syntax: 'Correct the text here',
  encoding: 'Save the file as UTF-8 without a byte order mark',
  'duplicate-key': 'Remove one of the two',
  'unsafe-value': 'Write a value that every reader reads alike',
  'too-deep': 'Flatten the document',
  'too-large': 'Make the file smaller',
}

/** A rule for one syntax and some of the codes its strict parser gives. */
export function textRule(
  syntax: 'json' | 'toml',
  codes: readonly TextProblemCode[],
  words: Pick<Rule, 'id' | 'summary' | 'why' | 'fix'>,
): Rule {
  return {
    ...words,
    severity: 'error',
    scope: 'bundle',
    *check(agent) {
      for (const { path, syntax: found, problem } of agent.unreadable) {
        if (found !== syntax || !codes.includes(problem.code)) continue
        const place = problem.offset === undefined ? {} : { place: { offset: problem.offset } }
        yield { file: path, ...place, message: problem.message, fix: FIXES[problem.code] }
      }
    },
  }
}
