// The words that messages and formats share: a short list of names from a bundle, the rules that lint skipped, and the other places of a
// finding, for formats that have one place for each.

import type { Finding } from '../model/finding.ts'
import { plural } from '../text/words.ts'
import type { SkippedRules } from './linted.ts'

/** `a`, `a and b`, `a, b and c`, `a, b and 7 more`; every name once, at most `most` of them. */
export function listText(names: Iterable<string>, most = 3): string {
  const all = [...new Set(names)]
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} more`] : all
  return shown.length < 2 ? `${shown[0]}` : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** A name in quotes, cut to 60 characters: it may hold anything, at any length. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name)
}

/** The most rules that are named. */
const MOST_NAMED = 4

/** @param label what people call the agent; empty for the folder they are in */
export function skippedText({ file, rules }: SkippedRules, label: string): string {
  const path = label === '' || label === '.' ? file : `${label}/${file}`
  const were = rules.length === 1 ? 'was' : 'were'
  return `${plural(rules.length, 'rule')} ${were} skipped because ${path} is broken: ${listText(rules, MOST_NAMED)}`
}

/** More lines do not help; the JSON has all. */
const MOST = 20

/** `Also in lines 12, 30 and 48`, without a full stop; undefined if the finding has no other place. */
export function otherPlacesText({ others = [] }: Finding): string | undefined {
  if (others.length === 0) return undefined
  const lines = others.slice(0, MOST).map(({ line }) => String(line))
  const more = others.length - lines.length
  const shown = more > 0 ? [...lines, `${more} more`] : lines
  const last = shown.pop()
  return shown.length === 0 ? `Also in line ${last}` : `Also in lines ${shown.join(', ')} and ${last}`
}
