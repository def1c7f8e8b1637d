import { isForbiddenEnv } from '../../../format/capability/code-variables.ts'
import { notGranted } from '../../../format/capability/containment.ts'
import type { Grant } from '../../../format/capability/families/family.ts'
import { entryProblem } from '../../../format/capability/grant-entry.ts'
import { grantFor } from '../../../format/capability/grant-need.ts'
import type { Need } from '../../../format/capability/need.ts'
import { oddCommand } from '../../../format/exec/odd-command.ts'
import { shortText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import type { Policy } from '../../../model/policy.ts'
import type { Tool } from '../../../model/tools.ts'
import { type AskedGrant, GrantLines } from '../grant-lines.ts'
import type { Rule } from '../rule.ts'

export const capsNotGranted: Rule = {
  id: 'caps/not-granted',
  severity: 'error',
  scope: 'source',
  summary: 'a tool needs what policy.caps does not grant',
  why: 'No runtime exposes such a tool: the agent would find out at work that it is not there. What a url, a command, a secret or a variable implies counts like what capabilities lists.',
  fix: 'Write the line that the finding names into policy.caps, if the agent may do that; or remove the need from the tool.',
  *check(agent) {
    const { policy, tools } = agent
    if (policy === undefined || tools === undefined) return
    const lines = new GrantLines(agent, policy)
    for (const [index, tool] of tools.tools.entries()) {
      yield
      for (const { need, fix } of missing(tool, policy, lines))
        yield {
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, ...need.at] },
          message: `${shortText(tool.id)} needs ${needText(need)}, which policy.caps does not grant`,
          fix: fix(),
        }
    }
  },
}

/** No real tool needs more, and a hostile one is not listed to its end. */
const MOST_NEEDS = 1000

function missing(tool: Tool, policy: Policy, lines: GrantLines): { need: Need; fix: AskedGrant }[] {
  const asked = new Set<string>()
  return notGranted(tool, policy)
    .slice(0, MOST_NEEDS)
    .flatMap(need => {
      const grant = grantFor(need)
      // A need that no policy can grant is reported by another rule.
      if (!isMeant(need, grant)) return []
      if (grant === undefined)
        return { need, fix: () => `Name what is needed, as ${own(EXAMPLES, need.capability)}` }
      const same = JSON.stringify([grant.key, grant.same])
      if (asked.has(same)) return []
      asked.add(same)
      return { need, fix: lines.ask(need, grant) }
    })
}

/** Families that cannot be granted as a whole. */
const EXAMPLES: Readonly<Record<string, string>> = {
  net: 'net:api.mail.example',
  secrets: 'secrets:runloop/mail/smtp_api_key',
}

function isMeant(need: Need, grant: Grant | undefined): boolean {
  if (grant === undefined) return Object.hasOwn(EXAMPLES, need.capability)
  if (need.at[0] === 'x-rlp' && isForbiddenEnv(need.capability.slice('secrets:env/'.length))) return false
  if (grant.entry === true) return true
  if (grant.key === 'exec' && oddCommand(grant.entry) !== undefined) return false
  return entryProblem(grant.key, grant.entry) === undefined
}

function needText({ capability, scheme }: Need): string {
  return `${shortText(capability, 100)}${scheme === 'http' ? ' over plain http' : ''}`
}
