import { type Agent, MANIFEST_FILE, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { capabilityFamily } from '../../../policy/families/index.ts'
import { entryProblem } from '../../../policy/grant-entry.ts'
import { quoteText } from '../../../text/quote.ts'
import { policyLists, toolsOf } from '../agent-parts.ts'
import { codeUse, type ToolUse, toolUse, type UsedFamily } from '../grants.ts'
import { nearGrant } from '../meant-placeholder.ts'
import type { Rule } from '../rule.ts'

export const capsUnusedGrant: Rule = {
  id: 'caps/unused-grant',
  severity: 'warning',
  scope: 'source',
  summary: 'a grant of net, secrets or exec that is not needed',
  why: 'Only an attacker will use a grant that the agent does not need. Reported only if neither the tools nor the imports of the module can use the grant.',
  fix: 'Remove the grant from policy.caps.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable', [POLICY_FILE]: 'sound', [TOOLS_FILE]: 'sound' },
  check({ agent }, report) {
    const use = toolUse(agent)
    if (use === undefined) return
    const hasTools = toolsOf(agent).length > 0
    for (const family of ['net', 'secrets', 'exec'] as const) {
      const code = codeUse(agent, family)
      // A placeholder is undecided; together with tools, the grants so far are taken as theirs.
      const isKnown = code === 'cannot' || (code === 'placeholder' && hasTools)
      if (!isKnown) continue
      const why =
        code === 'cannot' ? 'and no import of the module could use it' : 'and there is no other code yet'
      for (const { pointer, what, fix } of unused(agent, family, use))
        report({ file: POLICY_FILE, place: { pointer }, message: `No tool needs ${what}, ${why}`, fix })
    }
  },
}

interface Unused {
  readonly pointer: Pointer
  readonly what: string
  readonly fix: string
}

function unused(agent: Agent, family: UsedFamily, use: ToolUse): Unused[] {
  const needed = use[family]
  const { policy } = agent
  const list = policyLists(agent).find(({ key }) => key === family)
  if (policy === undefined || list === undefined || needed === undefined) return []
  const found: Unused[] = []
  if (family === 'exec' && policy.exec === true && needed.size === 0)
    found.push({ pointer: list.at, what: 'exec', fix: 'Remove the line, or write exec = false' })
  const left = [...list.entries]
    .map(([index, entry]) => ({ entry, index }))
    .filter(({ entry }) => entryProblem(family, entry) === undefined)
    .filter(({ entry }) => !needed.has(plainText(family, entry)) && !needed.has('*'))
  const granted = new Set([...list.entries.values()].map(entry => plainText(family, entry)))
  const lacking = [...needed].filter(
    entry => !granted.has(entry) && entryProblem(family, entry) === undefined,
  )
  // With a model grant, one secret is the model's key.
  if (family === 'secrets' && policy.model && left.length === 1) return found
  for (const { entry, index } of left) {
    const what = quoteText(entry, 100)
    const near = nearGrant(family, entry, lacking)
    found.push({
      pointer: [...list.at, index],
      what: `${family} ${what}`,
      fix:
        near === undefined
          ? `Remove ${what} from ${family}`
          : `Write ${quoteText(near, 100)}, which a tool needs; or remove ${what} from ${family}`,
    })
  }
  if (family === 'net' && policy.net.allowHttp && !use.http)
    found.push({
      pointer: ['capabilities', 'net', 'allow_http'],
      what: 'plain http',
      fix: 'Remove allow_http',
    })
  return found
}

function plainText(family: UsedFamily, entry: string): string {
  const { entries } = capabilityFamily(family)
  return entries.plain(entries.spelled(entry))
}
