// What became of a channel that was updated → members of an answer to a program.
import { digestText } from '../format/text/digest-text.ts'
import type { ChannelFacts } from '../model/channel.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import { type ChannelOutcome, isNew } from './update-all.ts'

export interface ChannelUpdated {
  /** What it is called here. */
  readonly name: string
  /** Whose list names it. */
  readonly of: 'system' | 'user'
  readonly reference: string
  /** The root that is pinned, `blake3:…`. */
  readonly root: string
  /** Whether all that is offered was taken. */
  readonly isUpdated: boolean
  /** Whether anything of it is new. */
  readonly isNew: boolean
  /** Why not all was taken, or why the channel could not be reached. */
  readonly refused: { readonly code: string; readonly problem: string; readonly hint?: string } | null
  /** What is known of it; null if it could not be reached. */
  readonly channel: ChannelFacts | null
}

export function outcomeFacts(outcome: ChannelOutcome): ChannelUpdated {
  const { channel, places } = outcome
  const about = {
    name: channel.name,
    of: places.of,
    reference: channel.reference,
    root: digestText(channel.root),
  }
  if ('error' in outcome) {
    const { code, message, hint } = outcome.error
    const refused = { code, problem: message, ...(hint && { hint }) }
    return { ...about, isUpdated: false, isNew: false, refused, channel: null }
  }
  const { refused, state } = outcome.updated
  return {
    ...{ ...about, isUpdated: refused === undefined, isNew: isNew(outcome), refused: refused ?? null },
    channel: factsOf(channel.name, state),
  }
}
