// [[require]] expires_within: how far ahead the end of a signature may be (docs/spec/trust-policy.md, K-48).
import type { Requirements } from '../../model/trust.ts'
import type { Requirement } from './field.ts'

const DAYS = /^([1-9][0-9]{0,4})d$/
const DAY_MS = 86_400_000

/** `90d` → 90; undefined for anything else. */
export function daysIn(text: string): number | undefined {
  const days = DAYS.exec(text)?.[1]
  return days === undefined ? undefined : Number(days)
}

function leastOf(entries: readonly Requirements[]): number {
  return Math.min(...entries.map(({ expiresWithin = Number.POSITIVE_INFINITY }) => expiresWithin))
}

export const expiresWithin = {
  key: 'expires_within',
  forms: ['entry'],
  read(reader, value, at) {
    const text = reader.text(value, at)
    if (text === undefined) return undefined
    const days = daysIn(text)
    if (days === undefined) reader.wrong(at, 'it must be a number of days, 1 to 99999, as "90d"')
    return days ?? 1
  },
  judge(days, { notAfter, now }, at) {
    if (days === undefined) return []
    const isNear = notAfter !== undefined && Date.parse(notAfter) - now.getTime() <= days * DAY_MS
    const detail = isNear
      ? `The signature ends within ${days} days, at ${notAfter}`
      : notAfter === undefined
        ? `The signature has no end, and must end within ${days} days`
        : `The signature ends at ${notAfter}, which is more than ${days} days ahead`
    return [{ at, says: isNear ? 'for' : 'against', code: 'expires_too_late', detail }]
  },
  shown: days => (days === undefined ? '' : `ends within ${days} days`),
  literal: days => (days === undefined ? undefined : `"${days}d"`),
  beyond(entries, than) {
    const [least, other] = [leastOf(entries), leastOf(than)]
    return least < other ? [`ends within ${least} days`] : []
  },
  lost: () => undefined,
} as const satisfies Requirement<number | undefined>
