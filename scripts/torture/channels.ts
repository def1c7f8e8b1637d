// Campaign: trust channels. A host that follows one is killed, finds its disk full, asks a place that changes every byte, and is updated by many
// at once: what it knows is the old or the new, and never what no person published.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { readChannelState, writeChannelState } from '../../src/channel-file/state.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import { updateChannel } from '../../src/follow/update-all.ts'
import { channelStatePath, userPlaces } from '../../src/io/channel-places.ts'
import type { ChannelState } from '../../src/model/channel.ts'
import { RlpError } from '../../src/model/error.ts'
import { readDigestText } from '../../src/text/digest-text.ts'
import { newChannelState } from '../../src/trust/channels/advance.ts'
import { judgeChannel } from '../../src/trust/channels/judge-channel.ts'
import {
  channelWith,
  offerOf,
  pinOf,
  publish,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../../test/support/channel-world.ts'
import { policyText, world } from '../../test/support/install-world.ts'
import { FakeRegistry } from '../../test/support/oci-registry.ts'
import type { Campaign, Session } from './campaign.ts'
import type { Place, Scenario } from './faults/scenarios.ts'
import { faultsIn } from './faults.ts'
import { left, odd, together } from './races/crowd.ts'

const MANY = 24
const MANY_IN_SLICE = 4

export const campaign: Campaign = {
  name: 'channels',
  summary:
    'killed, lied to at every byte or updated by many, a host knows what was published and nothing else',
  isEndless: true,
  async run(session) {
    for (const part of [damagedState, changes, cutAnswers, crowd]) if (!session.isOver()) await part(session)
    if (!session.isOver()) await faultsIn(session, session.some(SCENARIOS, 1))
  },
}

const NOW = new Date(Math.floor(Date.now() / 1000) * 1000)
const LATER = new Date(NOW.getTime() + 1000)
const FIRST = channelWith(policyText(), NOW)
const SECOND = withHeartbeat(withRelease(FIRST, policyText('\n# the second\n'), NOW), LATER)
/** A second root comes as well; its people are the same. */
const ROTATED = withHeartbeat(withRelease(withRoot(FIRST, NOW), policyText('\n# rotated\n'), NOW), LATER)
const PINNED = readDigestText(pinOf(FIRST)) ?? ''
const FOLLOWED = { name: 'house', reference: 'oci-layout:house', root: PINNED }

/** All that decides, in one text. */
function said({ roots, release, heartbeat, files }: ChannelState): string {
  const digests = [...roots, release, heartbeat].map(one => one?.digest)
  return JSON.stringify([
    digests,
    [...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('hex')]),
  ])
}

/** One bit of one text is another: the whole is refused, or it is what was published. */
async function changes(session: Session): Promise<void> {
  const { state: start } = await takeOffer(newChannelState(PINNED), offerOf(FIRST), LATER)
  const answers: Record<string, number> = {}
  for (const [label, contents] of [
    ['second', SECOND],
    ['rotated', ROTATED],
  ] as const) {
    const { state: honest } = await takeOffer(start, offerOf(contents), LATER)
    const [newest] = contents.roots.slice(-1)
    const allowed = new Set([
      said(start),
      said(honest),
      said({ ...start, roots: newest ? contents.roots : [] }),
    ])
    const texts: readonly (readonly [string, Uint8Array | undefined])[] = [
      [`root ${contents.roots.length}`, contents.roots.length > 1 ? newest?.envelope : undefined],
      ['heartbeat', contents.heartbeat?.envelope],
      ['release', contents.release?.envelope],
      ...contents.files,
    ]
    const cases = texts.flatMap(([name, bytes]) =>
      Array.from({ length: (bytes?.length ?? 0) * 8 }, (_, bit) => ({ name, bit })),
    )
    for (const { name, bit } of session.some(cases, 60)) {
      if (session.isOver()) return
      const id = `${label}: bit ${bit} of ${name}`
      if (!session.begin(id, 'changes')) continue
      const flip = (of: string, bytes: Uint8Array) => {
        if (of !== name) return bytes
        const changed = Uint8Array.from(bytes)
        changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return changed
      }
      const { state, refused } = await takeOffer(start, offerOf(contents, flip), LATER)
      const word = refused?.code ?? 'taken'
      answers[word] = (answers[word] ?? 0) + 1
      if (!allowed.has(said(state)))
        session.defect({ case: id, what: `${word}: it knows what no person published` })
      if (refused === undefined && said(state) !== said(honest))
        session.defect({ case: id, what: 'it took something else' })
    }
  }
  session.tally('changes', answers)
}

/** No damage to what is known makes a channel decide something else. */
async function damagedState(session: Session): Promise<void> {
  const { state } = await takeOffer(newChannelState(PINNED), offerOf(FIRST), LATER)
  const good = writeChannelState({ ...state, updated: '2026-01-01T00:00:00Z' })
  const policy = judgeChannel(FOLLOWED, state, LATER).digest
  const answers: Record<string, number> = {}
  const cases = Array.from({ length: good.length * 8 }, (_, bit) => bit)
  for (const bit of session.some(cases, 60)) {
    if (session.isOver()) return
    if (!session.begin(`state bit ${bit}`, 'damage')) continue
    const bytes = Uint8Array.from(good)
    bytes[bit >> 3] = (good[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const read = readChannelState(bytes)
    const source = judgeChannel(FOLLOWED, read.ok ? read.state : read, LATER)
    const word = source.policy === undefined ? (source.code ?? 'undecided') : 'decides'
    answers[word] = (answers[word] ?? 0) + 1
    if (source.policy !== undefined && source.digest !== policy)
      session.defect({ case: `state bit ${bit}`, what: 'another policy decides', input: bytes })
  }
  session.tally('damage', answers)
}

/** A registry whose answers end at some byte, or are another's: the file of the channel stays what it was. */
async function cutAnswers(session: Session): Promise<void> {
  const registry = await new FakeRegistry().start()
  try {
    const reference = `oci://${registry.host}/trust/house`
    await publish(FIRST, reference)
    const home = join(session.folder, 'cut')
    mkdirSync(home, { mode: 0o700 })
    const places = userPlaces(home)
    const followed = { ...FOLLOWED, reference }
    const signal = new AbortController().signal
    const times = { operationMs: 3000 }
    const update = () =>
      updateChannel(followed, places, { access: { env: {}, times }, signal, now: LATER, dryRun: false })
    await update()
    const path = channelStatePath(places, PINNED)
    const before = readFileSync(path)
    const stateBefore = readChannelState(before)
    await publish(ROTATED, reference)
    const wire = session.isSlice ? [0, 3] : [0, 1, 2, 3, 4, 5, 6]
    for (const at of wire)
      for (const how of ['cut', 'other', 'none'] as const) {
        if (session.isOver()) return
        const id = `answer ${at}: ${how}`
        if (!session.begin(id, 'answers')) continue
        writeFileSync(path, before)
        let count = 0
        registry.meddle = (request, response) => {
          if (request.method !== 'GET' || count++ !== at) return false
          if (how === 'none') response.writeHead(404).end()
          else if (how === 'other')
            response
              .writeHead(200, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' })
              .end('{}')
          else {
            response.writeHead(200, { 'content-length': '2000', 'content-type': 'application/octet-stream' })
            response.write('{')
            setTimeout(() => response.destroy(), 5)
          }
          return true
        }
        const outcome = await update().catch(error => {
          if (error instanceof RlpError) return error
          throw error
        })
        registry.meddle = undefined
        const read = readChannelState(readFileSync(path))
        if (!read.ok || !stateBefore.ok) {
          session.defect({ case: id, what: `the file is damaged: ${read.ok ? '' : read.problem}` })
          continue
        }
        const isOld = read.state.release?.digest === FIRST.release?.digest
        const isNew = read.state.release?.digest === ROTATED.release?.digest
        const isTaken = !(outcome instanceof RlpError) && outcome.refused === undefined
        if (!(isTaken ? isNew : isOld))
          session.defect({ case: id, what: `the file holds neither the old nor the new` })
        const { state } = await update()
        if (said(state) !== said({ ...state, roots: ROTATED.roots, ...pick(ROTATED) }))
          session.defect({ case: id, what: 'the next update does not make it good' })
      }
  } finally {
    await registry.stop()
  }
}

function pick({ release, heartbeat, files }: ChannelContents) {
  return { release, heartbeat, files }
}

/** Many update one home at once: what is there in the end is the newest. */
async function crowd(session: Session): Promise<void> {
  if (!session.begin('crowd', 'crowds')) return
  const cwd = join(session.folder, 'crowd')
  mkdirSync(cwd, { recursive: true, mode: 0o755 })
  const here = world(cwd)
  const channel = `oci-layout:${join(cwd, 'house')}`
  await publish(FIRST, channel)
  await here.rlp('trust', 'follow', channel, '--root', pinOf(FIRST))
  await publish(ROTATED, channel)
  const many = session.isSlice ? MANY_IN_SLICE : MANY
  const ended = await together(
    session,
    here,
    Array.from({ length: many }, () => ['trust', 'update']),
  )
  const { envelope } = await here.rlp('trust', 'status')
  const [shown] = (envelope.result?.['channels'] ?? []) as {
    channel?: { release?: { blake3: string } | null } | null
  }[]
  const wrong = [
    ...odd(ended, [0]),
    ...left(here.home),
    ...(shown?.channel?.release?.blake3 === ROTATED.release?.digest
      ? []
      : ['not the newest release is there']),
  ]
  for (const what of wrong) session.defect({ case: 'crowd', what })
}

const KNOWN = `home/channels/${PINNED}.channel`
const OF_KNOWN = new RegExp(`^${KNOWN.replaceAll('.', '\\.')}$`)

/** A host that has taken the first release, and a place that offers something else since. */
async function followed({ work, rlp }: Place, next: ChannelContents): Promise<void> {
  const channel = `oci-layout:${join(work, 'house')}`
  await publish(FIRST, channel)
  await rlp('trust', 'follow', 'oci-layout:house', '--root', pinOf(FIRST))
  await publish(next, channel)
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'trust update, roots and a release',
    prepare: place => followed(place, ROTATED),
    args: ['trust', 'update'],
    // The root alone is stored at once.
    mayDiffer: OF_KNOWN,
  },
  {
    name: 'trust update, a release',
    prepare: place => followed(place, SECOND),
    args: ['trust', 'update'],
    holds: { file: KNOWN, args: ['trust', 'status'] },
  },
  {
    name: 'trust follow',
    prepare: ({ work }) => publish(FIRST, `oci-layout:${join(work, 'house')}`),
    args: ['trust', 'follow', 'oci-layout:house', '--root', pinOf(FIRST)],
    mayBeGone: OF_KNOWN,
    mayDiffer: OF_KNOWN,
  },
  {
    name: 'trust unfollow',
    prepare: place => followed(place, FIRST),
    args: ['trust', 'unfollow', 'house', '--yes'],
    again: [{ args: ['trust', 'unfollow', 'house', '--yes'], exits: [0, 2] }],
  },
]
