import { readCapability } from '../../../format/capability/capability.ts'
import { isGranted } from '../../../format/capability/containment.ts'
import { isProgramPath } from '../../../format/capability/grant-entry.ts'
import { portsByHost, readUrl } from '../../../format/capability/host.ts'
import { quoteText, shortText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Policy } from '../../../model/policy.ts'
import type { Tool } from '../../../model/tools.ts'
import { rawTools } from '../raw-tools.ts'
import type { Rule } from '../rule.ts'

export const capsUndeclaredNeed: Rule = {
  id: 'caps/undeclared-need',
  severity: 'info',
  scope: 'source',
  summary: 'the transport needs what the list of capabilities leaves out',
  why: 'Here both are proved against policy.caps. A reviewer who reads the list, and a runtime that goes by it, believe that the tool needs no more.',
  fix: 'Add the need to the list, or leave out the whole list.',
  *check({ tools, policy, documents }) {
    const entries = rawTools(documents.get(TOOLS_FILE)?.value)
    for (const [index, tool] of (tools?.tools ?? []).entries()) {
      // Without a list nothing is said, and the transport speaks for itself. An empty list says "nothing".
      const hasList = 'capabilities' in (entries[index] ?? {})
      const missing = hasList ? undeclared(tool, policy) : undefined
      if (missing === undefined) continue
      const { capability, at } = missing
      const key = tool.transport.kind === 'exec' ? 'command' : 'url'
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, ...at] },
        message: `By its ${key} ${shortText(tool.id)} needs ${shortText(capability, 100)}, and capabilities does not say so`,
        fix: `Add ${quoteText(capability, 100)} to capabilities`,
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
