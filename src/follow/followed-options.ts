// Options of every command about followed channels: whose list is meant.
import type { OptionTable } from '../cli/option.ts'
import { type ChannelPlaces, channelPlaces, SYSTEM, userPlaces } from '../io/channel-places.ts'

export const SYSTEM_OPTION = {
  system: {
    type: 'boolean',
    describe: 'for every user of this host: /etc/runloop/channels.toml and /var/lib/runloop/channels',
  },
} as const satisfies OptionTable

/** The one list that is changed. */
export function listToChange({ system }: { readonly system: boolean }): ChannelPlaces {
  return system ? SYSTEM : userPlaces()
}

/** The lists that are looked at: the user's, or the system's, or for all that applies here both. */
export function listsToRead({ system }: { readonly system: boolean }): readonly ChannelPlaces[] {
  return system ? [SYSTEM] : channelPlaces()
}
