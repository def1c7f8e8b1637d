// Reads the options of the library's functions about channels, and tells a job how to reach a channel.
import { runloopHome } from '../io/home.ts'
import { type CallerOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import { reachWith } from '../io/wait/reach.ts'
import { UsageError } from '../model/error.ts'
import type { KeyGiven } from '../sign/sign-bundle.ts'
import { type FolderGiven, homeIn } from '../verify/input.ts'
import { type ChannelUse, refuseReference } from './open-channel.ts'

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

export function useGiven(options: ChannelPlaceOptions, io: Setting): ChannelUse {
  const { env, cwd } = io
  const home = homeIn(options, cwd)
  return { ...reachWith(io, home), home: home ?? runloopHome(env), cwd }
}

/** The folder in which a channel is worked on. @throws UsageError for a reference */
export function folderGiven(folder: PathGiven, io: Setting, doing: string): string {
  if (typeof folder === 'string') {
    refuseReference(folder, doing)
    return /^file:/i.test(folder) ? pathGiven(folder, io, doing) : folder
  }
  return pathGiven(folder, io, doing)
}

/** @throws UsageError for what is no time */
export function secondsGiven<T extends number | undefined>(field: string, seconds: T): T {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds > 0)) return seconds
  throw new UsageError(`Cannot use ${field}: it is no whole number of seconds above 0`, { field })
}

/** @throws UsageError for what is no number of a release */
export function releaseGiven(afterEnd: number | undefined): number | undefined {
  if (afterEnd === undefined || (Number.isSafeInteger(afterEnd) && afterEnd > 0)) return afterEnd
  throw new UsageError('Cannot use afterEnd: it is not the number of a release', { field: 'afterEnd' })
}
