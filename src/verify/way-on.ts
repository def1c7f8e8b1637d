// What to do about a policy that a signer may not grant.
import { writeWords } from '../format/text/shell-words.ts'
import type { PolicySource } from '../model/trust.ts'
import type { Judgement } from '../trust/judge.ts'
import { BUNDLE } from './hints.ts'

/** Grants that a hint lists. */
const MOST_NAMED = 4

/** To ask for less comes first. The other way grants more, so it says what. */
export function wayOn({ role, path }: PolicySource, { counted, beyond }: Judgement): string {
  const [only, ...others] = counted
  const name = only === undefined || others.length > 0 ? 'NAME' : only
  const more = beyond.length > MOST_NAMED ? ` and ${beyond.length - MOST_NAMED} more` : ''
  const asked = beyond.length === 0 ? 'what it asks' : `${beyond.slice(0, MOST_NAMED).join(', ')}${more} too`
  const file = role === 'user' ? '' : ` --trust-policy ${writeWords([path])}`
  return `Have policy.caps ask for less. If the signer shall grant ${asked}: rlp trust add ${name} --for ${BUNDLE}${file} shows the wider rule, and asks`
}
