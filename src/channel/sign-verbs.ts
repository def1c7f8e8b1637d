// What the library offers of the signatures of a channel: those of people, and heartbeats.
import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { PathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import { type KeyGiven, signerGiven } from '../sign/sign-bundle.ts'
import type { FolderGiven } from '../verify/input.ts'
import {
  type ChannelHeartbeatMade,
  type ChannelSigned,
  type ChannelToSign,
  heartbeatAnswer,
  signedAnswer,
  statementsToSign,
} from './channel-answers.ts'
import { builtOnFacts, lackingFacts } from './channel-facts.ts'
import { type ChannelOptions, folderGiven, releaseGiven, secondsGiven, useGiven } from './channel-given.ts'
import { makeHeartbeat } from './heartbeat.ts'
import { policyChanges } from './policy-changes.ts'
import { type DraftsToSign, signDrafts } from './sign.ts'

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
    return signedAnswer(await signDrafts(at, await signerGiven(given, io), use, approve), now)
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
    return heartbeatAnswer(await makeHeartbeat(at, await signerGiven(given, io), use), now)
  })
}
