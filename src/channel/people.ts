// Names the people behind the keys of a channel, because base64 cannot be compared by eye. A name comes from the released policy, which enough people
// have signed, and never from a draft: its author could call their own key by another person's name.
import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { readPolicySource } from '../policy/read-policy.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import { isRevoked } from '../trust-policy/revoked.ts'
import type { ChannelContents } from './contents.ts'

/** A key, and what to call it. */
export interface ChannelPerson {
  readonly key: string
  /** What the released policy calls the signer with this key; null if it knows none. */
  readonly name: string | null
  /** As `ssh-keygen -l` prints it; null for a key that ssh does not know. */
  readonly fingerprint: string | null
}

/** Writes a key with its name, or else with its fingerprint: `ed25519:… (ada)`. */
export type WrittenKey = (key: string) => string

/** Those who may speak, then those who make heartbeats: of the newest root, and then of the draft of the next one. */
export function peopleOf(contents: ChannelContents): readonly ChannelPerson[] {
  const { roots, draft } = contents
  const statements = [roots.at(-1), draft.root].flatMap(root => root?.statement ?? [])
  const keys = new Set(statements.flatMap(({ keys, heartbeats }) => [...keys, ...heartbeats]))
  const person = personIn(contents)
  return [...keys].map(person)
}

export function writtenKeys(contents: Pick<ChannelContents, 'release' | 'files'>): WrittenKey {
  const person = personIn(contents)
  return key => {
    const { name, fingerprint } = person(key)
    const called = name ?? fingerprint
    return called === null ? key : `${key} (${called})`
  }
}

/**
 * Says who speaks no longer for the channel under the drafted root, and still counts in the policy that hosts will have: a line for each.
 * A rotation changes the root alone.
 */
export function stillInPolicy(contents: ChannelContents): readonly string[] {
  const { roots, draft } = contents
  const [before, now] = [roots.at(-1)?.statement, draft.root?.statement]
  const policy = policyIn(draft.files) ?? policyIn(contents.files)
  if (before === undefined || now === undefined || policy === undefined) return []
  const gone = before.keys.filter(key => !now.keys.includes(key))
  return policy.anchors.flatMap(({ name, keys }) => {
    const left = keys.filter(key => gone.includes(key) && !isRevoked(policy, key))
    // Another key of the same person speaks instead.
    if (left.length === 0 || keys.some(key => now.keys.includes(key))) return []
    const groups = policy.groups.filter(({ of }) => of.includes(name)).map(group => group.name)
    const where =
      groups.length === 0
        ? 'is still a signer of the policy'
        : `is still in the ${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')} of the policy`
    return `${name} speaks no longer for the channel, and ${where}. To change that, edit the policy, and run rlp channel release`
  })
}

function personIn({ release, files }: Pick<ChannelContents, 'release' | 'files'>) {
  const anchors = (release && policyIn(files))?.anchors ?? []
  const names = new Map(anchors.flatMap(({ name, keys }) => keys.map(key => [key, name] as const)))
  return (key: string): ChannelPerson => ({
    key,
    name: names.get(key) ?? null,
    fingerprint: fingerprintOfAnchor(key),
  })
}

function policyIn(files: ReadonlyMap<string, Uint8Array>): TrustPolicy | undefined {
  const bytes = files.get(CHANNEL_POLICY)
  return bytes && readPolicySource(CHANNEL_POLICY, 'channel', bytes).policy
}
