// The inputs that the verbs share that publish a channel: its folder, other places of it, keys, and how long statements last.
import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import { SIGNING_KEY } from '../sign/signing-inputs.ts'
import { secondsIn } from '../text/time.ts'
import {
  type At,
  asItIs,
  checked,
  givenText,
  type Input,
  type InputTable,
  isText,
  needed,
  texts,
  type World,
} from '../verb/index.ts'
import { duration, isCount } from '../verb/kinds/numbers.ts'
import { reachBy } from '../verb/kinds/registry.ts'
import { moment } from '../verb/kinds/time.ts'
import { folderOrNone } from '../verify/judging-inputs.ts'
import { type ChannelUse, refuseNoReference, refuseReference } from './open-channel.ts'

/** @interface ChannelOptions */
export const CHANNEL = {
  /** The moment at which it is done; now where this is left out. */
  now: { ...moment },
} as const satisfies InputTable

/** @interface ChannelPlaceOptions */
export const CHANNEL_PLACE = {
  ...CHANNEL,
  /** The folder whose config.toml may name mirrors, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  home: { ...folderOrNone },
} as const satisfies InputTable

/** The folder in which a channel is worked on, as it is named. @param doing for messages: `release` */
export function channelFolder(doing: string) {
  const inFolder = (folder: string) => {
    refuseReference(folder, doing)
    return folder
  }
  return needed<PathGiven, string>({
    type: 'PathGiven',
    typed: {
      type: 'string',
      complete: 'dir',
      describe: 'the folder of the channel, in which its drafts are',
    },
    fromTyped: inFolder,
    fromGiven: (given, { world }) =>
      isText(given) && given !== '' && !/^file:/i.test(given)
        ? inFolder(given)
        : pathGiven(given, world, doing),
  })
}

/** Where else a channel is. @param doing for messages: `push to` */
export function otherPlace(doing: string) {
  const fromTyped = (reference: string, { field }: At) => {
    refuseNoReference(reference, doing, field)
    return reference
  }
  return needed<string, string>({
    type: 'string',
    typed: {
      type: 'string',
      complete: 'none',
      describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag',
    },
    fromTyped,
    fromGiven: (given, at) => fromTyped(givenText(given, at), at),
  })
}

/** How this call reaches folders and registries. */
export async function channelUse(world: World, home?: string | false): Promise<ChannelUse> {
  return { ...reachBy(world, home), home: home ?? (await world.home()), cwd: world.cwd }
}

/** How long something lasts, in seconds. */
export function lasting(describe: string, flag: string): Input<number, number | undefined> {
  return duration(describe, { flag, placeholder: 'DURATION' })
}

/** @param otherwise where it is left out: `30d` */
export function lastingFor(describe: string, flag: string, otherwise: string) {
  const absent = () => secondsIn(otherwise)
  const input = duration(describe, { flag, placeholder: 'DURATION', default: otherwise })
  return { ...input, absent } as Input<number, number>
}

/** A whole number from 1. */
export function numbered(describe: string, placeholder: string): Input<number, number | undefined> {
  return {
    type: 'number',
    typed: { type: 'integer', placeholder, min: 1, describe },
    fromTyped: asItIs<number>,
    fromGiven: checked(isCount, 'a whole number, 1 or more'),
  }
}

/** Public keys. One of the kind `command:` may hold a comma. */
export function publicKeys(describe: string, flag: string) {
  return texts(describe, { flag, placeholder: 'KEY', commas: false })
}

/** Inputs for every signature, by a person or of a heartbeat. */
export const SIGNING = {
  ...SIGNING_KEY,
  /** The number of the newest release, as a person knows it; no timer does. Needed once the newest heartbeat has expired: a newer release may be missing. */
  afterEnd: numbered(
    'sign although the newest heartbeat has expired: RELEASE is the number of the newest release, as you know it',
    'RELEASE',
  ),
  /** The folder with what this user has seen of channels; `$RUNLOOP_HOME` or `~/.runloop` if left out, and `false` remembers nothing. */
  home: { ...folderOrNone },
  ...CHANNEL,
} as const satisfies InputTable
