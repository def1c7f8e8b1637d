// What a host knows of a channel, at some moment: it decides, or says why not. Each border is asked at its very second.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelContents } from '../../../src/channel/contents.ts'
import { readChannelState, writeChannelState } from '../../../src/channel-file/state.ts'
import type { ChannelState } from '../../../src/model/channel.ts'
import { newChannelState, placeOfHeartbeat } from '../../../src/trust/channels/advance.ts'
import { judgeChannel } from '../../../src/trust/channels/judge-channel.ts'
import {
  after,
  at,
  BEAT,
  channelWith,
  DAY,
  edited,
  filesOf,
  NOTHING,
  NOW,
  PEOPLE,
  pinOf,
  rootOne,
  STRANGER,
  signedAs,
  signedBy,
  takenFrom,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../../support/channel-world.ts'
import { POLICY } from '../../support/trust-world.ts'

const { ada, alan, grace } = PEOPLE

const CHANNEL = channelWith(POLICY, NOW)
const PINNED = pinOf(CHANNEL).slice('blake3:'.length)
const FOLLOWED = { name: 'house', reference: 'oci-layout:house', root: PINNED }
const KNOWN = await takenFrom(CHANNEL, NOW)
const judge = (known: Parameters<typeof judgeChannel>[1], now = NOW, root = PINNED) =>
  judgeChannel({ ...FOLLOWED, root }, known, now)

/** Undefined: its policy decides. */
function code(known: Parameters<typeof judgeChannel>[1], now = NOW, root = PINNED) {
  const source = judge(known, now, root)
  assert.equal(source.policy === undefined, source.code !== undefined, source.problems.join('; '))
  if (source.policy === undefined) {
    assert.equal(source.problems.length, 1)
    assert.match(source.problems[0] ?? '', /^channel house: /)
    assert.ok(source.hint)
  }
  return source.code
}

/** A channel of which something ends after so many seconds. */
async function ending(seconds: {
  root?: number
  release?: number
  heartbeat?: number
}): Promise<ChannelState> {
  const { root = 200 * DAY, release = 200 * DAY, heartbeat = 200 * DAY } = seconds
  const roots = [rootOne(NOW, { expires: after(root), heartbeatSeconds: 365 * DAY })]
  const released = withRelease({ ...NOTHING, roots }, POLICY, NOW, undefined, release / DAY)
  return takenFrom(withHeartbeat(released, NOW, heartbeat), NOW)
}

test('a channel that is whole decides, and says what it is', () => {
  const { policy, role, path, channel, problems } = judge(KNOWN)
  assert.deepEqual(
    policy?.anchors.map(({ name }) => name),
    ['release', 'security', 'dev'],
  )
  assert.deepEqual([role, path, problems], ['channel', 'channel house', []])
  assert.deepEqual(channel, {
    name: 'house',
    channel: PINNED,
    root: 1,
    issued: after(0),
    until: after(DAY),
    release: { version: 1, epoch: 1, blake3: CHANNEL.release?.digest },
  })
})

describe('trust_channel_stale', () => {
  for (const [what, says] of [
    ['heartbeat', /its newest heartbeat ended at 2026-11-20T13:00:00Z/],
    ['release', /its release ended at 2026-11-20T13:00:00Z/],
    ['root', /its root ended at 2026-11-20T13:00:00Z/],
  ] as const)
    test(`the ${what} decides at the second of its end, and not after it`, async () => {
      const known = await ending({ [what]: 3600 })
      assert.equal(code(known, at(3600), known.pinned), undefined)
      assert.equal(code(known, at(3600.001), known.pinned), 'trust_channel_stale')
      assert.match(judge(known, at(3601), known.pinned).problems[0] ?? '', says)
      assert.equal(judge(known, at(3600), known.pinned).channel.until, after(3600))
    })

  test('of several ends the first one counts', async () => {
    for (const what of ['heartbeat', 'release', 'root'] as const) {
      const known = await ending({ root: 300, release: 300, heartbeat: 300, [what]: 200 })
      assert.equal(code(known, at(200), known.pinned), undefined)
      assert.equal(code(known, at(201), known.pinned), 'trust_channel_stale')
      assert.equal(judge(known, at(200), known.pinned).channel.until, after(200))
    }
  })

  const ofContents = ({ roots, release, heartbeat, files }: ChannelContents): ChannelState => ({
    ...KNOWN,
    roots,
    release,
    heartbeat,
    files,
  })
  const rotated = withRoot(CHANNEL, NOW)
  const anew = withRoot(CHANNEL, NOW, { newEpoch: true })
  const without = withRoot(CHANNEL, NOW, { removeKeys: [grace.anchor] })
  const next = (contents: ChannelContents) =>
    ofContents(withHeartbeat(withRelease(contents, POLICY, NOW, [ada, alan]), NOW))
  const { release, heartbeat } = CHANNEL
  assert.ok(release && heartbeat)
  const highest = (change: Partial<ChannelState['highest']>) => ({ ...KNOWN.highest, ...change })

  test('a new root came and nothing under it yet', () => {
    const none = { release: undefined, heartbeat: undefined }
    for (const contents of [rotated, anew, without]) {
      assert.equal(code(ofContents(contents)), 'trust_channel_stale')
      assert.equal(code({ ...next(contents), highest: none }), undefined)
    }
    const { problems } = judge(ofContents(rotated))
    assert.match(problems[0] ?? '', /the heartbeat names root 1, and root 2 is the newest/)
  })

  const CASES: readonly (readonly [what: string, change: Partial<ChannelState>, says: RegExp])[] = [
    ['no release', { release: undefined }, /no update has brought a release and a heartbeat/],
    ['no heartbeat', { heartbeat: undefined }, /no update has brought a release and a heartbeat/],
    [
      'a release that one person signed',
      { release: signedBy(signedAs(release, []), ada, STRANGER) },
      /release 1 is signed by 1 of/,
    ],
    [
      'a heartbeat of a stranger',
      { heartbeat: signedBy(signedAs(heartbeat, []), STRANGER) },
      /signed by 0 of the keys of heartbeats/,
    ],
    [
      'a heartbeat that names another release',
      {
        heartbeat: edited(heartbeat, { release: { version: 1, blake3: PINNED } }, BEAT),
        highest: highest({ heartbeat: undefined }),
      },
      /another one than the heartbeat names/,
    ],
    [
      'a heartbeat that lasts too long',
      {
        heartbeat: edited(heartbeat, { expires: after(DAY + 1) }, BEAT),
        highest: highest({ heartbeat: undefined }),
      },
      /lasts 86401 s/,
    ],
    [
      'a release below the highest number',
      { highest: highest({ release: { epoch: 1, at: 2, blake3: PINNED } }) },
      /release 1 is older/,
    ],
    [
      'a heartbeat below the highest',
      { highest: highest({ heartbeat: { ...placeOfHeartbeat(heartbeat), at: NOW.getTime() / 1000 + 1 } }) },
      /the heartbeat is older/,
    ],
  ]
  for (const [what, change, says] of CASES)
    test(what, () => {
      assert.equal(code(KNOWN), undefined)
      const known = { ...KNOWN, ...change }
      assert.equal(code(known), 'trust_channel_stale')
      assert.match(judge(known).problems[0] ?? '', says)
    })
})

describe('trust_channel_damaged', () => {
  const [first] = KNOWN.roots
  assert.ok(first)
  const two = withRoot(CHANNEL, NOW)
  const [, second] = two.roots
  assert.ok(second)
  const CASES: readonly (readonly [what: string, known: Parameters<typeof judgeChannel>[1], says: RegExp])[] =
    [
      ['what cannot be read', { problem: 'it is no JSON' }, /it is no JSON/],
      ['nothing of it came yet', newChannelState(PINNED), /no update has brought its root yet/],
      [
        'of another pinned root',
        { ...KNOWN, pinned: second.digest },
        /another root than the one that is pinned/,
      ],
      ['another first root', { ...KNOWN, roots: [second] }, /it is not the root that was pinned/],
      [
        'a first root that one person signed',
        { ...KNOWN, roots: [signedBy(signedAs(first, []), ada)] },
        /root 1 is signed by 1 of/,
      ],
      [
        'a root that is not proven',
        { ...KNOWN, roots: [first, signedBy(signedAs(second, []), ada, BEAT)] },
        /root 2 is signed by 1 of/,
      ],
      ['a root twice', { ...KNOWN, roots: [first, first] }, /root 1 does not follow root 1/],
      [
        'a file that is missing',
        { ...KNOWN, files: new Map() },
        /trust-policy\.toml of release 1 is missing/,
      ],
      ['a file of the same size', { ...KNOWN, files: filesOf(POLICY.replace('r', 's')) }, /other bytes/],
      [
        'a file too many',
        { ...KNOWN, files: new Map([...KNOWN.files, ['a', new Uint8Array()]]) },
        /does not name/,
      ],
    ]
  for (const [what, known, says] of CASES)
    test(what, () => {
      assert.equal(code(KNOWN), undefined)
      assert.equal(code(known), 'trust_channel_damaged')
      assert.match(judge(known).problems[0] ?? '', says)
    })

  test('damage counts before an end and before the clock', () => {
    assert.equal(code({ ...KNOWN, roots: [second] }, at(400 * DAY)), 'trust_channel_damaged')
    assert.equal(code({ ...KNOWN, roots: [second] }, at(-400 * DAY)), 'trust_channel_damaged')
  })

  test('what is written is read again, and decides the same', () => {
    const bytes = writeChannelState(KNOWN)
    const read = readChannelState(bytes)
    assert.ok(read.ok)
    assert.deepEqual(judge(read.state).digest, judge(KNOWN).digest)
    for (const change of [
      (text: string) => ` ${text}`,
      (text: string) => text.trimEnd(),
      (text: string) => `${text}\n`,
    ])
      assert.ok(!readChannelState(Buffer.from(change(Buffer.from(bytes).toString()))).ok)
  })
})

describe('clock_behind', () => {
  test('ten minutes before the heartbeat was issued, to the second', () => {
    const known = { ...KNOWN, updated: undefined }
    assert.equal(code(known, at(-600)), undefined)
    assert.equal(code(known, at(-600.001)), 'clock_behind')
    assert.match(
      judge(known, at(-601)).problems[0] ?? '',
      /is at 2026-11-20T11:49:59Z, and this channel was seen at 2026-11-20T12:00:00Z/,
    )
    assert.equal(code(known, at(-400 * DAY)), 'clock_behind')
  })

  test('ten minutes before the last update, where that was later', () => {
    const known = { ...KNOWN, updated: after(7200) }
    assert.equal(code(known, at(6600)), undefined)
    assert.equal(code(known, at(6599.999)), 'clock_behind')
    assert.equal(code({ ...known, updated: after(-7200) }, at(-600)), undefined)
    assert.equal(
      code({ ...known, updated: after(-7200) }, at(-601)),
      'clock_behind',
      'the heartbeat was later',
    )
  })

  test('also where there is a root and nothing else, and before what is stale', () => {
    const alone = { ...newChannelState(PINNED), roots: KNOWN.roots, updated: after(0) }
    assert.equal(code(alone, at(-600)), 'trust_channel_stale')
    assert.equal(code(alone, at(-601)), 'clock_behind')
  })

  test('a clock that is set back does not let what has ended count again', () => {
    const seen = { ...KNOWN, updated: after(DAY + 3600) }
    assert.equal(code(seen, at(DAY + 3600)), 'trust_channel_stale')
    assert.equal(code(seen, at(3600)), 'clock_behind')
  })
})

test('a policy that cannot be read decides nothing, and nothing of the channel is hidden', async () => {
  const files = filesOf('[anchors]\nrelease = 1\n')
  const bad = withHeartbeat(withRelease(CHANNEL, '[anchors]\nrelease = 1\n', NOW), at(1))
  const state = {
    ...KNOWN,
    release: bad.release,
    heartbeat: bad.heartbeat,
    files,
    highest: { release: undefined, heartbeat: undefined },
  }
  const { policy, problems, channel } = judge(state, at(1))
  assert.equal(policy, undefined)
  assert.match(problems[0] ?? '', /channel house:2/)
  assert.equal(channel.release?.version, 2)
})
