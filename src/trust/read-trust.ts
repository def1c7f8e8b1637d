// Trust policies on disk → PolicySource[]. A policy that cannot be relied upon decides nothing; it is never treated as "no policy".

import { type ChannelPlaces, channelPlaces } from '../io/channel-places.ts'
import {
  homeLabel,
  nearLabel,
  pathBelow,
  runloopHome,
  SYSTEM_TRUST_POLICY,
  TRUST_POLICY_NAME,
} from '../io/home.ts'
import { readOwn } from '../io/owner/read-own.ts'
import type { Ways } from '../io/owner/ways.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import { part } from '../model/part.ts'
import type { PolicyContent } from '../model/policy-content.ts'
import type { PolicySource } from '../model/trust.ts'
import { unusablePolicy } from '../trust-policy/unusable.ts'

const policyFile = part(() => import('./policy-file.ts'))

interface TrustPolicyPlaces {
  /** Replaces the user's own policy; the system's still applies. A path has to exist. */
  readonly trustPolicy?: string | PolicySource | PolicyContent | undefined
  /** For tests; `/etc/runloop/trust-policy.toml` by default. */
  readonly system?: string | undefined
  /** False: no user has a policy here. */
  readonly home?: string | false | undefined
  /** For tests; what this host follows by default. */
  readonly channels?: readonly ChannelPlaces[] | undefined
  /** Against which the ends of channels are held. */
  readonly now?: Date | undefined
}

/**
 * Every policy that applies: the system's, the user's or the one that was given in its place, then one of each channel that is followed. Missing
 * files are left out. A caller who hands in what was read already has decided what applies: then no channel is asked ({@link waivesChannels}).
 */
export async function readTrustPolicies(places: TrustPolicyPlaces, ways: Ways): Promise<PolicySource[]> {
  const {
    trustPolicy,
    system = SYSTEM_TRUST_POLICY,
    home = runloopHome(),
    now = new Date(),
    channels,
  } = ownMembers(places)
  const sources = [
    await readSource(system, 'system', ways),
    trustPolicy === undefined ? await readUsers(home, ways) : await readNamed(trustPolicy, ways),
    ...(waivesChannels(trustPolicy) ? [] : await readFollowed(channels ?? channelPlaces(home), now, ways)),
  ]
  return sources.filter(source => source !== undefined)
}

/** Whether channels are not asked, because the caller handed in a policy in place of a file. */
export function waivesChannels(trustPolicy: TrustPolicyPlaces['trustPolicy']): boolean {
  return trustPolicy !== undefined && typeof trustPolicy !== 'string'
}

/** What reads them is loaded where this host follows any. */
async function readFollowed(
  places: readonly ChannelPlaces[],
  now: Date,
  ways: Ways,
): Promise<PolicySource[]> {
  if (!followsAny(places, ways)) return []
  const { readChannels } = await import('./channels/read-channels.ts')
  return readChannels(now, places, ways)
}

/** Whether anything is followed here. A place that cannot be looked at may name something: reading it says why it cannot be read. */
export function followsAny(places: readonly ChannelPlaces[], ways: Ways): boolean {
  return places.some(({ list }) => {
    try {
      return ways.file(list) !== undefined
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      return true
    }
  })
}

async function readUsers(home: string | false, ways: Ways): Promise<PolicySource | undefined> {
  return home === false ? undefined : readSource(pathBelow(home, TRUST_POLICY_NAME), 'user', ways, home)
}

/** A given policy has to exist: a misspelt path must not mean "no policy". */
async function readNamed(path: string | PolicySource | PolicyContent, ways: Ways): Promise<PolicySource> {
  if (typeof path !== 'string') return 'content' in path ? (await policyFile()).policyOfContent(path) : path
  const label = nearLabel(path)
  return (
    (await readSource(path, 'given', ways)) ??
    unusablePolicy(label, 'given', undefined, [`${label}: no such file`])
  )
}

/** @param home that has to be reached through nothing of others, also where the policy is missing */
async function readSource(
  path: string,
  role: PolicySource['role'],
  ways: Ways,
  home?: string,
): Promise<PolicySource | undefined> {
  const label = () => (role === 'given' ? nearLabel(path) : homeLabel(path))
  try {
    const bytes = await readOwn(path, ways, { home })
    return bytes && (await (await policyFile()).policyOfBytes(path, label(), role, bytes, ways))
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { ...unusablePolicy(label(), role, undefined, [error.message]), hint: error.hint }
  }
}
