import { type Capability, readCapability } from '../../../format/capability/capability.ts'
import { isGranted } from '../../../format/capability/containment.ts'
import { portsByHost, readHostPort } from '../../../format/capability/host.ts'
import { oddCommand } from '../../../format/exec/odd-command.ts'
import { quoteText, shortText } from '../../../format/text/quote.ts'
import { transportKind } from '../../../format/transports/index.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Policy } from '../../../model/policy.ts'
import type { Tool } from '../../../model/tools.ts'
import { meantCapability } from '../meant-capability.ts'
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
      yield
      // Without a list the transport decides. An empty list says that the tool needs nothing.
      const hasList = 'capabilities' in (entries[index] ?? {})
      const missing = hasList ? undeclared(tool, policy) : undefined
      if (missing === undefined) continue
      const { capability, at, key } = missing
      // A command that is no program is reported by another rule.
      if (key === 'command' && oddCommand(capability.slice('exec:'.length)) !== undefined) continue
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
  const { need } = transportKind(tool.transport)
  const words = need.words(tool.transport).map(meantCapability)
  const longest = words.at(-1)
  // A transport that cannot be read has a rule of its own.
  if (longest === undefined) return undefined
  const declared = tool.capabilities.map(readCapability).flatMap(one => ('problem' in one ? [] : one))
  if (words.some(word => isDeclared(word, declared))) return undefined
  return { capability: suggested(words, policy) ?? longest, at: need.of(tool.transport).at, key: need.key }
}

function isDeclared(word: string, declared: readonly Capability[]): boolean {
  const wanted = readCapability(word)
  if ('problem' in wanted || wanted.scope === undefined) return false
  const { family, scope } = wanted
  const same = declared.filter(one => one.family === family)
  if (family !== 'net') return same.some(one => (one.scope ?? scope) === scope)
  const target = readHostPort(scope)
  if ('problem' in target) return false
  const hosts = portsByHost(same.flatMap(one => one.scope ?? []))
  return hosts.get(target.host)?.has(target.port) === true
}

/** Without the port if that is enough and the policy grants it so. */
function suggested(words: readonly string[], policy: Policy | undefined): string | undefined {
  return words.find(
    capability => policy === undefined || isGranted({ capability, at: [], from: 'declared' }, policy),
  )
}
