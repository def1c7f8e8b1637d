// Where channels are written down that this host follows, and where each keeps what is known of it.
import {
  CHANNEL_STATES_NAME,
  CHANNELS_NAME,
  homeLabel,
  pathBelow,
  runloopHome,
  SYSTEM_CHANNEL_STATES,
  SYSTEM_CHANNELS,
} from './home.ts'
import type { ReadBy } from './write/own-file.ts'

export interface ChannelPlaces {
  readonly of: 'system' | 'user'
  /** The list of what is followed. */
  readonly list: string
  /** The folder with a file for each. */
  readonly states: string
  /** Verifying needs no other right than to read them. */
  readonly readBy: ReadBy
  /** The folder that has to be reached through nothing of others, also where the list is missing. */
  readonly home: string | undefined
}

/** The system's, which apply to every user, then the user's own. */
export function channelPlaces(home: string | false = runloopHome()): readonly ChannelPlaces[] {
  return home === false ? [SYSTEM] : [SYSTEM, userPlaces(home)]
}

export const SYSTEM: ChannelPlaces = {
  of: 'system',
  list: SYSTEM_CHANNELS,
  states: SYSTEM_CHANNEL_STATES,
  readBy: 'everybody',
  home: undefined,
}

export function userPlaces(home: string = runloopHome()): ChannelPlaces {
  return {
    of: 'user',
    readBy: 'its user',
    list: pathBelow(home, CHANNELS_NAME),
    states: pathBelow(home, CHANNEL_STATES_NAME),
    home,
  }
}

/** The one file of a channel that is pinned by this root. */
export function channelStatePath({ states }: ChannelPlaces, root: string): string {
  return pathBelow(states, `${root}.channel`)
}

/** The file with the highest numbers of a channel that this user has seen. @param channel hex */
export function channelSeenPath({ states }: ChannelPlaces, channel: string): string {
  return pathBelow(states, `${channel}.seen`)
}

export function listLabel({ list }: ChannelPlaces): string {
  return homeLabel(list)
}
