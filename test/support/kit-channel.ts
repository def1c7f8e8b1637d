// A channel vector of the conformance kit on disk → what rlp answers: the updates one after the other, in memory, and what the host then judges by.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSigned } from '../../src/channel-file/statement.ts'
import { type ChannelOffer, StoreOffer } from '../../src/follow/channel-store.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { openStore } from '../../src/registry/open-store.ts'
import { utcSecond } from '../../src/text/time.ts'
import { newChannelState, newestRoot } from '../../src/trust/channels/advance.ts'
import { judgeChannel } from '../../src/trust/channels/judge-channel.ts'

/** A line of `run.mjs --channels --lines`. Paths are absolute. */
export interface ChannelLine {
  /** `blake3:…` */
  readonly root: string
  /** Each is read from a folder, or from an image layout. */
  readonly updates: readonly ({ readonly clock: string } & (
    | { readonly folder: string }
    | { readonly layout: string }
  ))[]
  readonly clock: string
}

export interface ChannelAnswer {
  readonly verdict: 'accepted' | 'refused'
  readonly codes: readonly string[]
  readonly root: number
  /** Epoch and version. */
  readonly release: readonly [number, number] | null
  /** Why the channel decides nothing. */
  readonly undecided: string | null
}

export async function answerToChannel({ root, updates, clock }: ChannelLine): Promise<ChannelAnswer> {
  const pinned = root.slice('blake3:'.length)
  let state = newChannelState(pinned)
  let code: string | undefined
  for (const update of updates) {
    const now = new Date(update.clock)
    const offer = 'layout' in update ? await offerInLayout(update.layout) : offerIn(update.folder)
    const taken = await takeOffer(state, offer, now)
    code = taken.refused?.code
    state = code === undefined ? { ...taken.state, updated: utcSecond(now) } : taken.state
  }
  const { code: undecided } = judgeChannel(
    { name: 'kit', reference: '', root: pinned },
    state,
    new Date(clock),
  )
  const { epoch, version } = state.release?.statement ?? {}
  return {
    verdict: code === undefined ? 'accepted' : 'refused',
    codes: code === undefined ? [] : [code],
    root: newestRoot(state)?.statement.version ?? 0,
    release: epoch === undefined || version === undefined ? null : [epoch, version],
    undecided: undecided ?? null,
  }
}

/** As an update of a followed channel reads it. */
async function offerInLayout(folder: string): Promise<ChannelOffer> {
  const deadline = new Deadline(new AbortController().signal)
  const reference = referenceIn(`oci-layout:${folder}`, 'update')
  return StoreOffer.at(await openStore(reference, { access: { env: {} }, deadline }, { writes: false }))
}

function offerIn(folder: string): ChannelOffer {
  const at = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined
  }
  return {
    async *pinned(digest) {
      if (!existsSync(folder)) return
      for (const name of readdirSync(folder).filter(name => name.endsWith('.root.json'))) {
        const bytes = at(name) as Uint8Array
        const read = readSigned(bytes, 'root')
        if (read.ok && read.value.digest === digest) yield bytes
      }
    },
    root: async version => at(`_${version}.root.json`),
    heartbeat: async () => at('_heartbeat.json'),
    release: async () => at('_release.json'),
    file: async name => at(name),
  }
}
