import { type Agent, TOOLS_FILE } from '../../../model/agent.ts'
import { namesThisMachine } from '../../../policy/address.ts'
import { isGranted } from '../../../policy/containment.ts'
import { transportNeed } from '../../../policy/needs.ts'
import { toolsOf } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const toolsPlainHttp: Rule = {
  id: 'tools/plain-http',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool talks to another host without encryption',
  why: 'Everybody on the way reads the call, its secrets included, and can answer in the place of the host.',
  fix: 'Use https.',
  looks: 'http',
  check({ agent, at, index, tool, reach }, report) {
    const { policy } = agent
    if (reach === undefined || 'problem' in reach || reach.scheme === 'https') return
    if (namesThisMachine(reach.host)) return
    // Without the grant the tool is not exposed at all, and its author has to hear that first.
    if (policy !== undefined && !isGranted(transportNeed(tool), policy)) return
    const secrets = tool.secrets.length > 0 ? ', with its secrets' : ''
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'url'] },
      message: `The call goes to ${reach.host} unencrypted${secrets}`,
      fix: hasOther(agent, index)
        ? 'Write https://, or reach the host through a proxy on this one'
        : 'Write https://, and remove allow_http in policy.caps; or reach the host through a proxy on this one',
    })
  },
}

/** Whether another tool needs the grant for plain http, or there is none. */
function hasOther(agent: Agent, index: number): boolean {
  if (agent.policy?.net.allowHttp !== true) return true
  return toolsOf(agent).some(
    ({ tool, index: other }) => other !== index && transportNeed(tool).scheme === 'http',
  )
}
