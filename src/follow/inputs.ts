// The inputs that the verbs about followed channels share: whose list is meant, and how channels are updated.
import type { Audit } from '../io/audit.ts'
import { type ChannelPlaces, channelPlaces, SYSTEM, userPlaces } from '../io/channel-places.ts'
import type { RlpError } from '../model/error.ts'
import { type Asked, type InputTable, type World, whether } from '../verb/index.ts'
import { home } from '../verb/kinds/paths.ts'
import { accessBy } from '../verb/kinds/registry.ts'
import { moment } from '../verb/kinds/time.ts'
import { UpdateRecords } from './audit-lines.ts'
import { type ChannelOutcome, type Followed, updateAll } from './update-all.ts'

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

export interface RecordedUpdates {
  readonly outcomes: readonly ChannelOutcome[]
  /** Why a line of the audit log is missing. */
  readonly lost: RlpError | undefined
}

/** What is not in the audit log is updated all the same. @throws RlpError CANCELLED */
export async function updateRecorded(
  followed: readonly Followed[],
  asked: Asked<typeof FOLLOWED> & { readonly audit: Audit | undefined; readonly dryRun: boolean },
  world: World,
): Promise<RecordedUpdates> {
  const { home, now, audit, dryRun } = asked
  const { signal, onProgress } = world
  const records = new UpdateRecords(audit)
  const updating = { access: accessBy(world, home), signal, onProgress, now, dryRun }
  const outcomes = await updateAll(followed, updating, one => records.record(one))
  return { outcomes, lost: records.lost }
}
