import { readCapability } from '../../format/capability.ts'
import { isGranted } from '../../format/containment.ts'
import { isProgramPath } from '../../format/grant-entry.ts'
import { portsByHost, readUrl } from '../../format/host.ts'
import { shortText } from '../../format/quote-text.ts'
import { TOOLS_FILE } from '../../model/agent.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import type { Rule } from '../rule.ts'

export const capsUndeclaredNeed: Rule = {
  id: 'caps/undeclared-need',
  severity: 'info',
  scope: 'source',
  summary: 'the transport needs what capabilities leaves out',
  why: 'rlp proves both against policy.caps. Runtimes that look at capabilities alone expose such a tool to an agent that may not reach its host or start its program.',
  fix: 'Add the need to the capabilities of the tool.',
  *check({ tools, policy }) {
    for (const [index, tool] of (tools?.tools ?? []).entries()) {
      const missing = undeclared(tool, policy)
      if (missing === undefined) continue
      const { capability, at } = missing
      const key = tool.transport.kind === 'exec' ? 'command' : 'url'
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, ...at] },
        message: `By its ${key} ${shortText(tool.id)} needs ${shortText(capability, 100)}, and capabilities does not say so`,
        fix: `Add ${JSON.stringify(shortText(capability, 100))} to capabilities`,
      }
    }
  },
}

function undeclared(tool: Tool, policy: Policy | undefined) {
  const { transport } = tool
  const declared = tool.capabilities.map(readCapability).flatMap(one => ('problem' in one ? [] : one))
  if (transport.kind === 'exec') {
    const { command } = transport
    // A command that is none has a rule of its own, and so has a url.
    if (!isProgramPath(command)) return undefined
    const isDeclared = declared.some(
      ({ family, scope }) => family === 'exec' && (scope ?? command) === command,
    )
    return isDeclared ? undefined : { capability: `exec:${command}`, at: ['transport', 'command'] }
  }
  const reach = readUrl(transport.url)
  if ('problem' in reach) return undefined
  const ports = portsByHost(
    declared.flatMap(({ family, scope }) => (family === 'net' && scope !== undefined ? scope : [])),
  ).get(reach.host)
  const isUsual = reach.port === (reach.scheme === 'https' ? 443 : 80)
  if (ports?.has(reach.port) || (isUsual && ports?.has(undefined))) return undefined
  return { capability: capabilityFor(reach.host, reach.port, isUsual, policy), at: ['transport', 'url'] }
}

/** Without the port where that is enough and the policy grants it so. */
function capabilityFor(host: string, port: number, isUsual: boolean, policy: Policy | undefined): string {
  const short = `net:${host}`
  const isShort = policy === undefined || isGranted({ capability: short, at: [], from: 'declared' }, policy)
  return isUsual && isShort ? short : `${short}:${port}`
}
