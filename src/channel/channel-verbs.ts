// What the library offers to those who publish a channel: drafting its roots and releases in a folder.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { anchorsOf } from '../sign/keys.ts'
import { anchorsGiven } from '../sign/sign-bundle.ts'
import { type ChannelChanged, draftedAnswer } from './channel-answers.ts'
import {
  type ChannelOptions,
  folderGiven,
  type PublicKeysOptions,
  secondsGiven,
  useGiven,
} from './channel-given.ts'
import { initChannel } from './init.ts'
import { draftRelease } from './release.ts'
import { draftRotation } from './rotate.ts'

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
    const anchorOf = anchorsGiven(given, io)
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
    const anchors = (keys: readonly string[] = []) => anchorsOf(keys, anchorsGiven(given, io))
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
