// The inputs that the verbs about followed channels share: whose list is meant, and at which moment.
import { type ChannelPlaces, channelPlaces, SYSTEM, userPlaces } from '../io/channel-places.ts'
import { type Asked, type InputTable, whether } from '../verb/index.ts'
import { home } from '../verb/kinds/paths.ts'
import { moment } from '../verb/kinds/time.ts'

export const FOLLOWED_LISTS = {
  /** For every user of this host: `/etc/runloop/channels.toml` and `/var/lib/runloop/channels`. */
  system: whether('for every user of this host: /etc/runloop/channels.toml and /var/lib/runloop/channels'),
  /** The user's folder, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  home: { ...home },
} as const satisfies InputTable

/** @interface FollowedOptions */
export const FOLLOWED = { ...FOLLOWED_LISTS, now: moment } as const satisfies InputTable

/** The one list that is changed. */
export function listToChange({ system, home }: Asked<typeof FOLLOWED_LISTS>): ChannelPlaces {
  return system ? SYSTEM : userPlaces(home)
}

/** The lists that are looked at: the user's, or the system's, or for all that applies here both. */
export function listsToRead({ system, home }: Asked<typeof FOLLOWED_LISTS>): readonly ChannelPlaces[] {
  return system ? [SYSTEM] : channelPlaces(home)
}
