// The signatures of drafts: whose count, which are missing, and which people are behind the keys, because base64 cannot be compared by eye.
// A name comes from the released policy, which enough people have signed, and never from a draft: its author could call their own key by
// another person's name. Pure.
import { CHANNEL_POLICY, channelMessage, readSigned, writeSigned } from '../channel-file/statement.ts'
import type { ChannelRoot, ChannelStatement, Release, SignedStatement } from '../model/channel.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { fingerprintOfAnchor } from '../signature/ssh.ts'
import {
  nextRootProblem,
  pinnedRootProblem,
  placeOfRelease,
  releaseProblem,
  signersIn,
} from '../trust/channels/advance.ts'
import { readPolicySource } from '../trust-policy/read-policy.ts'
import { isRevoked } from '../trust-policy/revoked.ts'
import { type ChannelContents, NO_DRAFT } from './contents.ts'

/** Bytes that a signer of a statement signs. */
export function messageOf(signed: SignedStatement<ChannelStatement>): Uint8Array {
  return channelMessage(signed.payload)
}

/** A draft with one more signature, beside those that count. */
export function addSignature<S extends ChannelStatement>(
  signed: SignedStatement<S>,
  keys: readonly string[],
  signature: SignedStatement<S>['signatures'][number],
): SignedStatement<S> {
  const others = countingIn(signed, keys).filter(({ keyid }) => keyid !== signature.keyid)
  return withSignatures(signed, [...others, signature])
}

/**
 * Two people have signed the same draft: with the signatures of both. What a carrier wrote in the name of a key does not keep the real signature
 * out.
 * @param keys whose signatures count
 */
export function joinedSignatures<S extends ChannelStatement>(
  one: SignedStatement<S>,
  other: SignedStatement<S>,
  keys: readonly string[],
): SignedStatement<S> {
  const [mine, theirs] = [countingIn(one, keys), countingIn(other, keys)]
  const more = theirs.filter(({ keyid }) => mine.every(have => have.keyid !== keyid))
  return withSignatures(one, [...mine, ...more])
}

function countingIn<S extends ChannelStatement>(
  signed: SignedStatement<S>,
  keys: readonly string[],
): SignedStatement<S>['signatures'] {
  const counting = signersIn(signed, keys)
  return signed.signatures.filter(({ keyid }) => counting.includes(keyid))
}

function withSignatures<S extends ChannelStatement>(
  { statement, payload }: SignedStatement<S>,
  signatures: SignedStatement<S>['signatures'],
): SignedStatement<S> {
  const read = readSigned(writeSigned(payload, signatures), statement.kind, 0)
  if (!read.ok) throw new TypeError(read.problem)
  return read.value as unknown as SignedStatement<S>
}

/** Whose signature a draft may have. */
export function mayWhoSign({ roots, draft }: Pick<ChannelContents, 'roots' | 'draft'>): {
  readonly root: readonly string[]
  readonly release: readonly string[]
} {
  const before = roots.at(-1)?.statement.keys ?? []
  const to = draft.root?.statement.keys ?? []
  return { root: [...new Set([...before, ...to])].sort(), release: draft.root === undefined ? before : to }
}

/** What a draft still lacks. */
export interface Lacking {
  /** `root 2` */
  readonly what: string
  /** `the keys of root 1` */
  readonly whose: string
  /** Keys that have signed. */
  readonly signed: readonly string[]
  readonly needed: number
  /** Whose signatures count. */
  readonly of: readonly string[]
}

export function lacking({ roots, draft }: ChannelContents): readonly Lacking[] {
  const before = roots.at(-1)?.statement
  const wanted: Lacking[] = []
  const ask = (signed: SignedStatement<ChannelRoot | Release>, root: ChannelRoot, whose: string) => {
    const what = `${signed.statement.kind} ${signed.statement.version}`
    const { keys: of, threshold: needed } = root
    wanted.push({ what, whose, signed: signersIn(signed, of), needed, of })
  }
  if (draft.root !== undefined) {
    if (before !== undefined) ask(draft.root, before, `the keys of root ${before.version}`)
    ask(draft.root, draft.root.statement, 'its own keys')
  }
  const root = draft.root?.statement ?? before
  if (draft.release !== undefined && root !== undefined)
    ask(draft.release, root, `the keys of root ${root.version}`)
  return wanted.filter(({ signed, needed }) => signed.length < needed)
}

/** Whether what is released would still count under another root; if not, it has to be signed again. */
export function countsUnder(root: ChannelRoot, { release }: Pick<ChannelContents, 'release'>): boolean {
  if (release === undefined || release.statement.epoch !== root.epoch) return false
  return signersIn(release, root.keys).length >= root.threshold
}

/**
 * Takes what has all its signatures out of the drafts. A root that ends what the present release says waits for a release under it: hosts that saw
 * the root alone would have none.
 */
export function completed(contents: ChannelContents): ChannelContents {
  const { roots, draft } = contents
  const before = roots.at(-1)
  const root = draft.root !== undefined && isProven(draft.root, before) ? draft.root : undefined
  const newest = draft.root === undefined ? before : root
  const highest = contents.release && placeOfRelease(contents.release)
  const isReleased =
    newest !== undefined &&
    draft.release !== undefined &&
    releaseProblem(newest, draft.release, highest) === undefined
  const needsRelease =
    root !== undefined && contents.release !== undefined && !countsUnder(root.statement, contents)
  if (needsRelease && !isReleased) return contents
  const left = {
    root: root === undefined ? draft.root : undefined,
    release: isReleased ? undefined : draft.release,
    files: isReleased ? NO_DRAFT.files : draft.files,
  }
  return {
    ...contents,
    roots: root === undefined ? roots : [...roots, root],
    release: isReleased ? draft.release : contents.release,
    files: isReleased ? draft.files : contents.files,
    draft: left.root === undefined && left.release === undefined ? NO_DRAFT : left,
  }
}

function isProven(
  root: SignedStatement<ChannelRoot>,
  before: SignedStatement<ChannelRoot> | undefined,
): boolean {
  const problem = before === undefined ? pinnedRootProblem(root, root.digest) : nextRootProblem(before, root)
  return problem === undefined
}

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
