// Identities beside certificates → text for people.

import { beside, pad } from '../cli/render/layout.ts'
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'
import type { ExplainedIdentity } from './explained-identities.ts'

/** More do not help on a screen. */
const MOST_SHOWN = 10

export function identityLines(all: readonly ExplainedIdentity[], style: Style, columns: number): string[] {
  const rows = all.slice(0, MOST_SHOWN).flatMap(one => linesOf(one, style, columns))
  if (all.length > MOST_SHOWN) rows.push(`  … and more; --json lists ${all.length}`)
  return rows
}

function linesOf(one: ExplainedIdentity, style: Style, columns: number): string[] {
  const { policy, line, anchor, where, is, claims, proven, detail, members } = one
  const what = is === 'signature' ? 'keyless signature' : is === 'statement' ? 'keyless statement' : 'keyless'
  const place = line === null ? policy : `${policy}:${line}`
  const nextTo = claims ? 'beside' : 'beside the nearest,'
  const mark = proven ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
  const head = `${what} in ${where} ${nextTo} ${anchor} (${place}): ${detail}`
  return [
    ...beside(`  ${mark} `, printable(head), 4, columns),
    ...members.flatMap(({ member, wanted, found, fits }) => {
      const sign = fits ? style.green(SYMBOLS.ok) : style.red(SYMBOLS.bad)
      const has = found === null ? 'the certificate has none' : `the certificate has ${found}`
      const text = fits ? (found ?? wanted) : `wanted ${wanted}; ${has}`
      return beside(`    ${sign} ${pad(member, WIDEST)} `, printable(text), 8 + WIDEST, columns)
    }),
  ]
}

const WIDEST = 'builder_digest'.length
