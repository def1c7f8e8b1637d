import { type Agent, POLICY_FILE, TOOLS_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import type { Policy } from '../../../model/policy.ts'
import type { Tool } from '../../../model/tools.ts'
import { namesThisMachine } from '../../../policy/address.ts'
import { isForbiddenEnv } from '../../../policy/code-variables.ts'
import { grantFor, isGranted, undeclared } from '../../../policy/containment.ts'
import type { Grant } from '../../../policy/families/family.ts'
import { capabilityFamily } from '../../../policy/families/index.ts'
import { entryProblem, meantCapability, meantFamily, meantPolicy } from '../../../policy/grant-entry.ts'
import { readHostPort } from '../../../policy/host.ts'
import type { Need } from '../../../policy/need.ts'
import { firstOfNeeds, needsOf } from '../../../policy/needs.ts'
import { plainPathProblem } from '../../../policy/plain-path.ts'
import { unknownFamilies } from '../../../policy/read.ts'
import { policyEntries } from '../../../policy/write.ts'
import { quoteText, shortText } from '../../../text/quote.ts'
import { midSentence } from '../../../text/words.ts'
import { transportKind } from '../../../tools/transports/index.ts'
import { toolsOf } from '../agent-parts.ts'
import { type AskedGrant, GrantLines, type ToolUse, toolUse } from '../grants.ts'
import { nearGrant } from '../meant-placeholder.ts'
import type { Rule } from '../rule.ts'

export const capsNotGranted: Rule = {
  id: 'caps/not-granted',
  severity: 'error',
  scope: 'source',
  summary: 'a tool needs what policy.caps does not grant',
  why: 'No runtime exposes such a tool: the agent would find out at work that it is not there. What a url, a command, a secret or a variable implies counts like what capabilities lists.',
  fix: 'Write the line that the finding names into policy.caps, if the agent may do that; or remove the need from the tool.',
  looks: 'agent',
  needs: { [POLICY_FILE]: 'sound', [TOOLS_FILE]: 'parts' },
  check({ agent }, report) {
    if (agent.policy === undefined) return
    // What another rule finds in an entry is taken as corrected.
    const policy = meantPolicy(agent.policy)
    // Many tools need the same, and what it means is asked once.
    const meanings = new Map<string, string>()
    const asMeant = (need: Need): Need => {
      const known = meanings.get(need.capability)
      const capability = known ?? meantCapability(need.capability)
      if (known === undefined) meanings.set(need.capability, capability)
      return capability === need.capability ? need : { ...need, capability }
    }
    const deniedIn = (need: Need) => (isGranted(asMeant(need), policy) ? undefined : need)
    // Not for each tool: an edit has the grants that the tools before it ask for.
    let asking: Asking | undefined
    let misspelt: ReadonlySet<string | undefined> | undefined
    for (const { index, tool } of toolsOf(agent)) {
      if (firstOfNeeds(tool, deniedIn) === undefined) continue
      const denied = needsOf(tool).filter(deniedIn).slice(0, MOST_NEEDS).map(asMeant)
      asking ??= {
        policy,
        lines: new GrantLines(agent, policy),
        use: toolUse(agent),
        needed: countedNeeds(agent),
      }
      misspelt ??= misspeltFamilies(agent)
      for (const { need, fix } of missing(tool, denied, asking)) {
        // Another rule reports the key that was meant to grant it.
        if (misspelt.has(need.capability.split(':')[0])) continue

        report({
          file: TOOLS_FILE,
          place: { pointer: ['tools', index, ...need.at] },
          message: `${shortText(tool.id)} needs ${needText(need)}, which policy.caps does not grant`,
          fix: fix(),
        })
      }
    }
  },
}

/** The families that keys were meant to be which no runtime knows. */
function misspeltFamilies({ documents }: Agent): ReadonlySet<string | undefined> {
  const { capabilities = {} } = (documents.get(POLICY_FILE)?.value ?? {}) as {
    readonly capabilities?: object
  }
  return new Set(unknownFamilies(capabilities).map(meantFamily))
}

function countedNeeds(agent: Agent): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { tool } of toolsOf(agent)) {
    const grants = needsOf(tool).flatMap(need => grantFor(need) ?? [])
    for (const entry of new Set(grants.map(({ key, entry }) => `${key} ${entry}`)))
      counts.set(entry, (counts.get(entry) ?? 0) + 1)
  }
  return counts
}

/** No real tool needs more, and a hostile one is not listed to its end. */
const MOST_NEEDS = 1000

function missing(tool: Tool, denied: readonly Need[], asking: Asking): { need: Need; fix: AskedGrant }[] {
  const asked = new Set<string>()
  return denied.flatMap(need => {
    const grant = grantFor(need)
    // A need that no policy can grant is reported by another rule.
    if (!isMeant(need, grant)) return []
    if (grant === undefined)
      return { need, fix: () => `Name what is needed, as ${own(EXAMPLES, need.capability)}` }
    const same = JSON.stringify([grant.key, grant.same])
    if (asked.has(same)) return []
    asked.add(same)
    return { need, fix: fixOf(tool, asking, need, grant) }
  })
}

interface Asking {
  readonly policy: Policy
  readonly lines: GrantLines
  /** Undefined where a tool cannot be read. */
  readonly use: ToolUse | undefined
  /** How many tools need an entry, by its list and the entry. */
  readonly needed: ReadonlyMap<string, number>
}

/** What is granted is not said first where a slip, or a call that anybody can read, is the likelier fault. */
function fixOf(tool: Tool, asking: Asking, need: Need, grant: Grant): AskedGrant {
  const { policy, lines } = asking
  const slip =
    listedSlip(tool, need) ?? (grant.entry === true ? undefined : entrySlip(asking, grant.key, grant.entry))
  if (slip !== undefined) return () => slip
  if (!isOpenToAll(need, grant)) return lines.ask(need, grant)
  const safe: Need = { ...need, scheme: 'https', capability: need.capability.replace(/:80$/, ':443') }
  const safeGrant = isGranted(safe, policy) ? undefined : grantFor(safe)
  const edit = safeGrant && lines.ask(safe, safeGrant)
  const secret = tool.secrets.length > 0
  const rest = secret ? '' : '; only where the host has no https, write allow_http = true at net'
  const why = secret ? ', because on the way everybody can read the secrets of the tool' : ''
  return () =>
    `Write https:// in the url${why}${edit === undefined ? '' : `, and ${midSentence(edit())}`}${rest}`
}

/** A capability that is listed in the place of the one that the transport needs. */
function listedSlip(tool: Tool, { capability, from, at }: Need): string | undefined {
  const { need } = transportKind(tool.transport)
  if (from !== 'declared' || at.length === 0 || !capability.startsWith(`${need.family}:`)) return undefined
  const left = undeclared(tool, undefined)
  // A command that is no program has a rule of its own.
  const isPlain =
    left !== undefined &&
    plainPathProblem(need.family, left.capability.slice(need.family.length + 1)) === undefined
  if (!isPlain) return undefined
  return `Write ${quoteText(left.capability, 100)}, which the ${left.key} needs; grant the other only if the tool needs both`
}

/** An entry that differs by a slip from one that is granted: the slip is in the tool, or in the policy if no tool needs what is granted. */
function entrySlip({ policy, use, needed }: Asking, key: Grant['key'], entry: string): string | undefined {
  const near = nearGrant(key, entry, policyEntries(policy, key))
  if (near === undefined) return undefined
  const [mine, granted] = [quoteText(entry, 100), quoteText(near, 100)]
  // Two tools do not have the same slip.
  const isUsual = (needed.get(`${key} ${entry}`) ?? 0) > 1
  if (isUsual && use !== undefined && isUnneeded(use, key, near))
    return `Replace ${granted} with ${mine} in policy.caps; no tool needs the other`
  return `If this is a slip, replace ${mine} with ${granted} in the tool, which is granted. If not, add ${mine} to ${key} in policy.caps`
}

function isUnneeded(use: ToolUse, key: Grant['key'], entry: string): boolean {
  if (key !== 'net' && key !== 'secrets' && key !== 'exec') return false
  const needed = use[key]
  return needed !== undefined && !needed.has(capabilityFamily(key).entries.spelled(entry)) && !needed.has('*')
}

/** Plain http to another machine. */
function isOpenToAll({ scheme, capability }: Need, { allowHttp }: Grant): boolean {
  const target = readHostPort(capability.slice('net:'.length))
  return scheme === 'http' && allowHttp && !('problem' in target) && !namesThisMachine(target.host)
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
  if (plainPathProblem(grant.key, grant.entry) !== undefined) return false
  return entryProblem(grant.key, grant.entry) === undefined
}

function needText({ capability, scheme }: Need): string {
  return `${shortText(capability, 100)}${scheme === 'http' ? ' over plain http' : ''}`
}
