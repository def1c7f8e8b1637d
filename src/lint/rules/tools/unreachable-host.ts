import { TOOLS_FILE } from '../../../model/agent.ts'
import { neverReached } from '../../../policy/address.ts'
import type { Rule } from '../rule.ts'

export const toolsUnreachableHost: Rule = {
  id: 'tools/unreachable-host',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool’s url names a host that no call is ever sent to',
  why: 'Names such as localhost, and addresses with a special meaning (0.0.0.0, multicast, one address inside another), are refused when the tool is called, whatever is granted: a reviewer of the grant could not see where the call goes.',
  fix: 'Write the address that is meant, 127.0.0.1 for this host, and grant that.',
  looks: 'http',
  check({ at, reach }, report) {
    if (reach === undefined || 'problem' in reach) return
    const why = neverReached(reach)
    if (why === undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'url'] },
      message: `No call is ever sent to ${reach.host}: it is ${why}`,
      fix: 'Write the address that is meant, and grant that',
    })
  },
}
