// What is complete in a folder, and the key of heartbeats → a newer heartbeat.

import type { Heartbeat, SignedStatement } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import type { Signer } from '../model/signer.ts'
import { signBytes } from '../sign/sign.ts'
import { anchorString } from '../signature/kinds/index.ts'
import { secondAfter } from '../text/time.ts'
import { heartbeatProblem, placeOfHeartbeat } from '../trust/channels/advance.ts'
import type { ChangedChannel, ChannelContents } from './contents.ts'
import { type Building, type BuiltOn, builtOn } from './newest.ts'
import { drafted, heartbeatFor } from './next-statements.ts'
import { type ChannelUse, changeThere } from './open-channel.ts'
import { rememberContents, seenOf } from './seen.ts'
import { addSignature, messageOf, writtenKeys } from './signatures.ts'

/** How much clocks of those who make heartbeats may differ. */
const CLOCKS_MS = 60_000

export interface MadeHeartbeat extends ChangedChannel {
  readonly builtOn: BuiltOn
  readonly heartbeat: SignedStatement<Heartbeat>
}

/**
 * @param expiresSeconds as long as the root allows where it is undefined
 * @param say told what the heartbeat builds on, before it is signed
 * @throws RlpError USAGE for a key that makes no heartbeats, or an end that the root does not allow; NOT_VERIFIED for a heartbeat that no host would take, and as
 * {@link builtOn}
 */
export async function makeHeartbeat(
  folder: string,
  signer: Signer,
  {
    expiresSeconds,
    now,
    afterEnd,
    ...use
  }: ChannelUse & Building & { readonly expiresSeconds: number | undefined },
  say: (base: BuiltOn) => void = () => {},
): Promise<MadeHeartbeat> {
  const doing = `make a heartbeat in "${folder}"`
  const keyid = anchorString(signer.key)
  return changeThere(folder, use, async contents => {
    const root = contents.roots.at(-1)
    const most = root?.statement.heartbeatSeconds ?? 0
    const issued = issueAt(contents.heartbeat, now)
    const end = secondAfter(issued, expiresSeconds ?? most)
    const statement = heartbeatFor(contents, secondAfter(issued, 0), end)
    if (root === undefined) throw new TypeError('a release has a root')
    const keys = root.statement.heartbeats
    if (!keys.includes(keyid))
      throw new RlpError(
        'USAGE',
        `Cannot ${doing} with ${writtenKeys(contents)(keyid)}: it is no key of heartbeats`,
        {
          hint: 'rlp channel status shows the keys of heartbeats',
        },
      )
    refuseUseless(contents, now, doing)
    const base = builtOn(contents, await seenOf(contents, { ...use, now }), { now, afterEnd }, doing)
    await rememberContents(contents, { ...use, now })
    say(base)
    const draft = drafted(statement, doing)
    const heartbeat = addSignature(draft, keys, {
      keyid,
      sig: await signBytes(messageOf(draft), signer, doing),
    })
    const highest = contents.heartbeat && placeOfHeartbeat(contents.heartbeat)
    const problem = heartbeatProblem(root, heartbeat, highest, now)
    if (problem !== undefined)
      throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: ${problem.problem}`, {
        hint: 'A heartbeat has to be newer than the last one. Set the clock of this host, and of the one that made that',
      })
    return { contents: { ...contents, heartbeat }, builtOn: base, heartbeat }
  })
}

/**
 * Now, or the second after the last one: two in one second could not be told apart, and clocks of two machines differ a little. Hosts allow more
 * than that.
 */
function issueAt(last: ChannelContents['heartbeat'], now: Date): Date {
  const after = last === undefined ? 0 : Date.parse(last.statement.issued) + 1000
  return after > now.getTime() && after <= now.getTime() + CLOCKS_MS ? new Date(after) : now
}

/** A heartbeat of what has ended helps no person, and would hide that something else is due. */
function refuseUseless({ roots, release }: ChannelContents, now: Date, doing: string): void {
  const over = [roots.at(-1), release]
    .filter(one => one !== undefined)
    .find(({ statement }) => Date.parse(statement.expires) < now.getTime())
  if (over === undefined) return
  const { kind, version, expires } = over.statement
  throw new RlpError('NOT_VERIFIED', `Cannot ${doing}: ${kind} ${version} ended at ${expires}`, {
    hint: kind === 'root' ? 'Rotate it with rlp channel rotate' : 'Release again with rlp channel release',
  })
}
