// The survey of tool lists in words, and the findings that a seed draws.
import { printable } from '../../src/text/printable.ts'
import { Random } from '../torture/random.ts'
import type { Survey, Surveyed } from './survey.ts'

/** Longer entries are cut: a reader judges by what is at the beginning. */
const MOST_LINES = 60

/** How many lists, tools and findings, and of which rules; then the lists that could not be imported. */
export function countsText({ lists, tools, findings, refused }: Survey): string {
  const head = `${lists} lists, ${tools} tools, ${findings.length} findings`
  const rules = counted(findings.map(({ finding }) => `${finding.rule} ${finding.severity}`))
  const out = refused.map(why => `not imported: ${printable(why)}`)
  return [head, ...rules, ...out].join('\n')
}

/** How many findings each list has; lists without one are not named. */
export function listsText({ findings }: Survey): string {
  return counted(findings.map(({ list }) => printable(list))).join('\n')
}

function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return sorted.map(([name, count]) => `${String(count).padStart(5)}  ${name}`)
}

/** Each finding has the same chance; in the order in which they were drawn. */
export function drawn(findings: readonly Surveyed[], seed: string, count: number): Surveyed[] {
  const random = new Random('noise', seed)
  const left = [...findings]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.below(left.length), 1),
  ).flat()
}

/** The finding as `rlp agent lint` says it, and below it the entries that it is about. */
export function findingText({ list, finding, entries, left }: Surveyed): string {
  const { severity, rule, message, fix, file, line, others = [] } = finding
  const also = others.map(({ name, line }) => `${name} ${line}`).join(', ')
  const lines: string[] = [
    `${list}: ${severity} ${rule}`,
    `${file}:${line} ${message}`,
    `fix: ${fix}`,
    ...(others.length > 0 ? [`also: ${also}`] : []),
    ...entries.map(entryText),
    ...(left > 0 ? [`… and ${left} more entries`] : []),
  ]
  return lines
    .flatMap(text => text.split('\n'))
    .map(line => printable(line))
    .join('\n   ')
}

function entryText(entry: unknown): string {
  const lines = JSON.stringify(entry, null, 1).split('\n')
  const more = lines.length - MOST_LINES
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])].join('\n')
}
