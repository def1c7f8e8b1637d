import { isGranted } from '../../../format/capability/containment.ts'
import { transportNeed } from '../../../format/capability/needs.ts'
import { namesThisMachine } from '../../../format/capability/reached.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const toolsPlainHttp: Rule = {
  id: 'tools/plain-http',
  severity: 'warning',
  scope: 'source',
  summary: 'a tool talks to another host without encryption',
  why: 'Everybody on the way reads the call, its secrets included, and can answer in the place of the host.',
  fix: 'Use https.',
  looks: 'http',
  check({ agent: { policy }, at, tool, reach }, report) {
    if (reach === undefined || 'problem' in reach || reach.scheme === 'https') return
    if (namesThisMachine(reach.host)) return
    // Without the grant the tool is not exposed at all, and its author has to hear that first.
    if (policy !== undefined && !isGranted(transportNeed(tool), policy)) return
    const secrets = tool.secrets.length > 0 ? ', with its secrets' : ''
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'url'] },
      message: `The call goes to ${reach.host} unencrypted${secrets}`,
      fix: 'Write https://, or reach the host through a proxy on this one',
    })
  },
}
