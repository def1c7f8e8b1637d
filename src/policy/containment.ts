// Tools ⊆ policy: does a policy grant what a tool needs, each grant read in its narrowest meaning? Monotone: more grants never grant less. Beside it,
// the entry that grants a need, and the needs that a tool's list of capabilities leaves out.
import type { Family, Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { transportKind } from '../tools/transports/index.ts'
import { type Capability, readCapability } from './capability.ts'
import type { CapabilityFamily, DenialReason, Grant, Scheme } from './families/family.ts'
import { capabilityFamily, grantedOf } from './families/index.ts'
import { meantCapability } from './grant-entry.ts'
import { portsByHost, readHostPort } from './host.ts'
import type { Need } from './need.ts'
import { needsOf } from './needs.ts'

/** The needs of a tool that a policy does not grant; none if the tool may be exposed. */
export function notGranted(tool: Tool, policy: Policy): Need[] {
  return needsOf(tool).filter(need => !isGranted(need, policy))
}

/** Whether a policy grants a need. A capability that cannot be read is never granted. */
export function isGranted(need: Need, policy: Policy): boolean {
  return denialReason(need, policy) === undefined
}

/** Undefined if the policy grants the need. */
export function denialReason(need: Need, policy: Policy): DenialReason | undefined {
  const known = knownOf(policy)
  const before = known.answers.get(need.scheme)?.get(need.capability)
  if (before !== undefined) return before === GRANTED ? undefined : before
  const reason = judgedReason(need, policy, known.judges)
  if (known.left > 0) {
    known.left--
    const answers: Answers = known.answers.get(need.scheme) ?? new Map()
    known.answers.set(need.scheme, answers)
    answers.set(need.capability, reason ?? GRANTED)
  }
  return reason
}

function judgedReason(
  { capability: text, scheme }: Need,
  policy: Policy,
  judges: Map<Family, Judge>,
): DenialReason | undefined {
  const capability = readCapability(text)
  if ('problem' in capability) return 'cap_missing'
  const { family, scope } = capability
  const judge = judges.get(family) ?? capabilityFamily(family).need.denial(policy)
  judges.set(family, judge)
  return judge(scope, scheme)
}

type Judge = ReturnType<CapabilityFamily['need']['denial']>

const GRANTED = 'granted'

type Answers = Map<string, DenialReason | typeof GRANTED>

/** What was found out about one policy. */
interface Known {
  readonly judges: Map<Family, Judge>
  /** By the scheme and the text of a need, which are all that an answer depends on. */
  readonly answers: Map<Scheme, Answers>
  /** How many more answers are kept. */
  left: number
}

/** Strangers write the capabilities of tools, and a hostile agent has a million different ones. Further ones are judged each time. */
const MOST_ANSWERS = 1000

/** Safe as a cache, because a policy never changes after it was read. A hostile one has a million entries, and as many tools ask. */
const knownPolicies = new WeakMap<Policy, Known>()

function knownOf(policy: Policy): Known {
  const before = knownPolicies.get(policy)
  if (before !== undefined) return before
  const known: Known = { judges: new Map(), answers: new Map(), left: MOST_ANSWERS }
  knownPolicies.set(policy, known)
  return known
}

/** Undefined if no entry means this need, for example `net` without a host, or a folder that is not absolute. */
export function grantFor(need: Need): Grant | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return undefined
  const { family, scope } = capability
  const entry = capabilityFamily(family).need.entryFor(scope, need.scheme)
  return entry && { key: family, ...entry }
}

/** The policy with more entries, at the ends of their lists. */
export function withGrants(policy: Policy, grants: readonly Grant[]): Policy {
  let granted = policy
  for (const key of new Set(grants.map(({ key }) => key))) {
    const family = capabilityFamily(key)
    const own = grants.filter(grant => grant.key === key)
    granted = { ...granted, [family.member]: family.need.added(grantedOf(policy, family), own) }
  }
  return granted
}

/** What the transport needs and a list of capabilities leaves out; undefined if nothing. */
export function undeclared(tool: Tool, policy: Policy | undefined) {
  const { need } = transportKind(tool.transport)
  const stated = need.words(tool.transport)
  for (const word of stated) if (isListed(word, tool.capabilities)) return undefined
  const words = stated.map(meantCapability)
  const longest = words.at(-1)
  // A transport that cannot be read has a rule of its own.
  if (longest === undefined) return undefined
  const declared = tool.capabilities.map(readCapability).flatMap(one => ('problem' in one ? [] : one))
  if (words.some(word => isDeclared(word, declared))) return undefined
  return { capability: suggested(words, policy) ?? longest, at: need.of(tool.transport).at, key: need.key }
}

/** Whether a word that means itself is declared as it is written: mostly so, and then no list is read. */
function isListed(word: string, capabilities: readonly string[]): boolean {
  if (!capabilities.includes(word) || meantCapability(word) !== word) return false
  const read = readCapability(word)
  return !('problem' in read) && read.scope !== undefined && read.family !== 'net'
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
