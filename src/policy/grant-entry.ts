// One entry of a list in policy.caps → why it grants nothing.
import type { Family } from '../model/policy.ts'
import { quoteText } from '../text/quote.ts'
import type { EntryProblem } from './families/family.ts'
import { capabilityFamily } from './families/index.ts'
import { meantEntry } from './meant-entry.ts'

/** Undefined if the entry is valid in the list at `key`. */
export function entryProblem(key: Family, entry: string): EntryProblem | undefined {
  const problem = textProblem(entry) ?? capabilityFamily(key).entries.problem(entry)
  const meant = problem === undefined ? undefined : meantEntry(key, entry)
  if (problem === undefined || meant === undefined) return problem
  return { message: problem.message, fix: `Write ${quoteText(meant, 100)}`, meant }
}

/** Some readers trim an entry, others do not; a C library ends it at a NUL. */
function textProblem(entry: string): EntryProblem | undefined {
  if (/[\x00-\x1f\x7f-\x9f]/.test(entry))
    return { message: `${quoteText(entry)} has a control character`, fix: 'Write the entry without it' }
  // In a trust policy `{agent}` stands for a name. What a bundle asks for is always written out.
  if (/[{}]/.test(entry))
    return {
      message: `${quoteText(entry)} has a brace`,
      fix: 'Write the whole name or path, without { and }',
    }
  if (entry.trim() === '') return { message: 'The entry is empty', fix: 'Remove it or name what is granted' }
  if (entry.trim() === entry) return undefined
  const message = `${quoteText(entry)} has white space around it, which some runtimes drop and others compare`
  return { message, fix: 'Write it without' }
}
