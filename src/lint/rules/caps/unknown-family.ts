import { POLICY_FILE } from '../../../model/agent.ts'
import { FAMILIES } from '../../../policy/families/index.ts'
import { meantFamily } from '../../../policy/grant-entry.ts'
import { unknownFamilies } from '../../../policy/read.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

export const capsUnknownFamily: Rule = {
  id: 'caps/unknown-family',
  severity: 'error',
  scope: 'source',
  summary: 'policy.caps grants something no runtime knows',
  why: 'Most runtimes ignore families they do not know, so a misspelt key silently grants nothing; a newer one may grant what no reviewer understood. No signer’s rule covers such a key, not even "any", so the signed bundle is policy_denied.',
  fix: 'Correct the spelling or remove the key.',
  looks: 'agent',
  needs: { [POLICY_FILE]: 'readable' },
  check({ agent }, report) {
    const root = agent.documents.get(POLICY_FILE)?.value as { capabilities?: unknown } | undefined
    const caps = root?.capabilities
    if (typeof caps !== 'object' || caps === null || Array.isArray(caps)) return
    for (const key of unknownFamilies(caps))
      report({
        file: POLICY_FILE,
        place: { pointer: ['capabilities', key], part: 'key' },
        message: `No runtime knows the capability ${quoteText(key)}`,
        fix: fixFor(key, caps),
      })
  },
}

/** A family that is there already was not meant. */
function fixFor(key: string, caps: object): string {
  const meant = meantFamily(key)
  return meant === undefined || Object.hasOwn(caps, meant)
    ? `Use one of ${FAMILIES.join(', ')}, or remove the line`
    : `Did you mean ${quoteText(meant)}? If not, remove the line`
}
