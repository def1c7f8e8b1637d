// The beginning of a channel: a draft of root 1 in a folder. Its digest is what the channel is from then on.
import { isChannelName, NAME_FORM } from '../channel-file/followed.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import { secondAfter } from '../text/time.ts'
import { type DraftedChannel, NO_DRAFT } from './contents.ts'
import { drafted, firstRoot } from './drafts.ts'
import { type ChannelUse, changeChannel } from './open-channel.ts'

export interface ChannelBeginning {
  /** For display. */
  readonly name: string
  /** Anchor strings. */
  readonly keys: readonly string[]
  readonly threshold: number
  readonly heartbeats: readonly string[]
  readonly heartbeatSeconds: number
  readonly expiresSeconds: number
}

/** @throws RlpError USAGE for a name, keys or a threshold that no host would take; EXISTS if the folder holds a channel */
export async function initChannel(
  folder: string,
  { name, keys, threshold, heartbeats, heartbeatSeconds, expiresSeconds }: ChannelBeginning,
  use: ChannelUse,
  now: Date,
): Promise<DraftedChannel> {
  if (!isChannelName(name))
    throw new UsageError(`Cannot call the channel ${quoted(name)}: ${NAME_FORM}`, {
      field: 'name',
      hint: 'Choose a name such as house',
    })
  const expires = secondAfter(now, expiresSeconds)
  const about = { keys, threshold, heartbeats, heartbeatSeconds, expires }
  const root = drafted(firstRoot(about), `begin a channel in "${folder}"`)
  return changeChannel(folder, use, there => {
    if (there !== undefined)
      throw new RlpError('EXISTS', `Cannot begin a channel in "${folder}": it holds a channel already`, {
        hint: 'Name another folder. rlp channel rotate changes who may speak for a channel',
      })
    return {
      contents: {
        name,
        roots: [],
        release: undefined,
        files: NO_DRAFT.files,
        heartbeat: undefined,
        draft: { ...NO_DRAFT, root },
      },
      replaced: [],
    }
  })
}
