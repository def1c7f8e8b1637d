// What a host takes of what a place offers: the walk of roots, then heartbeat, release and files. What is accepted comes first, then the same with one
// thing changed.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { refuseForHosts } from '../../src/channel/for-hosts.ts'
import { type ChannelOffer, StoreOffer } from '../../src/follow/channel-store.ts'
import { takeOffer } from '../../src/follow/take-offer.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { ChannelState, RefusalCode } from '../../src/model/channel.ts'
import { RlpError } from '../../src/model/error.ts'
import { CHANNEL_LIMITS } from '../../src/model/limits.ts'
import { openStore } from '../../src/registry/open-store.ts'
import type { Store } from '../../src/registry/store.ts'
import { newChannelState } from '../../src/trust/channels/advance.ts'
import { judgeChannel } from '../../src/trust/channels/judge-channel.ts'
import {
  after,
  at,
  BEAT,
  channelWith,
  DAY,
  edited,
  filesOf,
  NOW,
  offerOf,
  PEOPLE,
  pinOf,
  publish,
  rootOne,
  STRANGER,
  signedAs,
  signedBy,
  takenFrom,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { LATE } from '../support/runs.ts'
import { POLICY } from '../support/trust-world.ts'

const folder = temporary('take-offer')
const { ada, alan, grace } = PEOPLE
const OTHER = '1'.repeat(64)

const FIRST = channelWith(POLICY, NOW)
const PINNED = pinOf(FIRST).slice('blake3:'.length)
const NEW_POLICY = `${POLICY}# the next\n`
/** A second root, a second release, and a heartbeat of both. */
const NEXT = withHeartbeat(withRelease(withRoot(FIRST, NOW), NEW_POLICY, NOW), at(1))
const KNOWN = await takenFrom(FIRST, NOW)
const { release: RELEASE, heartbeat: HEARTBEAT } = NEXT
assert.ok(RELEASE && HEARTBEAT)

/** Everything but the roots. */
const content = ({ release, heartbeat, files, highest, updated, manifest }: ChannelState) => [
  ...[release?.digest, heartbeat?.digest, highest, updated, manifest],
  ...[...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
]
const versions = ({ roots }: Pick<ChannelState, 'roots'>) => roots.map(({ statement }) => statement.version)
const digestOf = ({ release }: ChannelState) => release?.digest

describe('each code', () => {
  type Change = readonly [
    what: string,
    offer: Partial<ChannelOffer> | ChannelContents,
    rest?: { now?: Date; from?: ChannelState },
  ]
  const release = (change: object, ...signers: (typeof ada)[]) =>
    beaten({ ...NEXT, release: edited(RELEASE, change, ...(signers.length === 0 ? [ada, grace] : signers)) })
  const beat = (change: object, signer = BEAT) => ({ ...NEXT, heartbeat: edited(HEARTBEAT, change, signer) })
  /** With a heartbeat that names the release that is there. */
  const beaten = (contents: ChannelContents) => withHeartbeat(contents, at(1))
  const [first, second] = NEXT.roots
  assert.ok(first && second)
  const root = (change: object) => put('root', edited(second, change, ada, alan).envelope)
  const put = (what: keyof ChannelOffer, bytes: Uint8Array | undefined): Partial<ChannelOffer> => ({
    [what]: async () => bytes,
  })
  const bad = '[anchors]\nrelease = 1\n'
  const more = {
    name: 'a.txt',
    ...(({ name, ...rest }) => rest)(RELEASE.statement.files[0] ?? assert.fail()),
  }

  const CHANGES: { readonly [C in Exclude<RefusalCode, 'not_pinned'>]: readonly Change[] } = {
    malformed: [
      ['the root', put('root', Buffer.from('{}'))],
      ['the heartbeat', put('heartbeat', new Uint8Array())],
      ['the release', put('release', HEARTBEAT.envelope)],
      ['the root is the release', put('root', RELEASE.envelope)],
      ['a heartbeat without signatures', put('heartbeat', signedAs(HEARTBEAT, []).envelope)],
    ],
    missing: [
      ['the pinned root', offerOf(NEXT), { from: newChannelState(OTHER) }],
      ['the heartbeat', put('heartbeat', undefined)],
      ['the release', put('release', undefined)],
      ['the policy', put('file', undefined)],
      ['a file beside the policy', release({ files: [more, ...RELEASE.statement.files] })],
    ],
    too_few_signatures: [
      ['the root', { ...NEXT, roots: NEXT.roots.map(one => signedBy(signedAs(one, []), grace)) }],
      ['the release', release({}, ada, STRANGER)],
      ['the heartbeat', beat({}, STRANGER)],
      ['the heartbeat by a person', beat({}, ada)],
    ],
    gap: [['a third root in the place of the second', root({ version: 3 })]],
    other_channel: [
      ['the root', root({ channel: OTHER })],
      ['the release', release({ channel: OTHER })],
      ['the heartbeat', beat({ channel: OTHER })],
    ],
    wrong_epoch: [
      ['the root', root({ epoch: 3 })],
      ['the release', release({ epoch: 2 })],
      ['the heartbeat', beat({ epoch: 2 })],
    ],
    too_many_roots: [],
    older: [
      [
        'the release',
        release({ version: 1 }),
        {
          from: {
            ...KNOWN,
            release: undefined,
            highest: { ...KNOWN.highest, release: { epoch: 1, at: 2, blake3: OTHER } },
          },
        },
      ],
      ['the heartbeat', withHeartbeat(NEXT, at(-1))],
    ],
    other_content: [
      ['the release', release({ version: 1 })],
      ['the heartbeat', withHeartbeat(NEXT, NOW)],
    ],
    other_root: [['the one before', beat({ root: { version: 1, blake3: PINNED } })]],
    other_release: [
      ['another number', beat({ release: { version: 3, blake3: RELEASE.digest } })],
      ['another content', beat({ release: { version: 2, blake3: OTHER } })],
      ['the release of before', { ...NEXT, release: FIRST.release, files: FIRST.files }],
    ],
    lasts_too_long: [['by a second', beat({ expires: after(DAY + 2) })]],
    ahead: [['by a second', withHeartbeat(NEXT, at(602))]],
    ended: [
      ['the heartbeat', NEXT, { now: at(DAY + 1.001) }],
      ['the release', release({ expires: after(1) }), { now: at(2) }],
      [
        'the root',
        beaten({ ...NEXT, roots: [first, edited(second, { expires: after(1) }, ada, alan)] }),
        { now: at(2) },
      ],
    ],
    wrong_bytes: [
      ['of the same size', put('file', Buffer.from(NEW_POLICY.replace('next', 'nexT')))],
      ['longer by one', put('file', Buffer.from(`${NEW_POLICY}\n`))],
      ['none', put('file', new Uint8Array())],
      [
        'another BLAKE3 is stated',
        release({ files: RELEASE.statement.files.map(one => ({ ...one, blake3: OTHER })) }),
      ],
      [
        'another SHA-256 is stated',
        release({ files: RELEASE.statement.files.map(one => ({ ...one, sha256: OTHER })) }),
      ],
      [
        'another size is stated',
        release({ files: RELEASE.statement.files.map(one => ({ ...one, size: one.size - 1 })) }),
      ],
    ],
    policy_unusable: [['it is malformed', beaten(withRelease(withRoot(FIRST, NOW), bad, NOW))]],
  }

  test('what is published is taken whole', async () => {
    const told: number[] = []
    const { state, refused } = await takeOffer(KNOWN, offerOf(NEXT), at(600), async ({ roots }) => {
      told.push(roots.length)
    })
    assert.equal(refused, undefined)
    assert.deepEqual([versions(state), told], [[1, 2], [2]])
    assert.equal(digestOf(state), RELEASE.digest)
    assert.deepEqual(state.files, filesOf(NEW_POLICY))
    assert.deepEqual(state.highest.release, { epoch: 1, at: 2, blake3: RELEASE.digest })
    // The borders of what is refused below.
    for (const [contents, now] of [
      [NEXT, at(DAY + 1)],
      [beat({ expires: after(DAY + 1) }), NOW],
      [withHeartbeat(NEXT, at(600)), NOW],
      [release({ expires: after(2) }), at(2)],
      [beaten({ ...NEXT, roots: [first, edited(second, { expires: after(2) }, ada, alan)] }), at(2)],
    ] as const)
      assert.equal((await takeOffer(KNOWN, offerOf(contents), now)).refused, undefined)
  })

  for (const [code, changes] of Object.entries(CHANGES))
    for (const [what, change, { now = at(1), from = KNOWN } = {}] of changes)
      test(`${code}: ${what}`, async () => {
        const offer = 'roots' in change ? offerOf(change) : { ...offerOf(NEXT), ...change }
        const { state, refused } = await takeOffer(from, offer, now)
        assert.equal(refused?.code, code, refused?.problem)
        assert.deepEqual(content(state), content(from), 'nothing but roots is another')
        assert.deepEqual(versions(state).slice(0, from.roots.length), versions(from))
        // What people have published is taken by the very host.
        const isOther = ![undefined, second.digest].includes(state.roots[1]?.digest)
        if (from !== KNOWN || isOther) return
        const again = await takeOffer(state, offerOf(NEXT), at(1))
        assert.equal(again.refused, undefined)
        assert.equal(digestOf(again.state), RELEASE.digest)
      })
})

describe('the walk of roots', () => {
  /** So many roots after the first, and what is under the last. */
  const long = (more: number) => {
    let contents = FIRST
    for (let count = 0; count < more; count++) contents = withRoot(contents, NOW)
    return withHeartbeat(contents, at(1))
  }
  const LONG = long(2 * CHANNEL_LIMITS.roots + 1)
  const upTo = (count: number) => withHeartbeat({ ...LONG, roots: LONG.roots.slice(0, count) }, at(1))
  const take = (from: ChannelState, contents: ChannelContents) => takeOffer(from, offerOf(contents), at(1))
  const NOTHING_YET = newChannelState(PINNED)

  for (const [what, from] of [
    ['a host that knows the first', KNOWN],
    ['a host that knows nothing yet', NOTHING_YET],
  ] as const)
    test(`${what} takes 256 more at once, and leaves the 257th for the next update`, async () => {
      assert.equal(CHANNEL_LIMITS.roots, 256)
      const all = await take(from, upTo(257))
      assert.equal(all.refused, undefined)
      assert.deepEqual([all.state.roots.length, all.state.heartbeat?.statement.root.version], [257, 257])
      const most = await take(from, upTo(258))
      assert.equal(most.refused?.code, 'too_many_roots')
      assert.equal(most.state.roots.length, 257)
      assert.deepEqual(content(most.state), content(from))
      const then = await take(most.state, upTo(258))
      assert.equal(then.refused, undefined)
      assert.deepEqual([then.state.roots.length, digestOf(then.state)], [258, FIRST.release?.digest])
    })

  test('twice as many and one take three updates', { skip: LATE }, async () => {
    const counts: (number | string)[] = []
    let state = NOTHING_YET
    for (let update = 0; update < 3; update++) {
      const taken = await take(state, LONG)
      state = taken.state
      counts.push(state.roots.length, taken.refused?.code ?? 'taken')
    }
    assert.deepEqual(counts, [257, 'too_many_roots', 513, 'too_many_roots', 514, 'taken'])
  })

  test('a channel of so many roots can be pushed all the same', async () => {
    await refuseForHosts(LONG, undefined, at(1), 'test')
    const stranger = withHeartbeat(LONG, at(1), DAY, STRANGER)
    await assert.rejects(refuseForHosts(stranger, undefined, at(1), 'test'), {
      code: 'NOT_VERIFIED',
      message: /a host would refuse it: the heartbeat is signed by 0 of/,
    })
  })

  test('an ended root on the way proves its successor; the last one must not have ended', async () => {
    const past = '2020-01-01T00:00:00Z'
    const ended = withHeartbeat(withRoot(FIRST, NOW, { expires: past }), at(1))
    const mended = withHeartbeat(withRoot(ended, NOW), at(1))
    for (const from of [KNOWN, NOTHING_YET]) {
      const first = await take(from, ended)
      assert.deepEqual([first.refused?.code, versions(first.state)], ['ended', [1, 2]])
      const both = await take(from, mended)
      assert.deepEqual([both.refused, versions(both.state)], [undefined, [1, 2, 3]])
      assert.equal((await take(first.state, mended)).refused, undefined)
    }
  })

  test('the pinned root need not be root 1: what was before it is not asked for', async () => {
    const contents = upTo(5)
    const pinned = contents.roots[2]?.digest ?? ''
    const asked: number[] = []
    const offer = offerOf(contents)
    const root = async (version: number) => {
      asked.push(version)
      return offer.root(version)
    }
    const { state, refused } = await takeOffer(newChannelState(pinned), { ...offer, root }, at(1))
    assert.equal(refused, undefined)
    assert.deepEqual(
      [versions(state), asked],
      [
        [3, 4, 5],
        [4, 5, 6],
      ],
    )
    const source = judgeChannel({ name: 'house', reference: '', root: pinned }, state, at(1))
    assert.deepEqual([source.code, source.channel.channel, source.channel.root], [undefined, PINNED, 5])
    // A root of before is no root of a host that begins later, and the one that is pinned has to be signed.
    const few = signedBy(signedAs(contents.roots[2] ?? assert.fail(), []), ada)
    const lacking = { ...contents, roots: contents.roots.map(one => (one.digest === few.digest ? few : one)) }
    const bad = await take(newChannelState(pinned), lacking)
    assert.deepEqual([bad.refused?.code, bad.state.roots], ['too_few_signatures', []])
    const without = { ...contents, roots: contents.roots.filter(({ digest }) => digest !== pinned) }
    assert.equal((await take(newChannelState(pinned), without)).refused?.code, 'missing')
  })

  test('the pinned root is found behind others, and behind what is no root', async () => {
    const offer = offerOf(FIRST)
    const decoy = rootOne(NOW, { heartbeatSeconds: 1 })
    async function* pinned() {
      yield new Uint8Array()
      yield HEARTBEAT?.envelope ?? new Uint8Array()
      yield decoy.envelope
      yield* offer.pinned(PINNED)
    }
    const { state, refused } = await takeOffer(NOTHING_YET, { ...offer, pinned }, at(1))
    assert.deepEqual([refused, state.roots[0]?.digest], [undefined, PINNED])
  })

  test('a place that offers roots without end is left', async () => {
    let offered = 0
    async function* pinned() {
      for (;;) {
        offered++
        yield new Uint8Array()
      }
    }
    const { refused } = await takeOffer(NOTHING_YET, { ...offerOf(FIRST), pinned }, at(1))
    assert.deepEqual([refused?.code, offered], ['missing', CHANNEL_LIMITS.storedRoots])
  })
})

describe('a root that was proven stays, whatever fails later', () => {
  const failing = async () => {
    throw new RlpError('UNREACHABLE', 'Cannot reach the registry')
  }
  const LATER: readonly (readonly [what: string, offer: Partial<ChannelOffer>])[] = [
    [
      'the next root is malformed',
      { root: async version => (version === 2 ? NEXT.roots[1]?.envelope : Buffer.from('{}')) },
    ],
    ['no heartbeat', { heartbeat: async () => undefined }],
    ['a heartbeat of before', { heartbeat: async () => FIRST.heartbeat?.envelope }],
    ['no release', { release: async () => undefined }],
    ['no file', { file: async () => undefined }],
    [
      'the next root cannot be fetched',
      { root: version => (version === 2 ? offerOf(NEXT).root(2) : failing()) },
    ],
    ['the heartbeat cannot be fetched', { heartbeat: failing }],
    ['the release cannot be fetched', { release: failing }],
    ['a file cannot be fetched', { file: failing }],
  ]
  for (const [what, change] of LATER)
    test(what, async () => {
      const told: ChannelState[] = []
      const offer = { ...offerOf(NEXT), ...change }
      const code = await takeOffer(KNOWN, offer, at(1), async state => {
        told.push(state)
      }).then(
        ({ state, refused }) => {
          assert.deepEqual(versions(state), [1, 2])
          return refused?.code
        },
        error => {
          assert.ok(error instanceof RlpError)
          return error.code
        },
      )
      assert.equal(code === 'UNREACHABLE', what.endsWith('cannot be fetched'))
      assert.ok(code)
      const [kept, ...others] = told
      assert.ok(kept)
      assert.deepEqual([versions(kept), others, content(kept)], [[1, 2], [], content(KNOWN)])
      // What is under the root of before does not count any more: the host waits for the next update.
      const source = judgeChannel({ name: 'house', reference: '', root: PINNED }, kept, at(1))
      assert.equal(source.code, 'trust_channel_stale')
      const { refused, state } = await takeOffer(kept, offerOf(NEXT), at(1))
      assert.deepEqual([refused, digestOf(state)], [undefined, RELEASE.digest])
    })
})

describe('what is known already is not asked for', () => {
  test('a release and files that stay', async () => {
    const asked: string[] = []
    const offer = offerOf(withHeartbeat(FIRST, at(1)), (name, bytes) => {
      asked.push(name)
      return bytes
    })
    assert.equal((await takeOffer(KNOWN, offer, at(1))).refused, undefined)
    assert.deepEqual(asked, ['heartbeat'])
  })

  test('a release whose signers a rotation removes is asked for again', async () => {
    const rotation = { removeKeys: [grace.anchor], threshold: 2 }
    const rotated = withHeartbeat(withRoot(FIRST, NOW, rotation), at(1))
    const short = await takeOffer(KNOWN, offerOf(rotated), at(1))
    assert.equal(short.refused?.code, 'too_few_signatures', 'ada and grace had signed it')
    const again = { ...rotated, release: signedBy(signedAs(rotated.release ?? assert.fail(), []), ada, alan) }
    const taken = await takeOffer(short.state, offerOf(again), at(1))
    assert.equal(taken.refused, undefined)
    assert.equal(digestOf(taken.state), FIRST.release?.digest)
  })
})

describe('a layout folder with other bytes than a statement names', () => {
  const updated = async (path: string, from: ChannelState = KNOWN) => {
    const deadline = new Deadline(new AbortController().signal)
    const reference = referenceIn(`oci-layout:${path}`, 'test')
    const store = await openStore(reference, { access: { env: {} }, deadline }, { writes: false })
    const { state, refused } = await takeOffer(from, await StoreOffer.at(store), at(1))
    return [refused?.code, digestOf(state)]
  }
  const published = async (name: string, contents: ChannelContents) => {
    const path = join(folder(name), 'house')
    await publish(contents, `oci-layout:${path}`)
    return path
  }
  const blobOf = (path: string, bytes: Uint8Array) =>
    join(path, 'blobs/sha256', createHash('sha256').update(bytes).digest('hex'))
  const before = digestOf(KNOWN)
  const policy = NEXT.files.get('trust-policy.toml') ?? assert.fail()
  const other = (bytes: Uint8Array) => Buffer.from(bytes).fill('x', bytes.length - 2)

  test('its own bytes are taken', async () => {
    assert.deepEqual(await updated(await published('own', NEXT)), [undefined, RELEASE.digest])
  })
  test('a file that its manifest lists with another digest is wrong_bytes', async () => {
    for (const [name, bytes] of [
      ['same size', other(policy)],
      ['longer', Buffer.concat([policy, Buffer.from('#')])],
      ['empty', Buffer.alloc(0)],
    ] as const) {
      const files = new Map([['trust-policy.toml', new Uint8Array(bytes)]])
      assert.deepEqual(
        await updated(await published(name, { ...NEXT, files })),
        ['wrong_bytes', before],
        name,
      )
    }
  })
  test('a file that the manifest does not list is missing', async () => {
    const path = await published('unlisted', { ...NEXT, files: new Map() })
    assert.deepEqual(await updated(path), ['missing', before])
  })
  for (const [what, bytes, code] of [
    ['a file', policy, 'wrong_bytes'],
    ['the release', RELEASE.envelope, 'malformed'],
    ['the next root', NEXT.roots[1]?.envelope ?? assert.fail(), 'malformed'],
  ] as const) {
    test(`${what} whose blob was changed is ${code}`, async () => {
      const path = await published(`changed ${what}`, NEXT)
      for (const changed of [other(bytes), bytes.subarray(1), Buffer.concat([bytes, Buffer.from('#')])]) {
        writeFileSync(blobOf(path, bytes), changed)
        assert.deepEqual(await updated(path), [code, before], `${changed.length}`)
      }
      writeFileSync(blobOf(path, bytes), bytes)
      assert.deepEqual(await updated(path), [undefined, RELEASE.digest])
    })
  }
  test('a blob that was removed is not offered', async () => {
    for (const bytes of [policy, RELEASE.envelope]) {
      const path = await published(`removed ${bytes.length}`, NEXT)
      rmSync(blobOf(path, bytes))
      assert.deepEqual(await updated(path), ['missing', before])
    }
  })
  test('a damaged root is passed over on the way to the pinned one', async () => {
    const path = await published('pinned', NEXT)
    const [first, second] = NEXT.roots
    assert.ok(first && second)
    writeFileSync(blobOf(path, first.envelope), other(first.envelope))
    const from = (pinned: string) => updated(path, newChannelState(pinned))
    assert.deepEqual(await from(second.digest), [undefined, RELEASE.digest])
    assert.deepEqual(await from(first.digest), ['missing', undefined])
  })
})

describe('a place that gives two answers for one tag', () => {
  const OLD = withHeartbeat(withRelease(FIRST, NEW_POLICY, NOW), at(1))
  const NEW = withHeartbeat(withRelease(withRoot(OLD, NOW), `${POLICY}# the third\n`, NOW), at(2))

  /** The answers to each call of `manifest`, by tag, in turn; the blobs of both are there. */
  async function place(name: string, answers: Readonly<Record<string, readonly ChannelContents[]>>) {
    const stores: Store[] = []
    for (const [index, contents] of [OLD, NEW].entries()) {
      const path = join(folder(`${name} ${index}`), 'house')
      await publish(contents, `oci-layout:${path}`)
      const deadline = new Deadline(new AbortController().signal)
      stores.push(
        await openStore(
          referenceIn(`oci-layout:${path}`, 'test'),
          { access: { env: {} }, deadline },
          { writes: false },
        ),
      )
    }
    const calls: string[] = []
    const storeOf = (contents: ChannelContents) => stores[contents === OLD ? 0 : 1] ?? assert.fail()
    const store = {
      label: 'two-faced',
      manifest: (tag: string) => {
        const turn = calls.filter(one => one === tag).length
        calls.push(tag)
        const [last = OLD] = (answers[tag] ?? []).slice(-1)
        return storeOf(answers[tag]?.[turn] ?? last).manifest(tag)
      },
      read: async function* (blob: Parameters<Store['read']>[0]) {
        for (const one of stores) if (await one.has(blob)) return yield* one.read(blob)
      },
    } as unknown as Store
    return { calls, update: async (from: ChannelState) => takeOffer(from, await StoreOffer.at(store), at(2)) }
  }

  test('each tag is asked for once, so an update sees one answer', async () => {
    for (const [first, then] of [
      [OLD, NEW],
      [NEW, OLD],
    ] as const) {
      const { calls, update } = await place(`once ${first === OLD}`, {
        channel: [first, then],
        heartbeat: [first, then],
      })
      const { state, refused } = await update(KNOWN)
      assert.deepEqual([refused, calls], [undefined, ['channel', 'heartbeat']])
      assert.deepEqual([versions(state).length, digestOf(state)], [first.roots.length, first.release?.digest])
    }
  })

  test('a new channel with a heartbeat of before, and the other way round, is refused', async () => {
    const mixes = [
      ['new channel', NEW, OLD, 'other_root', [1, 2]],
      ['new heartbeat', OLD, NEW, 'other_root', [1]],
    ] as const
    for (const [what, channel, heartbeat, code, roots] of mixes) {
      const { update } = await place(what, { channel: [channel, NEW], heartbeat: [heartbeat, NEW] })
      const { state, refused } = await update(KNOWN)
      assert.deepEqual([refused?.code, versions(state), content(state)], [code, roots, content(KNOWN)])
      const next = await update(state)
      assert.deepEqual([next.refused, digestOf(next.state)], [undefined, NEW.release?.digest])
    }
  })

  test('the answer of before, after the new one, is refused', async () => {
    const { update } = await place('back', { channel: [NEW, OLD], heartbeat: [NEW, OLD] })
    const { state, refused } = await update(KNOWN)
    assert.equal(refused, undefined)
    const back = await update(state)
    assert.equal(back.refused?.code, 'other_root')
    assert.deepEqual([content(back.state), versions(back.state)], [content(state), [1, 2]])
  })
})
