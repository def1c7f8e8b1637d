// What to do where a policy says no: how it is explained, and a wider rule.
import { writePath } from '../format/text/shell-words.ts'
import type { PolicySource } from '../model/trust.ts'
import type { Judgement } from '../trust/judge.ts'
import { BUNDLE } from './hints.ts'

/** The user’s own policy and the system’s are read without being named. */
export function explainHint({ role, path }: PolicySource): string {
  const file = role === 'given' ? ` --trust-policy ${writePath(path)}` : ''
  return `rlp trust explain ${BUNDLE}${file} shows what each line of the policy says of it`
}

/** Grants that a hint lists. */
const MOST_NAMED = 4

/** To ask for less comes first. The other way grants more, so it says what. */
export function wayOn({ role, path }: PolicySource, { counted, beyond }: Judgement): string {
  const [only, ...others] = counted
  const name = only === undefined || others.length > 0 ? 'NAME' : only
  const more = beyond.length > MOST_NAMED ? ` and ${beyond.length - MOST_NAMED} more` : ''
  const asked = beyond.length === 0 ? 'what it asks' : `${beyond.slice(0, MOST_NAMED).join(', ')}${more} too`
  if (role === 'channel')
    return `Have policy.caps ask for less. If the signer shall grant ${asked}: the people who publish the ${path} release a wider rule`
  const file = role === 'user' ? '' : ` --trust-policy ${writePath(path)}`
  return `Have policy.caps ask for less. If the signer shall grant ${asked}: rlp trust add ${name} --for ${BUNDLE}${file} shows the wider rule, and asks`
}
