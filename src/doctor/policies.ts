// Trust policies in files: whether they can be relied upon, and what of them ends soon or has ended.

import type { PolicySource } from '../model/trust.ts'
import { plural } from '../text/words.ts'
import { isTestKey } from '../trust/kit-keys.ts'
import { asOf } from '../trust/usable-policy.ts'
import { AHEAD_DAYS, endsSoon } from '../verify/ends-soon.ts'
import type { HealthCheck, HealthLine } from './check.ts'

export const policies = {
  name: 'policies',
  async look(host) {
    const sources = await host.policies()
    if (sources.length > 0) return sources.flatMap(source => linesOf(source, host.now))
    return [
      {
        level: 'warning',
        what: 'trust policy',
        state: 'there is none in a file: no signature counts by one',
        fix: 'rlp trust add NAME KEY, with the key that the signer gave you',
      },
    ]
  },
} as const satisfies HealthCheck

function linesOf(given: PolicySource, now: Date): HealthLine[] {
  const source = asOf(given, now)
  const what = `policy ${source.path}`
  const { policy, problems, hint } = source
  const warn = (state: string, fix: string | undefined): HealthLine => ({
    level: 'warning',
    what,
    state,
    fix,
  })
  if (policy === undefined)
    return problems.map(state => ({
      level: 'wrong',
      what,
      state,
      fix: hint ?? 'Correct the trust policy; until then it decides nothing',
    }))
  const counted = policy.anchors.map(({ name }) => name)
  const found = [
    ...endsSoon({ notAfter: undefined, policies: [source], counted, now, days: AHEAD_DAYS }).map(
      ({ message, hint }) => warn(message, hint),
    ),
    ...policy.anchors.flatMap(({ name, until, keys }) => [
      ...(until !== undefined && Date.parse(until) < now.getTime()
        ? [warn(`the signer ${name} ended at ${until}, and does not count`, `rlp trust remove ${name}`)]
        : []),
      ...(keys.some(isTestKey)
        ? [
            warn(
              `the key of ${name} is a test key, with which any person can sign`,
              `rlp trust remove ${name}`,
            ),
          ]
        : []),
    ]),
  ]
  if (found.length > 0) return found
  const until = policy.validUntil === undefined ? '' : `, valid until ${policy.validUntil}`
  return [{ level: 'ok', what, state: `${plural(counted.length, 'signer')}${until}` }]
}
