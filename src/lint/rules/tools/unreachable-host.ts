import { readUrl } from '../../../format/capability/host.ts'
import { neverReached } from '../../../format/capability/reached.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'
import { toolsOfKind } from '../tools-of-kind.ts'

export const toolsUnreachableHost: Rule = {
  id: 'tools/unreachable-host',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool’s url names a host that no call is ever sent to',
  why: 'Names such as localhost, and addresses with a special meaning (0.0.0.0, multicast, one address inside another), are refused when the tool is called, whatever is granted: a reviewer of the grant could not see where the call goes.',
  fix: 'Write the address that is meant, 127.0.0.1 for this host, and grant that.',
  *check({ tools }) {
    for (const [index, { transport }] of toolsOfKind(tools, 'http')) {
      yield
      const reach = readUrl(transport.url)
      const why = 'problem' in reach ? undefined : neverReached(reach)
      if ('problem' in reach || why === undefined) continue
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'transport', 'url'] },
        message: `No call is ever sent to ${reach.host}: it is ${why}`,
        fix: 'Write the address that is meant, and grant that',
      }
    }
  },
}
