// Outcomes → the table at the end, and a file for each finding.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Found } from './campaign.ts'
import type { Outcome } from './session.ts'

const HEAD = ['campaign', 'seed', 'cases', 'findings', 'seconds', 'of these'] as const
const NUMBERS: readonly string[] = ['seed', 'cases', 'findings', 'seconds']

/** The table, aligned, one line for each campaign. */
export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ campaign, seed, cases, defects, seconds, kinds }) => [
    campaign,
    String(seed),
    cases.toLocaleString('en'),
    String(defects.length),
    seconds.toFixed(1),
    Object.entries(kinds)
      .map(([kind, count]) => `${kind} ${count.toLocaleString('en')}`)
      .join(', '),
  ])
  const wide = HEAD.map((head, column) => Math.max(head.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        NUMBERS.includes(HEAD[column] ?? '')
          ? cell.padStart(wide[column] ?? 0)
          : cell.padEnd(column === HEAD.length - 1 ? 0 : (wide[column] ?? 0)),
      )
      .join('  ')
  const skipped = outcomes.flatMap(({ campaign, skipped }) =>
    skipped.map(what => `not looked at: ${campaign}: ${what}`),
  )
  return [line(HEAD), ...rows.map(line), ...skipped].join('\n')
}

/** What the answers were, where a campaign counts them. */
export function answers(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ campaign, answers }) =>
    Object.entries(answers).map(([kind, words]) => {
      const all = Object.entries(words).sort(([, a], [, b]) => b - a)
      return `${campaign} ${kind}: ${all.map(([word, count]) => `${word} ${count.toLocaleString('en')}`).join(', ')}`
    }),
  )
}

/** A file for a defect, with what it takes to see it again, and the input beside it. Gives the line to print. */
export function record(
  folder: string,
  number: number,
  about: { readonly campaign: string; readonly seed: number },
  { case: id, what, input, round }: Found,
): string {
  const { campaign, seed } = about
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${campaign}-${seed}-${number}`)
  const which = `${round === 0 ? '' : ` --round ${round}`} --case '${id}'`
  const again = `npm run torture -- --seed ${seed} --only ${campaign}${which}`
  if (input !== undefined) writeFileSync(`${path}.input`, input)
  writeFileSync(`${path}.txt`, `${campaign}: ${id}\n${what}\n\nagain: ${again}\n`)
  return `${campaign}: ${id}: ${what.split('\n')[0]?.slice(0, 300)}\n  ${path}.txt`
}
