// Verification reports of many bundles → one line for each that is accepted, the reasons for each that is not, and a summary.

import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { wrap } from '../cli/render/wrap.ts'
import { plural } from '../format/text/counts.ts'
import { printable } from '../format/text/printable.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS, type Verdict } from '../model/verdict.ts'
import { verdictHint } from './render.ts'

/** Of one bundle; its own report has the rest. */
const MOST_REASONS = 3
const WIDEST = Math.max(...Object.keys(VERDICTS).map(word => word.length))

/** Ends in a newline. */
export function renderOneOfMany(report: Report, isAccepted: boolean, style: Style, columns: number): string {
  const { verdict, target, agent } = report
  const mark = isAccepted ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const paint = verdict === 'trusted' ? style.green : isAccepted ? style.yellow : style.red
  const variant = agent?.variant === undefined ? '' : `@${agent.variant}`
  const who = agent === null ? '' : `  ${style.dim(printable(`${agent.name}${variant} ${agent.version}`))}`
  const head = `${mark} ${paint(verdict.padEnd(WIDEST))} ${style.bold(printable(target))}${who}\n`
  return isAccepted ? head : head + why(report, style, columns)
}

function why(report: Report, style: Style, columns: number): string {
  const { reasons } = report
  const texts = reasons.slice(0, MOST_REASONS).map(({ message }) => message)
  if (reasons.length > MOST_REASONS) texts.push(`… and ${reasons.length - MOST_REASONS} more`)
  const hint = verdictHint(report)
  const wrapped = (text: string) => wrap(printable(text), Math.max(30, columns - 10))
  const lines = [
    ...texts.flatMap(wrapped),
    ...(hint === undefined ? [] : wrapped(hint)).map((line, index) =>
      index === 0 ? `${style.cyan('hint:')} ${line}` : `      ${line}`,
    ),
  ]
  return lines.map(line => `    ${line}\n`).join('')
}

/** `101 bundles: 100 trusted, 1 invalid` */
export function summaryOf(verdicts: readonly Verdict[]): string {
  const counts = Object.entries(countsOf(verdicts)).map(([word, count]) => `${count} ${word}`)
  return `${plural(verdicts.length, 'bundle')}: ${counts.join(', ')}`
}

/** How many bundles ended in which verdict, in the order of the table of verdicts from the end. */
export function countsOf(verdicts: readonly Verdict[]): Readonly<Partial<Record<Verdict, number>>> {
  const words = (Object.keys(VERDICTS) as Verdict[]).reverse()
  const counts = words.map(word => [word, verdicts.filter(verdict => verdict === word).length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
