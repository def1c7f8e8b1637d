import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import type { Policy } from '../../../model/policy.ts'
import { secretEnvName, secretPlaces } from '../../../policy/secret-id.ts'
import { quoteText } from '../../../text/quote.ts'
import { secretIds, toolsOf } from '../agent-parts.ts'
import { nearGrant } from '../meant-placeholder.ts'
import { once } from '../once.ts'
import type { Rule } from '../rule.ts'

export const secretsEnvCollision: Rule = {
  id: 'secrets/env-collision',
  severity: 'warning',
  scope: 'source',
  summary: 'two secrets share one environment variable',
  why: 'Secrets are looked up and handed to programs as variables. With two ids for one variable, one of them gets the value of the other, and the wrong host or program with it.',
  fix: 'Give the secrets ids that differ in more than punctuation and capitals.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    const ids = secretIds(agent)
    if (ids.length === 0) return
    const first = new Map<string, string>()
    for (const { id, file, pointer } of ids) {
      const places = secretPlaces(id)
      const shared = places.find(name => first.has(name))
      const other = shared === undefined ? undefined : first.get(shared)
      if (shared !== undefined && !isSlip(agent, id, other))
        report({
          file,
          place: { pointer },
          message: `${quoteText(id)} and ${quoteText(other ?? '')} are both the variable ${quoteText(shared)}`,
          fix: FIX,
        })
      for (const name of places) if (!first.has(name)) first.set(name, id)
    }
    for (const { index, tool } of toolsOf(agent)) {
      const { rlp, secrets } = tool
      if (rlp.env.length === 0 || secrets.length === 0) continue
      const names = new Map(secrets.map(id => [secretEnvName(id), id]))
      for (const [position, name] of rlp.env.entries()) {
        const id = names.get(name)
        if (id === undefined || first.get(name) !== id) continue
        report({
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, 'x-rlp', 'env', position] },
          message: `${quoteText(name)} is also the variable of the secret ${quoteText(id)}`,
          fix: 'Leave the variable out, or rename the secret',
        })
      }
    }
  },
}

const grantedIn = once((policy: Policy): ReadonlySet<string> => new Set(policy.secrets))

/** Of two ids that differ by a slip one is granted: that the other is not is what another rule says. */
function isSlip({ policy }: Agent, id: string, other = ''): boolean {
  if (policy === undefined) return false
  const granted = grantedIn(policy)
  return granted.has(id) !== granted.has(other) && nearGrant('secrets', id, [other]) !== undefined
}

const FIX =
  'If they are one secret, use one id for both. If not, give one of them an id that differs in more than punctuation and case'
