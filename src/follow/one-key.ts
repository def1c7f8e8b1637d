// A channel for which one key alone speaks → what each command about it warns of.
import type { ChannelRoot, ChannelState, SignedStatement } from '../model/channel.ts'
import { newestRoot } from '../trust/channels/advance.ts'

export const ONE_KEY = 'one key alone speaks for this channel: a thief of it decides for every host'

export function isOfOneKey(root: SignedStatement<ChannelRoot> | undefined): boolean {
  return root !== undefined && root.statement.threshold < 2
}

/** Of channels that are followed, each by its name here. */
export function oneKeyWarnings(
  followed: readonly { readonly name: string; readonly state: ChannelState | undefined }[],
): string[] {
  return followed.flatMap(({ name, state }) =>
    state !== undefined && isOfOneKey(newestRoot(state)) ? `${name}: ${ONE_KEY}` : [],
  )
}
