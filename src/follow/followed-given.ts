// Whose list of followed channels a caller of the library means.

import type { ChannelOptions } from '../channel/channel-given.ts'
import { type ChannelPlaces, channelPlaces, SYSTEM, userPlaces } from '../io/channel-places.ts'
import { homeGiven, type PathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'

export interface FollowedOptions extends ChannelOptions {
  /** For every user of this host: `/etc/runloop/channels.toml` and `/var/lib/runloop/channels`. */
  readonly system?: boolean
  /** The user's folder, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
}

/** The one list that is changed. */
export function listGiven(given: FollowedOptions, io: Setting): ChannelPlaces {
  return given.system === true ? SYSTEM : userPlaces(homeGiven(given, io))
}

/** The lists that are looked at. */
export function listsGiven(given: FollowedOptions, io: Setting): readonly ChannelPlaces[] {
  return given.system === true ? [SYSTEM] : channelPlaces(homeGiven(given, io))
}
