// Makes one finding of those that say the same of several tools, so that a list of eighty tools is told it once.
import type { Finding, OtherPlace } from '../model/finding.ts'
import { byPlace } from './by-place.ts'
import { listText } from './rules/list-text.ts'

/** A finding of one place, and the words that it may have in common with others. */
export interface SingleFinding {
  readonly finding: Finding
  /** Absent for a finding that stays alone. */
  readonly common?: CommonWords | undefined
}

export interface CommonWords {
  /** What has the problem, mostly the id of a tool; in quotes. */
  readonly name: string
  /** Findings of a rule in a file with the same key are one. */
  readonly key: string
  readonly fix: string
  /** The message of several. */
  message(count: number, names: readonly string[]): string
}

/** The most names in a message; all of them are at the places. */
const MOST_NAMED = 8

const NONE: readonly Finding[] = []

/** @param singles of one rule */
export function groupFindings(singles: readonly SingleFinding[]): readonly Finding[] {
  // No rule finds anything in a sound bundle, and every load asks all rules.
  if (singles.length === 0) return NONE
  const groups = new Map<string, SingleFinding[]>()
  for (const [index, single] of singles.entries()) {
    const { finding, common } = single
    const key = JSON.stringify(common === undefined ? index : [finding.file, common.key])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [single])
    else group.push(single)
  }
  return [...groups.values()].map(joined)
}

/** `"a", "b" and 3 more`. */
export function namesText(names: readonly string[]): string {
  return listText(names, MOST_NAMED)
}

function joined(group: readonly SingleFinding[]): Finding {
  const sorted = [...group].sort((a, b) => byPlace(a.finding, b.finding))
  const [first, ...others] = sorted
  if (first === undefined) throw new TypeError('a group is empty')
  const { finding, common } = first
  if (common === undefined || others.length === 0) return finding
  const names = sorted.map(nameOf)
  return {
    ...finding,
    message: common.message(names.length, names),
    fix: common.fix,
    others: others.map(placeOf),
  }
}

function placeOf(single: SingleFinding): OtherPlace {
  const { line, column, endLine, endColumn } = single.finding
  return {
    name: nameOf(single),
    line,
    column,
    ...(endLine !== undefined && { endLine }),
    ...(endColumn !== undefined && { endColumn }),
  }
}

function nameOf({ common }: SingleFinding): string {
  return common?.name ?? ''
}
