// The functions of the library for those who publish a trust channel: draft roots and releases, sign them, and exchange them with others.

import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import { runloopHome } from '../io/home.ts'
import { type CallerOptions, type PathGiven, pathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { reachWith } from '../io/wait/reach.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { anchorsOf } from '../sign/keys.ts'
import { anchorsFrom, type KeyGiven, signerFrom } from '../sign/sign-bundle.ts'
import { type FolderGiven, homeIn } from '../verify/input.ts'
import {
  builtOnFacts,
  type ChannelChanged,
  type ChannelHeartbeatMade,
  type ChannelPulled,
  type ChannelPushed,
  type ChannelResult,
  type ChannelSigned,
  type ChannelToSign,
  channelAnswer,
  draftedAnswer,
  heartbeatAnswer,
  lackingFacts,
  pulledAnswer,
  pushedAnswer,
  signedAnswer,
  statementsToSign,
} from './answers.ts'
import { draftRelease, draftRotation, initChannel } from './drafting.ts'
import { pullChannel, pushChannel } from './exchange.ts'
import { makeHeartbeat } from './heartbeat.ts'
import { type ChannelUse, contentsAt, refuseNoReference, refuseReference } from './open-channel.ts'
import { type DraftsToSign, policyChanges, signDrafts } from './sign.ts'

const DAY = 86_400
const YEAR = 365 * DAY

export interface ChannelInitOptions extends ChannelOptions, PublicKeysOptions {
  /** What to call it, for display. */
  readonly name: string
  /** The public keys of the people who may speak for it, as `key` of {@link sign} names one, or `ed25519:…`. */
  readonly keys: readonly string[]
  /** How many of them have to sign a root or a release. */
  readonly threshold: number
  /** Public keys that say, every few hours, that nothing newer is there. */
  readonly heartbeatKeys: readonly string[]
  /** How long a heartbeat may last, after which hosts trust nothing; a day where this is left out. */
  readonly heartbeatSeconds?: number
  /** When the root has to be rotated at the latest; 365 days where this is left out. */
  readonly expiresSeconds?: number
}

export interface ChannelReleaseOptions extends ChannelOptions {
  /** Further files that hosts get, by what hosts call them. */
  readonly files?: { readonly [name: string]: PathGiven }
  /** When hosts need a newer release at the latest; 30 days where this is left out, at most 90. */
  readonly expiresSeconds?: number
}

export interface ChannelRotateOptions extends ChannelOptions, PublicKeysOptions {
  /** Public keys of people who may speak from now on. */
  readonly addKeys?: readonly string[]
  /** Public keys that speak no longer. */
  readonly removeKeys?: readonly string[]
  /** How many have to sign; as before where this is left out. */
  readonly threshold?: number
  readonly addHeartbeatKeys?: readonly string[]
  readonly removeHeartbeatKeys?: readonly string[]
  /** How long a heartbeat may last; as before where this is left out. */
  readonly heartbeatSeconds?: number
  /** When the root has to be rotated at the latest; 365 days where this is left out. */
  readonly expiresSeconds?: number
  /** Count releases from 1 again: after a thief has driven their numbers up. */
  readonly newEpoch?: boolean
}

/**
 * Begins a trust channel in a folder: a draft of root 1. As many of its keys as `threshold` says have to sign it with {@link channelSignPath}.
 *
 * @example
 * const keys = ['ada.pub', 'alan.pub', 'grace.pub']
 * const { draft } = await channelInit('house', { name: 'house', keys, threshold: 2, heartbeatKeys: ['beat.pub'] })
 * console.log(draft.root?.blake3)
 *
 * @throws {@link RlpError} `USAGE` for a name, keys or a threshold that no host would take, `EXISTS` if the folder holds a channel, `NOT_FOUND` for a
 * key, `CANCELLED`
 */
export async function channelInitPath(
  folder: PathGiven,
  options: ChannelInitOptions,
): Promise<ChannelChanged> {
  return runVerb('channelInit', options, async (given, io) => {
    const { name, threshold, now = new Date() } = given
    const at = folderGiven(folder, io, 'begin a channel')
    const anchorOf = anchorsFrom(given, io)
    const about = {
      name,
      threshold,
      heartbeatSeconds: secondsGiven('heartbeatSeconds', given.heartbeatSeconds ?? DAY),
      expiresSeconds: secondsGiven('expiresSeconds', given.expiresSeconds ?? YEAR),
      keys: await anchorsOf(given.keys, anchorOf),
      heartbeats: await anchorsOf(given.heartbeatKeys, anchorOf),
    }
    return draftedAnswer(await initChannel(at, about, useGiven(given, io), now), now)
  })
}

/**
 * Drafts the next release of a trust policy. Nothing counts until so many people have signed it.
 *
 * @example
 * const { draft, lacking } = await channelRelease('house', 'policy.toml')
 * console.log(draft.release?.version, lacking)
 *
 * @throws {@link RlpError} `LINT_FAILED` for a policy that no host would take, `NOT_VERIFIED` for a release that would last too long, `USAGE` for names of
 * files, `NOT_FOUND`, `CANCELLED`
 */
export async function channelReleasePath(
  folder: PathGiven,
  policy: PathGiven,
  options: ChannelReleaseOptions = {},
): Promise<ChannelChanged> {
  return runVerb('channelRelease', options, async (given, io) => {
    const { files = {}, now = new Date() } = given
    const at = folderGiven(folder, io, 'release')
    const others = Object.entries(files).map(([name, path]) => ({
      name,
      ...targetGiven(path, io, 'release'),
    }))
    const expiresSeconds = secondsGiven('expiresSeconds', given.expiresSeconds ?? 30 * DAY)
    const use = { ...useGiven(given, io), expiresSeconds, now }
    return draftedAnswer(await draftRelease(at, targetGiven(policy, io, 'release'), others, use), now)
  })
}

/**
 * Drafts the next root: other people, or the same for longer. Hosts walk to it by themselves.
 *
 * @example
 * const { draft } = await channelRotate('house', { removeKeys: ['alan.pub'], addKeys: ['linus.pub'] })
 * console.log(draft.root?.keys)
 *
 * @throws {@link RlpError} `USAGE` for a root that no host would take, `NOT_FOUND`, `CANCELLED`
 */
export async function channelRotatePath(
  folder: PathGiven,
  options: ChannelRotateOptions = {},
): Promise<ChannelChanged> {
  return runVerb('channelRotate', options, async (given, io) => {
    const { threshold, newEpoch = false, now = new Date() } = given
    const at = folderGiven(folder, io, 'rotate the root')
    const anchors = (keys: readonly string[] = []) => anchorsOf(keys, anchorsFrom(given, io))
    const change = {
      threshold,
      newEpoch,
      heartbeatSeconds: secondsGiven('heartbeatSeconds', given.heartbeatSeconds),
      expiresSeconds: secondsGiven('expiresSeconds', given.expiresSeconds ?? YEAR),
      addKeys: await anchors(given.addKeys),
      removeKeys: await anchors(given.removeKeys),
      addHeartbeats: await anchors(given.addHeartbeatKeys),
      removeHeartbeats: await anchors(given.removeHeartbeatKeys),
    }
    return draftedAnswer(await draftRotation(at, change, { ...useGiven(given, io), now }), now)
  })
}

export interface ChannelExchangeOptions extends ChannelPlaceOptions {
  /** Put the draft that is carried in the place of another one that is there. */
  readonly force?: boolean
}

/**
 * What a folder or a registry holds of a channel, who has signed, and what is due.
 *
 * @param channel its folder, or where it is published: `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`
 *
 * @example
 * const { next, roots } = await channelStatus('house')
 * for (const { verb, why } of next) console.log(verb, why, roots.at(-1)?.blake3)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NOT_VERIFIED` for one that is not sound, `STORE`, `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export async function channelStatusPath(
  channel: PathGiven,
  options: ChannelPlaceOptions = {},
): Promise<ChannelResult> {
  return runVerb('channelStatus', options, async (given, io) => {
    const isReference = typeof channel === 'string' && isOciReference(channel)
    const at = isReference ? channel : pathGiven(channel, io, 'open the channel')
    const { now = new Date() } = given
    return channelAnswer(await contentsAt(at, useGiven(given, io)), now)
  })
}

/**
 * Publishes a channel, or hands its drafts to the others. What hosts would refuse is not pushed, and nothing goes back.
 *
 * @param to `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { isNewForHosts } = await channelPush('house', 'oci-layout:published')
 * console.log(isNewForHosts)
 *
 * @throws {@link RlpError} `EXISTS` where the place knows more or something else, `NOT_VERIFIED` for what hosts would refuse, `NOT_FOUND`, `USAGE`,
 * `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export async function channelPushPath(
  folder: PathGiven,
  to: string,
  options: ChannelExchangeOptions = {},
): Promise<ChannelPushed> {
  return runVerb('channelPush', options, async (given, io) => {
    const { now = new Date(), force = false } = given
    const from = folderGiven(folder, io, 'push')
    refuseNoReference(to, 'push to', 'to')
    return pushedAnswer(await pushChannel(from, to, useGiven(given, io), { force, now }), now)
  })
}

/**
 * Fetches a channel with its drafts into a folder, to work on it.
 *
 * @param from `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { draft } = await channelPull('oci-layout:published', 'house')
 * console.log(draft.release?.signed)
 *
 * @throws {@link RlpError} `EXISTS` for a folder with another channel or draft, `NOT_VERIFIED` for what is not sound, `NOT_FOUND`, `USAGE`, `UNREACHABLE`,
 * `TIMED_OUT`, `CANCELLED`
 */
export async function channelPullPath(
  from: string,
  folder: PathGiven,
  options: ChannelExchangeOptions = {},
): Promise<ChannelPulled> {
  return runVerb('channelPull', options, async (given, io) => {
    const { now = new Date(), force = false } = given
    const to = folderGiven(folder, io, 'pull')
    refuseNoReference(from, 'pull from', 'from')
    return pulledAnswer(await pullChannel(from, to, useGiven(given, io), { force, now }), to, now)
  })
}

/** What a signature of a person and a heartbeat take. */
interface ChannelSigning extends ChannelOptions, KeyGiven {
  /** The folder with what this user has seen of channels; `$RUNLOOP_HOME` or `~/.runloop` if left out, and `false` remembers nothing. */
  readonly home?: FolderGiven | false
  /**
   * The number of the newest release, as a person knows it. Only a person can say it: leave it out in a timer. Needed once the newest heartbeat
   * has expired, because a newer release may then be missing in the folder.
   */
  readonly afterEnd?: number
}

export interface ChannelSignOptions extends ChannelSigning {
  /** Whether this may be signed: it is shown what. Without it nothing is signed. */
  readonly maySign?: (what: ChannelToSign) => boolean | Promise<boolean>
}

export interface ChannelHeartbeatOptions extends ChannelSigning {
  /** How long it lasts; as long as the root allows where this is left out. */
  readonly expiresSeconds?: number
}

/**
 * Signs what is drafted, after `maySign` has looked at it. What has all its signatures is complete.
 *
 * @example
 * const { lacking } = await channelSign('house', { key: 'ada', maySign: ({ widened }) => widened.length === 0 })
 * console.log(lacking)
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` where `maySign` does not say yes, and without `afterEnd` once the newest heartbeat has expired, `NOT_FOUND` where nothing is drafted, `USAGE` for a key that may not sign,
 * `EXISTS` for one that has signed, `NOT_VERIFIED` for a draft that hosts would refuse and for one that builds on less than this user has seen,
 * `CANCELLED`
 */
export async function channelSignPath(
  folder: PathGiven,
  options: ChannelSignOptions,
): Promise<ChannelSigned> {
  return runVerb('channelSign', options, async (given, io) => {
    const { now = new Date(), maySign, afterEnd } = given
    const at = folderGiven(folder, io, 'sign')
    const approve = async (what: DraftsToSign) => {
      if ((await maySign?.(toSign(what))) === true) return
      throw new RlpError('NEEDS_ANSWER', `Cannot sign "${at}": maySign has not agreed to it`, {
        hint: 'Look at what is drafted, and answer true in maySign',
      })
    }
    const use = { ...useGiven(given, io), now, afterEnd: releaseGiven(afterEnd) }
    return signedAnswer(await signDrafts(at, await signerFrom(given, io), use, approve), now)
  })
}

function toSign(what: DraftsToSign): ChannelToSign {
  const { signer, release, contents, lacking, builtOn } = what
  const policy = release && contents.draft.files.get(CHANNEL_POLICY)
  const changes = policy && policyChanges(contents.files.get(CHANNEL_POLICY), policy)
  return {
    signer,
    ...statementsToSign(what),
    widened: changes?.widened ?? [],
    narrowed: changes?.narrowed ?? [],
    lacking: lackingFacts(lacking),
    builtOn: builtOnFacts(builtOn),
  }
}

/**
 * Says that the newest release is still the newest: for a timer, several times for each duration.
 *
 * @example
 * const { heartbeat } = await channelHeartbeat('house', { key: 'beat' })
 * console.log(heartbeat?.expires)
 *
 * @throws {@link RlpError} `USAGE` for a key that makes no heartbeats, or an end that the root does not allow, `NOT_VERIFIED` for a heartbeat that no host
 * would take and for one of less than this user has seen, `NEEDS_ANSWER` without `afterEnd` once the last one has expired, `NOT_FOUND`, `CANCELLED`
 */
export async function channelHeartbeatPath(
  folder: PathGiven,
  options: ChannelHeartbeatOptions,
): Promise<ChannelHeartbeatMade> {
  return runVerb('channelHeartbeat', options, async (given, io) => {
    const { now = new Date(), afterEnd } = given
    const at = folderGiven(folder, io, 'make a heartbeat')
    const expiresSeconds = secondsGiven('expiresSeconds', given.expiresSeconds)
    const use = { ...useGiven(given, io), expiresSeconds, now, afterEnd: releaseGiven(afterEnd) }
    return heartbeatAnswer(await makeHeartbeat(at, await signerFrom(given, io), use), now)
  })
}

export interface ChannelOptions extends CallerOptions {
  /** The moment at which it is done; now where this is left out. */
  readonly now?: Date
}

/** What a verb takes that may reach a registry. */
export interface ChannelPlaceOptions extends ChannelOptions {
  /** The folder whose config.toml may name mirrors, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

/** Who gives the passphrase of a private key that is named for its public half. */
export interface PublicKeysOptions extends Pick<Partial<KeyGiven>, 'passphrase'> {}

function useGiven(options: ChannelPlaceOptions, io: Setting): ChannelUse {
  const { env, cwd } = io
  const home = homeIn(options, cwd)
  return { ...reachWith(io, home), home: home ?? runloopHome(env), cwd }
}

/** The folder in which a channel is worked on. @throws UsageError for a reference */
function folderGiven(folder: PathGiven, io: Setting, doing: string): string {
  if (typeof folder === 'string') {
    refuseReference(folder, doing)
    return /^file:/i.test(folder) ? pathGiven(folder, io, doing) : folder
  }
  return pathGiven(folder, io, doing)
}

/** @throws UsageError for what is no time */
function secondsGiven<T extends number | undefined>(field: string, seconds: T): T {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds > 0)) return seconds
  throw new UsageError(`Cannot use ${field}: it is no whole number of seconds above 0`, { field })
}

/** @throws UsageError for what is no number of a release */
function releaseGiven(afterEnd: number | undefined): number | undefined {
  if (afterEnd === undefined || (Number.isSafeInteger(afterEnd) && afterEnd > 0)) return afterEnd
  throw new UsageError('Cannot use afterEnd: it is not the number of a release', { field: 'afterEnd' })
}
