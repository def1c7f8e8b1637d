// A trust policy and one judgement by it → what the lines say that did not have to be asked, for people who look into it. Pure.

import type { PolicyLine, SignerFact } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { floorsFor, isBelow } from '../trust-policy/floors.ts'
import { placedRequirements, requirementsFor } from '../trust-policy/requirements/index.ts'
import { groupLine } from '../trust-policy/requirements/signers.ts'
import { closenessTo } from '../trust-policy/rule-fields/index.ts'
import { bundleIdentity } from '../version/reference.ts'
import { placedRules } from './rule.ts'

/** The bundle, and who counts. */
interface Looked {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
}

/** In the order of the tables. A line that decided is among them too; the caller has it already. */
export function otherLines(policy: TrustPolicy, looked: Looked): PolicyLine[] {
  return [
    ...anchorLines(policy, looked),
    ...groupLines(policy, looked),
    ...ruleLinesOf(policy, looked),
    ...entryLines(policy, looked),
    ...floorLines(policy, looked),
    ...[...policy.revokedKeys.keys()].map(key => neutral(['revoked', key], 'This key has not signed')),
    ...[...policy.revokedBundles.keys()].map(digest =>
      neutral(['revoked', bundleIdentity(digest)], 'It is another bundle'),
    ),
  ]
}

function neutral(at: PolicyLine['at'], detail: string): PolicyLine {
  return { at, says: 'neutral', detail }
}

function anchorLines({ anchors }: TrustPolicy, { signers }: Looked): PolicyLine[] {
  return anchors
    .filter(({ name }) => signers.every(({ anchor }) => anchor !== name))
    .map(({ name, use }) =>
      neutral(['anchors', name], use.includes('sign') ? `${name} has not signed` : `${name} only attests`),
    )
}

function groupLines(policy: TrustPolicy, { signers, counted }: Looked): PolicyLine[] {
  const names = new Set(counted)
  const given = {
    policy,
    signers,
    counted: new Map(policy.anchors.flatMap(one => (names.has(one.name) ? [[one.name, one]] : []))),
  }
  // What is not required decides nothing.
  return policy.groups.map(group => ({ ...groupLine(group, given), says: 'neutral' }))
}

function ruleLinesOf({ rules }: TrustPolicy, { agent, counted }: Looked): PolicyLine[] {
  return [...rules].flatMap(([name, all]) =>
    placedRules(name, all).map(({ rule, at }) => {
      if (closenessTo(rule, agent) === undefined)
        return neutral(at, `This rule of ${name} is for other agents`)
      return neutral(
        at,
        counted.includes(name)
          ? `Another rule of ${name} names the agent more closely`
          : `${name} does not count, or no rule was asked`,
      )
    }),
  )
}

function entryLines({ require }: TrustPolicy, { agent }: Looked): PolicyLine[] {
  const covering = new Set(requirementsFor(require, agent).map(({ entry }) => entry))
  return placedRequirements(require)
    .filter(({ entry }) => !covering.has(entry))
    .map(({ at }) => neutral(at, 'This entry is for other agents'))
}

function floorLines(policy: TrustPolicy, { agent, version }: Looked): PolicyLine[] {
  const covering = floorsFor(policy, agent)
  return [...policy.floors].map(([agents, floor]) => {
    const found = covering.find(one => one.agents === agents)
    const at = ['floors', agents]
    if (found === undefined) return neutral(at, 'This floor is for other agents')
    return isBelow(found, version)
      ? { at, says: 'against', detail: `Version ${version} is older than ${floor}, the floor of ${agents}` }
      : { at, says: 'for', detail: `Version ${version} is not older than ${floor}, the floor of ${agents}` }
  })
}
