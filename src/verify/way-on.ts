// What to do where a policy says no: how it is explained, and a wider rule.

import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import type { Judgement } from '../trust/judge.ts'
import { type Asked, ruleFor, widenedRules } from '../trust/rule.ts'
import {
  type BeyondRule,
  excessOver,
  filledRule,
  ruleAskedBy,
  unsaidBy,
} from '../trust-policy/rule-fields/index.ts'
import { referenceText } from '../version/reference.ts'
import { BUNDLE } from './hints.ts'

/** The user’s own policy and the system’s are read without being named. */
export function explainHint({ role, path }: PolicySource): string {
  const file = role === 'given' ? ` --trust-policy ${writePath(path)}` : ''
  return `rlp trust explain ${BUNDLE}${file} shows what each line of the policy says of it`
}

/** Grants that a hint lists. */
const MOST_NAMED = 4

type Usable = PolicySource & { readonly policy: TrustPolicy }

/** To ask for less comes first. The other way grants more, so it says what. */
export function wayOn({ role, path, policy }: Usable, judgement: Judgement, asked: Asked): string {
  const { counted, beyond, at } = judgement
  const [only, ...others] = counted
  const name = only === undefined || others.length > 0 ? 'NAME' : only
  const shall = `Have policy.caps ask for less. If the signer shall grant ${grantWords(beyond)}:`
  if (role === 'channel') return `${shall} the people who publish the ${path} release a wider rule`
  const file = role === 'user' ? '' : ` --trust-policy ${writePath(path)}`
  const proposed = afterProposal(policy, String(at[1] ?? name), asked)
  if ('problem' in proposed) return `${shall} edit ${writePath(path)}, because ${proposed.problem}`
  if (proposed.beyond.length === 0)
    return `${shall} rlp trust add ${name} --for ${BUNDLE}${file} shows the wider rule, and asks`
  const words = new Set(proposed.unsaid.flatMap(({ words }) => (words ? writeWords(words) : [])))
  if (words.size > 0) return `${shall} rlp trust add ${name} ${[...words].join(' ')}${file}`
  const [first] = proposed.unsaid
  const why = first?.text ?? `No rule can grant ${proposed.beyond[0]?.grant}`
  return `Have policy.caps ask for less. ${why}`
}

function grantWords(grants: readonly string[]): string {
  if (grants.length === 0) return 'what it asks'
  const more = grants.length > MOST_NAMED ? ` and ${grants.length - MOST_NAMED} more` : ''
  return `${grants.slice(0, MOST_NAMED).join(', ')}${more} too`
}

/** What the rule would still not grant after `rlp trust add --for`, so that no hint proposes a command which changes nothing. */
function afterProposal({ rules }: TrustPolicy, name: string, { agent, caps }: Asked) {
  const reference = referenceText(agent)
  const before = rules.get(name)
  const wider = widenedRules(before, ruleAskedBy(caps, reference))
  if ('problem' in wider) return wider
  const after = ruleFor(name, wider.value, reference)?.rule
  const beyond: readonly BeyondRule[] = after ? excessOver(filledRule(after, agent.name), caps) : []
  return { beyond, unsaid: unsaidBy(caps, before && ruleFor(name, before, reference)?.rule) }
}
