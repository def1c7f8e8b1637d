import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Policy } from '../../../model/policy.ts'
import { readCapability } from '../../../policy/capability.ts'
import { isGranted, undeclared } from '../../../policy/containment.ts'
import { entryProblem } from '../../../policy/grant-entry.ts'
import { quoteText, shortText } from '../../../text/quote.ts'
import { oddCommand } from '../../../tools/command-oddities.ts'
import type { Rule } from '../rule.ts'

export const capsUndeclaredNeed: Rule = {
  id: 'caps/undeclared-need',
  severity: 'info',
  scope: 'source',
  summary: 'the transport needs what the list of capabilities leaves out',
  why: 'Here both are proved against policy.caps. A reviewer who reads the list, and a runtime that goes by it, believe that the tool needs no more.',
  fix: 'Add the need to the list, or leave out the whole list.',
  looks: 'tool',
  check({ agent, tool, at: top, written }, report) {
    // Without a list the transport decides. An empty list says that the tool needs nothing.
    const missing = 'capabilities' in written ? undeclared(tool, agent.policy) : undefined
    if (missing === undefined) return
    const { capability, at, key } = missing
    // One that cannot be read or granted may be the one that is missing: another rule says what to write.
    if (tool.capabilities.some(text => isSlip(text, capability, agent.policy))) return
    // A command that is no program is reported by another rule.
    if (key === 'command' && oddCommand(capability.slice('exec:'.length)) !== undefined) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...top, ...at] },
      message: `By its ${key} ${shortText(tool.id)} needs ${shortText(capability, 100)}, and capabilities does not say so`,
      fix: `Add ${quoteText(capability, 100)} to capabilities`,
      shared: {
        name: quoteText(tool.id),
        words: `tools need ${shortText(capability, 100)} by their ${key}, and their capabilities do not say so`,
      },
    })
  },
}

function isSlip(text: string, missing: string, policy: Policy | undefined): boolean {
  const read = readCapability(text)
  if ('problem' in read || (read.scope !== undefined && entryProblem(read.family, read.scope) !== undefined))
    return true
  if (policy === undefined || !missing.startsWith(`${read.family}:`)) return false
  return !isGranted({ capability: text, at: [], from: 'declared' }, policy)
}
