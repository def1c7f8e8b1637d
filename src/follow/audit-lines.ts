// The lines of the audit log about followed channels. The line of an update is written first, but the update is kept even if that fails: a
// full disk must not hold back a revocation.
import { blake3Hex } from '../bundle/blake3.ts'
import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { Audit } from '../io/audit.ts'
import { type AuditDecision, type DecidedChange, NOTHING_JUDGED } from '../model/audit.ts'
import type { ChannelState, FollowedChannel } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import { digestText } from '../text/digest-text.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import { type ChannelOutcome, isNew } from './update-all.ts'

/** A channel that is followed from now on, or no longer. */
export function followDecided(done: 'follow' | 'unfollow', channel: FollowedChannel): AuditDecision {
  const { name, reference, root } = channel
  const change: DecidedChange = {
    do: done,
    what: [name, reference, digestText(root)],
    reason: null,
    before: null,
    after: null,
  }
  return decidedHere(`trust.${done}`, name, change)
}

/** Undefined if an update found nothing new. */
function updateDecided(outcome: ChannelOutcome): AuditDecision | undefined {
  const { name } = outcome.channel
  if ('error' in outcome) {
    const isAway = outcome.error.code === 'UNREACHABLE' || outcome.error.code === 'TIMED_OUT'
    const decision = decidedHere('trust.update', name, changeBetween(undefined, undefined))
    return { ...decision, accepted: false, codes: [isAway ? 'unreachable' : 'unreadable'] }
  }
  const { before, state, refused } = outcome.updated
  if (refused === undefined && !isNew(outcome)) return undefined
  const decision = decidedHere('trust.update', name, changeBetween(before, state))
  if (refused !== undefined) return { ...decision, accepted: false, codes: [refused.code] }
  const digest = policyDigest(state)
  const policies = [
    { path: `channel ${name}`, role: 'channel' as const, digest, channel: factsOf(name, state) },
  ]
  return { ...decision, policies }
}

function changeBetween(before: ChannelState | undefined, after: ChannelState | undefined): DecidedChange {
  const { root = null, release = null } = after === undefined ? {} : factsOf('', after)
  return {
    do: 'update',
    what: [
      ...(root === null ? [] : [`root ${root}`]),
      ...(release === null ? [] : [`release ${release.version}`, digestText(release.blake3)]),
    ],
    reason: null,
    before: policyDigest(before),
    after: policyDigest(after),
  }
}

function policyDigest(state: ChannelState | undefined): string | null {
  const policy = state?.files.get(CHANNEL_POLICY)
  return policy === undefined ? null : blake3Hex(policy)
}

function decidedHere(command: string, target: string, change: DecidedChange): AuditDecision {
  return { ...NOTHING_JUDGED, command, target, accepted: true, verdict: null, codes: [], change }
}

export class UpdateRecords {
  readonly #audit: Audit | undefined
  #lost: RlpError | undefined

  constructor(audit: Audit | undefined) {
    this.#audit = audit
  }

  /** What is not in the log, and why; undefined if all is. */
  get lost(): RlpError | undefined {
    return this.#lost
  }

  record(outcome: ChannelOutcome): void {
    const decision = updateDecided(outcome)
    if (decision === undefined) return
    try {
      this.#audit?.record(decision)
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      const message = `${error.message}. What was updated stays`
      this.#lost = new RlpError('UNRECORDED', message, { cause: error, hint: error.hint })
    }
  }
}
