// Tells a person which rules lint skipped.
import { plural } from '../text/words.ts'
import type { SkippedRules } from './linted.ts'
import { listText } from './rules/list-text.ts'

/** The most rules that are named. */
const MOST_NAMED = 4

/** @param label what people call the agent; empty for the folder they are in */
export function skippedText({ file, rules }: SkippedRules, label: string): string {
  const path = label === '' || label === '.' ? file : `${label}/${file}`
  const were = rules.length === 1 ? 'was' : 'were'
  return `${plural(rules.length, 'rule')} ${were} skipped because ${path} is broken: ${listText(rules, MOST_NAMED)}`
}
