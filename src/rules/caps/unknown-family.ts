import { FAMILIES } from '../../format/capability/capability.ts'
import { POLICY_FILE } from '../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const capsUnknownFamily: Rule = {
  id: 'caps/unknown-family',
  severity: 'warning',
  scope: 'source',
  summary: 'policy.caps grants something no runtime knows',
  why: 'Runtimes ignore families they do not know, so a misspelt key silently grants nothing.',
  fix: 'Correct the spelling or remove the key.',
  *check(agent) {
    const root = agent.documents.get(POLICY_FILE)?.value as { capabilities?: unknown } | undefined
    const caps = root?.capabilities
    if (typeof caps !== 'object' || caps === null || Array.isArray(caps)) return
    for (const key of Object.keys(caps)) {
      if ((FAMILIES as readonly string[]).includes(key)) continue
      yield {
        file: POLICY_FILE,
        place: { pointer: ['capabilities', key], part: 'key' },
        message: `No runtime knows the capability ${JSON.stringify(key.slice(0, 60))}`,
        fix: `Use one of ${FAMILIES.join(', ')}, or remove the line`,
      }
    }
  },
}
