// When a signature and trust policies end + the clock → what is said beforehand. It changes no verdict. Pure.

import type { Report, Warning } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { plural } from '../text/words.ts'

const DAY_MS = 86_400_000
/** How long before an end a report warns. */
const SOON_DAYS = 14
/** How long before an end those commands say it that people run to look ahead: `doctor` and `lock outdated`. */
export const AHEAD_DAYS = 30

export interface Ends {
  /** Of a signature; undefined where it has no end, or the bundle is not accepted anyway. */
  readonly notAfter: string | undefined
  readonly policies: readonly PolicySource[]
  /** Names of the anchors that counted, in any policy. */
  readonly counted: readonly string[]
  readonly now: Date
  /** How many days before an end it is said; 14 if left out. */
  readonly days?: number | undefined
}

/** From some days before an end, to the second, until the end. What is past is no warning: it decides the verdict. */
export function endsSoon({ notAfter, policies, counted, now, days = SOON_DAYS }: Ends): Warning[] {
  const found: Warning[] = []
  const signature = notAfter === undefined ? undefined : leftUntil(notAfter, now, days)
  if (signature !== undefined)
    found.push({
      code: 'signature_ends_soon',
      message: `The signature ends at ${notAfter}, ${signature}`,
      hint: 'Ask its signers to renew it before that, with rlp agent sign BUNDLE --key KEY --renew 90d, or for a new version',
    })
  for (const { path, policy } of policies) {
    const until = policy?.validUntil
    const time = until === undefined ? undefined : leftUntil(until, now, days)
    if (time !== undefined)
      found.push({
        code: 'policy_ends_soon',
        message: `The trust policy ${path} ends at ${until}, ${time}; after that it decides nothing`,
        hint: 'Get the newer policy from the person who keeps it before',
      })
    for (const { name, until } of policy?.anchors ?? []) {
      const left = until === undefined || !counted.includes(name) ? undefined : leftUntil(until, now, days)
      if (left !== undefined)
        found.push({
          code: 'anchor_ends_soon',
          message: `The signer ${name} of ${path} ends at ${until}, ${left}`,
          hint: 'If the signer shall count longer, set a later until in the trust policy before that',
        })
    }
  }
  return found
}

/** `in 3 days`; undefined if the end is further away, or past. */
export function leftUntil(end: string, now: Date, most: number): string | undefined {
  const ms = Date.parse(end) - now.getTime()
  if (!(ms >= 0 && ms <= most * DAY_MS)) return undefined
  const days = Math.floor(ms / DAY_MS)
  return days === 0 ? 'in less than a day' : `in ${plural(days, 'day')}`
}

/** A line for each, and one for what several bundles have in common. */
export function warningLines(reports: readonly Pick<Report, 'target' | 'warnings'>[]): string[] {
  const lines = reports.flatMap(({ target, warnings = [] }) =>
    warnings.map(({ code, message }) => (code !== 'signature_ends_soon' ? message : `${target}: ${message}`)),
  )
  return [...new Set(lines)]
}
