// Signs the drafts in a folder that the signer may sign. The person who approves sees exactly what is signed, and what it changes in the policy.

import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { signBytes } from '../sign/sign.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { signersIn } from '../trust/channels/advance.ts'
import { type ComparedPolicies, comparePolicies } from '../trust/compare-policies.ts'
import { readPolicySource } from '../trust-policy/read-policy.ts'
import type { ChangedChannel, ChannelContents } from './contents.ts'
import { refuseLong } from './for-hosts.ts'
import { type Building, type BuiltOn, builtOn } from './newest.ts'
import { type ChannelUse, changeThere, contentsAt, refuseUnsoundDraft } from './open-channel.ts'
import { rememberContents, seenOf } from './seen.ts'
import {
  addSignature,
  completed,
  type Lacking,
  lacking,
  mayWhoSign,
  messageOf,
  writtenKeys,
} from './signatures.ts'

/** What one signer is about to sign. */
export interface DraftsToSign {
  /** Anchor string. */
  readonly signer: string
  readonly root: SignedStatement<ChannelRoot> | undefined
  readonly release: SignedStatement<Release> | undefined
  /** What it builds on. */
  readonly builtOn: BuiltOn
  /** What is there: the drafts, and what they are compared with. */
  readonly contents: ChannelContents
  /** What is still lacking then. */
  readonly lacking: readonly Lacking[]
}

export interface SignedDrafts extends ChangedChannel {
  readonly signed: DraftsToSign
}

/**
 * @param approve sees what is signed before it is, and throws to prevent it
 * @throws RlpError NOT_FOUND where nothing is drafted; USAGE for a key that may not sign; EXISTS for one that has signed; NOT_VERIFIED for a draft that
 * hosts would refuse, and as {@link builtOn}; CHANGED_WHILE_READING if the drafts are others after the answer
 */
export async function signDrafts(
  folder: string,
  signer: Signer,
  { now, afterEnd, ...use }: ChannelUse & Building,
  approve: (what: DraftsToSign) => Promise<void>,
): Promise<SignedDrafts> {
  const doing = `sign "${folder}"`
  const there = await contentsAt(folder, use)
  const drafts = draftsToSign(there, anchorString(signer.key), folder, now)
  const base = builtOn(there, await seenOf(there, { ...use, now }), { now, afterEnd }, doing)
  await rememberContents(there, { ...use, now })
  const what = { ...drafts, builtOn: base }
  await approve(what)
  const signatures = new Map<string, Uint8Array>()
  for (const one of [what.root, what.release])
    if (one !== undefined) signatures.set(one.digest, await signBytes(messageOf(one), signer, doing))
  const done = await changeThere(folder, use, there => {
    const { draft } = there
    if (
      draft.root?.digest !== what.contents.draft.root?.digest ||
      draft.release?.digest !== what.contents.draft.release?.digest
    )
      throw new RlpError('CHANGED_WHILE_READING', `Cannot ${doing}: its drafts are others now`, {
        hint: 'Look at them, and sign again',
      })
    const may = mayWhoSign(there)
    const signed = <S extends ChannelRoot | Release>(
      one: SignedStatement<S> | undefined,
      keys: readonly string[],
    ) => {
      const sig = one && signatures.get(one.digest)
      return one && sig ? addSignature(one, keys, { keyid: what.signer, sig }) : one
    }
    const root = signed(draft.root, may.root)
    const release = signed(draft.release, may.release)
    return { contents: completed({ ...there, draft: { ...draft, root, release } }) }
  })
  return { ...done, signed: what }
}

function draftsToSign(
  contents: ChannelContents,
  signer: string,
  folder: string,
  now: Date,
): Omit<DraftsToSign, 'builtOn'> {
  const { draft, roots } = contents
  const doing = `sign "${folder}"`
  const by = writtenKeys(contents)(signer)
  if (draft.root === undefined && draft.release === undefined)
    throw new RlpError('NOT_FOUND', `Cannot ${doing}: nothing is drafted there`, {
      hint: 'Draft a release with rlp channel release, or a root with rlp channel rotate',
    })
  refuseUnsoundDraft(contents, doing, folder)
  const may = mayWhoSign(contents)
  if (![...may.root, ...may.release].includes(signer)) {
    const beats = (draft.root ?? roots.at(-1))?.statement.heartbeats.includes(signer)
    throw new RlpError('USAGE', `Cannot ${doing} with ${by}: it is none of the keys that may sign it`, {
      hint: beats
        ? 'It is a key of heartbeats, which signs heartbeats only: rlp channel heartbeat FOLDER --key KEY'
        : 'rlp channel status shows whose signatures count',
    })
  }
  const open = <S extends ChannelRoot | Release>(
    one: SignedStatement<S> | undefined,
    keys: readonly string[],
  ) => (one !== undefined && keys.includes(signer) && signersIn(one, [signer]).length === 0 ? one : undefined)
  const root = open(draft.root, may.root)
  const release = open(draft.release, may.release)
  if (root === undefined && release === undefined)
    throw new RlpError('EXISTS', `Cannot ${doing} with ${by}: it has signed already`, {
      hint: 'Each key counts once: another person has to sign. rlp channel status shows who is lacking',
    })
  for (const one of [root, release]) refuseEnded(one, now, doing)
  refuseLong(release?.statement.expires, now, doing)
  return { signer, root, release, contents, lacking: lackingThen(contents, signer) }
}

/** A draft that lay too long. */
function refuseEnded(
  signed: SignedStatement<ChannelRoot | Release> | undefined,
  now: Date,
  doing: string,
): void {
  if (signed === undefined || Date.parse(signed.statement.expires) > now.getTime()) return
  const { kind, version, expires } = signed.statement
  throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: ${kind} ${version} ended at ${expires}`, {
    hint:
      kind === 'root' ? 'Draft it again with rlp channel rotate' : 'Draft it again with rlp channel release',
  })
}

function lackingThen(contents: ChannelContents, signer: string): readonly Lacking[] {
  return lacking(contents)
    .map(one =>
      one.of.includes(signer) && !one.signed.includes(signer)
        ? { ...one, signed: [...one.signed, signer] }
        : one,
    )
    .filter(({ signed, needed }) => signed.length < needed)
}

const TRUSTS_NOTHING: TrustPolicy = {
  validUntil: undefined,
  anchors: [],
  groups: [],
  rules: new Map(),
  require: undefined,
  trustedRoot: undefined,
  floors: new Map(),
  revokedKeys: new Map(),
  revokedBundles: new Map(),
}

/**
 * Undefined for a policy that no host would take.
 * @param before undefined for the first policy
 */
export function policyChanges(
  before: Uint8Array | undefined,
  after: Uint8Array,
): ComparedPolicies | undefined {
  const is = policyIn(after)
  const was = before === undefined ? TRUSTS_NOTHING : policyIn(before)
  return is && comparePolicies(was ?? TRUSTS_NOTHING, is)
}

function policyIn(bytes: Uint8Array): TrustPolicy | undefined {
  return readPolicySource(CHANNEL_POLICY, 'channel', bytes).policy
}
