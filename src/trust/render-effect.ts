// What follows from a change of a trust policy → text for people.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import type { Foreseen, PolicyEffect } from './effect.ts'

/** More do not help on a screen; `--json` has all. */
const MOST_REASONS = 20

/** Of several bundles, the trusted ones are counted. */
export function foreseenLines(bundles: readonly Foreseen[]): string[] {
  const [only, ...more] = bundles
  if (only !== undefined && more.length === 0) return linesOf(only)
  const others = bundles.filter(({ verdict }) => verdict !== 'trusted')
  const trusted = bundles.length - others.length
  return [
    ...(trusted > 0 ? [`${plural(trusted, 'bundle')} will be trusted`] : []),
    ...others.flatMap(linesOf),
  ]
}

function linesOf({ target, verdict, reasons }: Foreseen): string[] {
  return [
    `${printable(target)} will be ${verdict}${reasons.length === 0 ? '' : ':'}`,
    ...reasons.slice(0, MOST_REASONS).map(reason => `  ${printable(reason)}`),
  ]
}

export function effectLines({ changed, looked }: PolicyEffect, style: Style): string[] {
  if (changed.length === 0) return [`No verdict changes; installed bundles looked at: ${looked}`]
  return changed.map(({ target, before, after, reason }) => {
    const why = reason === null ? '' : `: ${printable(reason)}`
    return `${printable(target)}  ${before} ${SYMBOLS.arrow} ${style.bold(after)}${why}`
  })
}
