// Compares an entry of a lock with a bundle that replaces it: what the bundle may do that the locked one may not, and who no longer signs
// it. Pure. Signers have the names that the trust policies of this host give them, because people know them by these.
import { diffAgents } from '../inspect/diff.ts'
import { isSuccessor } from '../install/decide.ts'
import type { Agent } from '../model/agent.ts'
import type { LockedAgent } from '../model/lock.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import type { StatedEnd } from '../signature/stated-end.ts'
import { ownerOf } from '../trust/signer.ts'
import { isOlder, isSameVersion } from '../version/reference.ts'

/** What another bundle of an agent changes. */
export interface ContentChanges {
  /** What it may do now and might not before; each continues after the agent's name. */
  readonly widened: readonly string[]
  readonly narrowed: readonly string[]
  /** What a model is told otherwise of its tools. It needs no consent. */
  readonly described: readonly string[]
  /** Ids of tools that both have, with another definition. */
  readonly tools: readonly string[]
  /** False if the locked bundle could not be found: then each new capability and each other tool counts as wider. */
  readonly isExact: boolean
}

/** All that changes of an entry, with who signed and until when. */
export interface LockChanges extends ContentChanges {
  /** Signers that came or went, and an end that moved; each continues after the agent's name. None of it needs consent by itself. */
  readonly signatures: readonly string[]
}

/** The flag of `update` that allows a change that is refused without it. */
export type LockFlag = 'caps-change' | 'signer-change' | 'downgrade' | 'none'

export interface LockConcern {
  readonly flag: LockFlag
  /** Without a full stop. */
  readonly message: string
  readonly hint: string
}

/** Where it comes from, and what of it is pinned there. */
export function isSameSource(a: LockedAgent, b: LockedAgent): boolean {
  return a.source === b.source && a.expect === b.expect && a.oci === b.oci
}

/** @param before the locked bundle itself, where it was found */
export function lockChanges(
  old: LockedAgent,
  now: LockedAgent,
  before: Agent | undefined,
  after: Agent,
): ContentChanges {
  const tools = [...now.tools].flatMap(([id, digest]) => {
    const was = old.tools.get(id)
    return was === undefined || was === digest ? [] : id
  })
  // A lock that says something else than its bundle was edited: then the lock itself is compared.
  if (before !== undefined && old.identity !== now.identity) {
    const { widened, narrowed, described } = diffAgents(before, after)
    const said = (changes: typeof widened) => changes.map(({ message }) => message)
    return {
      widened: said(widened),
      narrowed: said(narrowed),
      described: said(described),
      tools,
      isExact: true,
    }
  }
  const [were, are] = [partsOf(old), partsOf(now)]
  const missing = (from: readonly string[], other: readonly string[]) => {
    const known = new Set(other)
    return from.filter(one => !known.has(one))
  }
  return {
    widened: [...missing(are, were), ...tools.map(id => `has another definition of the tool ${id}`)],
    narrowed: missing(were, are),
    described: [],
    tools,
    isExact: false,
  }
}

function partsOf({ caps, tools }: LockedAgent): string[] {
  return [
    ...caps.map(one => `has the capability ${one}`),
    ...[...tools.keys()].map(id => `has the tool ${id}`),
  ]
}

/** What speaks against taking a bundle into the lock, each with the flag that allows it. */
export function lockConcerns(
  agent: string,
  old: LockedAgent,
  now: LockedAgent,
  { widened }: ContentChanges,
  { policies }: TrustContext,
): LockConcern[] {
  const concerns: LockConcern[] = []
  const [first] = widened
  if (first !== undefined) {
    const more = widened.length > 1 ? ` (and ${widened.length - 1} more)` : ''
    concerns.push({
      flag: 'caps-change',
      message: `Unlike ${old.version}, ${agent} ${now.version} ${first}${more}`,
      hint: 'Read what is new. If all of it is intended, --allow-caps-change takes it into the lock',
    })
  }
  const lost = old.signers.filter(key => !isSuccessor(now.signers, [key], policies))
  if (lost.length > 0) concerns.push({ flag: 'signer-change', ...signerConcern(lost, old, now, policies) })
  if (old.identity !== now.identity && isSameVersion(old.version, now.version)) {
    concerns.push({
      flag: 'none',
      message: `${agent} ${now.version} has other content than the ${old.version} that is locked`,
      hint: `Ask the signer for a new version. If other content is meant, run rlp lock remove ${agent}, and add it again with rlp lock add`,
    })
  } else if (isOlder(now.version, old.version)) {
    concerns.push({
      flag: 'downgrade',
      message: `${agent} ${old.version} is locked, and ${now.version} is older`,
      hint: 'Name a newer version. To take the older version on purpose, --allow-downgrade takes it into the lock',
    })
  }
  return concerns
}

type Policies = readonly PolicySource[]

/** `release (ed25519:…)`, or the key alone if no policy names it. */
function named(signer: string, policies: Policies): string {
  const [name] = policies.flatMap(({ policy }) => (policy && ownerOf(policy, signer)?.name) ?? [])
  return name === undefined ? signer : `${name} (${signer})`
}

/** Who signs both, and until when. */
interface SignedBoth {
  readonly before: Pick<LockedAgent, 'signers'>
  readonly after: Pick<LockedAgent, 'signers'>
  /** Undefined if the locked bundle was not found. */
  readonly endedBefore: StatedEnd | undefined
  readonly endsAfter: string | undefined
  readonly policies: Policies
}

/** Each continues after the agent's name. */
export function signatureChanges({ before, after, endedBefore, endsAfter, policies }: SignedBoth): string[] {
  const less = (list: readonly string[], other: readonly string[]) => list.filter(one => !other.includes(one))
  return [
    ...less(before.signers, after.signers).map(one => `is not signed by ${named(one, policies)} any more`),
    ...less(after.signers, before.signers).map(one => `is signed by ${named(one, policies)} now`),
    ...endChange(endedBefore, endsAfter),
  ]
}

function endChange(before: StatedEnd | undefined, after: string | undefined): string[] {
  if (before === undefined || before.notAfter === after) return []
  const ends = (end: string | undefined) => (end === undefined ? 'do not end' : `end at ${end}`)
  return [`has signatures that ${ends(after)}; those that are locked ${ends(before.notAfter)}`]
}

/**
 * Why another signer needs a yes.
 * @param lost signers that the lock lists, without a successor
 */
export function signerConcern(
  lost: readonly string[],
  old: Pick<LockedAgent, 'signers'>,
  now: Pick<LockedAgent, 'signers'>,
  policies: Policies,
): { readonly message: string; readonly hint: string } {
  const who = lost.map(one => named(one, policies)).join(' and ')
  const isRevoked = lost.some(one => policies.some(({ policy }) => policy?.revokedKeys.has(one)))
  const others = now.signers.filter(one => !old.signers.includes(one)).map(one => named(one, policies))
  const instead = others.length === 0 ? '' : `; ${others.join(' and ')} has signed it`
  const state = isRevoked ? 'does not count, because the key is revoked' : 'is missing'
  const ask = isRevoked
    ? `Ask ${others.length === 0 ? 'the other signers' : 'the new signer'}, by another way than you got the bundle, whether they vouch for it`
    : `Ask the former signer, by another way than you got the bundle, whether this is right`
  return {
    message: `The signature of ${who}, which the lock lists, ${state}${instead}`,
    hint: `${ask}. If the change is intended, --allow-signer-change takes it into the lock`,
  }
}
