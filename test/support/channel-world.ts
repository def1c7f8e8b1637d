// A trust channel for tests, made by the functions that publish one: three people, two of whom sign, and a key of heartbeats.

import { type ChannelContents, NO_DRAFT, writeContents } from '../../src/channel/contents.ts'
import {
  drafted,
  firstRoot,
  heartbeatFor,
  nextRelease,
  nextRoot,
  type Rotation,
} from '../../src/channel/drafts.ts'
import { addSignature, completed, messageOf } from '../../src/channel/signatures.ts'
import { writeSigned } from '../../src/format/channel/statement.ts'
import { secondAfter } from '../../src/format/text/duration.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { ChannelRoot, ChannelStatement, SignedStatement } from '../../src/model/channel.ts'
import { openStore, referenceIn } from '../../src/registry/open-store.ts'
import { signer, type TestSigner } from './signed.ts'

export const PEOPLE = { ada: signer(61), alan: signer(62), grace: signer(63) } as const
export const BEAT: TestSigner = signer(64)
export const STRANGER: TestSigner = signer(65)

export const DAY = 86_400

export const NO_CHANGE: Omit<Rotation, 'expires'> = {
  ...{ addKeys: [], removeKeys: [], addHeartbeats: [], removeHeartbeats: [] },
  ...{ threshold: undefined, heartbeatSeconds: undefined, newEpoch: false },
}

/** A draft with the signatures of some. */
export function signedBy<S extends ChannelStatement>(
  draft: SignedStatement<S>,
  ...signers: readonly TestSigner[]
): SignedStatement<S> {
  return signers.reduce(
    (signed, { anchor, sign }) =>
      addSignature(
        signed,
        signed.signatures.map(({ keyid }) => keyid),
        { keyid: anchor, sig: sign(messageOf(signed)) },
      ),
    draft,
  )
}

/** Root 1: two of three people, heartbeats of a day. */
export function rootOne(now: Date, about: Partial<ChannelRoot> = {}): SignedStatement<ChannelRoot> {
  const root = firstRoot({
    ...{ expires: secondAfter(now, 365 * DAY), threshold: 2, heartbeatSeconds: DAY },
    keys: Object.values(PEOPLE).map(({ anchor }) => anchor),
    heartbeats: [BEAT.anchor],
    ...about,
  })
  return signedBy(drafted(root, 'test'), PEOPLE.ada, PEOPLE.alan)
}

export const NOTHING: ChannelContents = {
  ...{
    name: 'house',
    roots: [],
    release: undefined,
    files: new Map(),
    heartbeat: undefined,
    draft: NO_DRAFT,
  },
}

export function filesOf(policy: string): Map<string, Uint8Array> {
  return new Map([['trust-policy.toml', new Uint8Array(Buffer.from(policy))]])
}

/** The next release of a policy, signed by two people or by some others. */
export function withRelease(
  contents: ChannelContents,
  policy: string,
  now: Date,
  by: readonly TestSigner[] = [PEOPLE.ada, PEOPLE.grace],
  days = 30,
): ChannelContents {
  const files = filesOf(policy)
  const release = signedBy(drafted(nextRelease(contents, files, secondAfter(now, days * DAY)), 'test'), ...by)
  return completed({ ...contents, draft: { root: undefined, release, files } })
}

export function withHeartbeat(
  contents: ChannelContents,
  now: Date,
  seconds = DAY,
  by: TestSigner = BEAT,
): ChannelContents {
  const heartbeat = heartbeatFor(contents, secondAfter(now, 0), secondAfter(now, seconds))
  return { ...contents, heartbeat: signedBy(drafted(heartbeat, 'test'), by) }
}

/** The next root, signed by two people. */
export function withRoot(
  contents: ChannelContents,
  now: Date,
  change: Partial<Rotation> = {},
  by: readonly TestSigner[] = [PEOPLE.ada, PEOPLE.alan],
): ChannelContents {
  const [newest] = contents.roots.slice(-1)
  if (newest === undefined) throw new Error('there is no root')
  const root = nextRoot(newest, { ...NO_CHANGE, expires: secondAfter(now, 365 * DAY), ...change })
  return { ...contents, roots: [...contents.roots, signedBy(drafted(root, 'test'), ...by)] }
}

/** A channel with one release and a heartbeat. */
export function channelWith(policy: string, now: Date = new Date()): ChannelContents {
  return withHeartbeat(withRelease({ ...NOTHING, roots: [rootOne(now)] }, policy, now), now)
}

/** The digest that a person gives to another. */
export function pinOf({ roots }: ChannelContents, version = 1): string {
  return `blake3:${roots[version - 1]?.digest}`
}

/** Stores it without a question. */
export async function publish(contents: ChannelContents, reference: string): Promise<void> {
  const deadline = new Deadline(new AbortController().signal)
  const store = await openStore(referenceIn(reference, 'publish'), { env: {} }, { writes: true, deadline })
  try {
    await store.changing(() => writeContents(store, contents))
  } finally {
    await store.close()
  }
}

/** A statement with other signatures, also none. */
export function signedAs<S extends ChannelStatement>(
  signed: SignedStatement<S>,
  signatures: SignedStatement<S>['signatures'],
): SignedStatement<S> {
  return { ...signed, signatures, envelope: writeSigned(signed.payload, signatures) }
}
