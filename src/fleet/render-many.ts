// Verification reports of many bundles → one line for each that is accepted, the reasons for each that is not, and a summary.

import type { GlobalArgs, Io } from '../cli/command.ts'
import { width, wrap } from '../cli/render/layout.ts'
import { note } from '../cli/render/report.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { printable } from '../text/printable.ts'
import { grouped, plural } from '../text/words.ts'
import { verdictHint } from '../verify/render.ts'
import type { FleetTally } from './tally.ts'

/** Of one bundle; its own report has the rest. */
const MOST_REASONS = 3
const WIDEST = Math.max(...Object.keys(VERDICTS).map(word => word.length))

export type OneOfMany = Pick<Report, 'verdict' | 'target' | 'agent' | 'reasons'>

/**
 * Ends in a newline.
 * @param room for one line: what does not fit becomes a block
 */
export function renderOneOfMany(
  report: OneOfMany,
  isAccepted: boolean,
  {
    style,
    columns,
    room,
    hinted,
  }: { style: Style; columns: number; room: number; hinted: Set<Report['verdict']> },
): string {
  const { verdict, target, agent } = report
  const mark = isAccepted ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const paint = verdict === 'trusted' ? style.green : isAccepted ? style.yellow : style.red
  const variant = agent?.variant === undefined ? '' : `@${agent.variant}`
  const who = agent === null ? '' : printable(`${agent.name}${variant} ${agent.version}`)
  const path = printable(target)
  const head =
    width(`  ${verdict.padEnd(WIDEST)} ${path}  ${who}`) > room
      ? [`${mark} ${paint(verdict)}`, `  ${style.bold(path)}`, ...(who === '' ? [] : [`  ${style.dim(who)}`])]
      : [`${mark} ${paint(verdict.padEnd(WIDEST))} ${style.bold(path)}${who && `  ${style.dim(who)}`}`]
  const shown = `${head.join('\n')}\n`
  return isAccepted ? shown : shown + why(report, style, columns, hinted)
}

/** @param hinted verdicts whose hint was shown before: the rule that lacks something is the same for further bundles */
function why(report: OneOfMany, style: Style, columns: number, hinted: Set<Report['verdict']>): string {
  const { reasons, verdict } = report
  const hint = verdict === 'policy_denied' && hinted.has(verdict) ? undefined : verdictHint(report)
  hinted.add(verdict)
  const wrapped = (text: string) => wrap(printable(text), Math.max(30, columns - 10))
  const lines = [
    ...reasonTexts(reasons).flatMap(wrapped),
    ...(hint === undefined ? [] : wrapped(hint)).map((line, index) =>
      index === 0 ? `${style.cyan('hint:')} ${line}` : `      ${line}`,
    ),
  ]
  return lines.map(line => `    ${line}\n`).join('')
}

/** The first reasons, and how many more there are. */
export function reasonTexts(reasons: OneOfMany['reasons']): string[] {
  const texts = reasons.slice(0, MOST_REASONS).map(({ message }) => message)
  if (reasons.length > MOST_REASONS) texts.push(`… and ${reasons.length - MOST_REASONS} more`)
  return texts
}

/** `101 bundles: 100 trusted, 1 invalid`, and how many of them were judged in an earlier call. */
export function summaryOf({ bundles, counts, reused }: FleetTally): string {
  const words = Object.entries(counts).map(([word, count]) => `${grouped(count)} ${word}`)
  const before = reused === 0 ? '' : `; ${grouped(reused)} judged before, and nothing has changed since`
  return `${plural(bundles, 'bundle')}: ${words.join(', ')}${before}`
}

/** Says what no signature means, unless the caller allowed it. */
export function noteUnsigned(
  io: Io,
  args: GlobalArgs & { readonly allowUnsigned: boolean },
  tally: FleetTally,
): void {
  const unsigned = tally.count('unsigned')
  if (unsigned > 0 && !args.allowUnsigned)
    note(io, args, `${plural(unsigned, 'bundle')} without signature: their author is unknown`)
}
