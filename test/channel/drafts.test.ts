// The next statements of a channel, before anybody has signed them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  drafted,
  firstRoot,
  heartbeatFor,
  nextRelease,
  nextRoot,
  rootToBe,
} from '../../src/channel/next-statements.ts'
import { readSigned } from '../../src/channel-file/statement.ts'
import type { RlpError } from '../../src/model/error.ts'
import { secondAfter } from '../../src/text/time.ts'
import {
  BEAT,
  channelWith,
  DAY,
  filesOf,
  NO_CHANGE,
  NOTHING,
  PEOPLE,
  rootOne,
  STRANGER,
  withRoot,
} from '../support/channel-world.ts'
import { POLICY } from '../support/trust-world.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const END = secondAfter(NOW, 30 * DAY)
const { ada, alan, grace } = PEOPLE
const ABOUT = {
  expires: END,
  threshold: 2,
  heartbeatSeconds: DAY,
  keys: [grace.anchor, ada.anchor, alan.anchor],
  heartbeats: [BEAT.anchor],
}
const BEGUN = channelWith(POLICY, NOW)
const [ROOT = rootOne(NOW)] = BEGUN.roots

function refusal(work: () => unknown): string {
  let said = ''
  assert.throws(work, (error: RlpError) => {
    assert.equal(error.code, 'USAGE')
    said = error.message
    return true
  })
  return said
}

test('root 1: sorted keys, no signature, and what no host would read is refused', () => {
  const root = drafted(firstRoot(ABOUT), 'begin')
  assert.deepEqual(root.statement.keys, [...ABOUT.keys].sort())
  assert.deepEqual([root.statement.version, root.statement.epoch, root.statement.channel], [1, 1, undefined])
  assert.deepEqual(root.signatures, [])
  assert.ok(readSigned(root.envelope, 'root', 0).ok)
  assert.ok(!readSigned(root.envelope, 'root').ok)
  for (const [about, says] of [
    [{ threshold: 4 }, /its threshold is no whole number from 1 to 3/],
    [{ threshold: 0 }, /its threshold/],
    [{ keys: [] }, /its keys are no list/],
    [{ keys: [ada.anchor, ada.anchor] }, /a key appears twice/],
    [{ heartbeats: [ada.anchor] }, /a key of the root is a key of heartbeats too/],
    [{ heartbeatSeconds: 0 }, /its heartbeat_seconds/],
  ] as const)
    assert.match(
      refusal(() => drafted(firstRoot({ ...ABOUT, ...about }), 'begin a channel')),
      says,
    )
})

describe('the next root', () => {
  const rotate = (change: Partial<Parameters<typeof nextRoot>[1]>) =>
    nextRoot(ROOT, { ...NO_CHANGE, expires: END, ...change })
  test('keeps what is not changed', () => {
    const { statement } = ROOT
    assert.deepEqual(rotate({}), { ...statement, channel: ROOT.digest, version: 2, expires: END })
    const changed = rotate({
      addKeys: [STRANGER.anchor],
      removeKeys: [alan.anchor],
      threshold: 3,
      heartbeatSeconds: 3600,
      newEpoch: true,
    })
    assert.deepEqual(changed.keys, [ada.anchor, grace.anchor, STRANGER.anchor].sort())
    assert.deepEqual([changed.threshold, changed.heartbeatSeconds, changed.epoch], [3, 3600, 2])
  })
  test('refuses to add what is there and to remove what is not', () => {
    assert.match(
      refusal(() => rotate({ addKeys: [ada.anchor] })),
      /is one of the keys already/,
    )
    assert.match(
      refusal(() => rotate({ removeKeys: [BEAT.anchor] })),
      /is none of the keys/,
    )
    assert.match(
      refusal(() => rotate({ addHeartbeats: [BEAT.anchor] })),
      /is one of the keys of heartbeats already/,
    )
    assert.match(
      refusal(() => rotate({ removeHeartbeats: [ada.anchor] })),
      /is none of the keys of heartbeats/,
    )
  })
})

test('the next release: numbers go on, and begin anew with an epoch', () => {
  const files = filesOf(POLICY)
  assert.equal(nextRelease(BEGUN, files, END).version, 2)
  assert.equal(nextRelease({ ...NOTHING, roots: [ROOT] }, files, END).version, 1)
  const other = withRoot(BEGUN, NOW, { newEpoch: true })
  const { version, epoch, channel } = nextRelease(other, files, END)
  assert.deepEqual([version, epoch, channel], [1, 2, ROOT.digest])
  const drafting = { ...BEGUN, draft: { ...BEGUN.draft, root: other.roots[1] } }
  assert.equal(rootToBe(drafting), other.roots[1])
  assert.equal(nextRelease(drafting, files, END).epoch, 2)
  const more = new Map([...files, ['a.txt', Buffer.from('a')]])
  const release = nextRelease(BEGUN, more, END)
  assert.deepEqual(
    release.files.map(({ name, size }) => [name, size]),
    [
      ['a.txt', 1],
      ['trust-policy.toml', Buffer.byteLength(POLICY)],
    ],
  )
  assert.equal(release.files[0]?.sha256, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb')
  assert.equal(release.files[0]?.blake3, '17762fddd969a453925d65717ac3eea21320b66b54342fde15128d6caf21215f')
})

test('a heartbeat names what is complete, and lasts no longer than the root says', () => {
  const at = (seconds: number) => secondAfter(NOW, seconds)
  const heartbeat = heartbeatFor(BEGUN, at(0), at(DAY))
  assert.deepEqual(heartbeat.root, { version: 1, blake3: ROOT.digest })
  assert.deepEqual(heartbeat.release, { version: 1, blake3: BEGUN.release?.digest })
  assert.match(
    refusal(() => heartbeatFor(BEGUN, at(0), at(DAY + 1))),
    /root 1 allows 1d/,
  )
  assert.match(
    refusal(() => heartbeatFor({ ...BEGUN, release: undefined }, at(0), at(1))),
    /no release is complete yet/,
  )
  assert.match(
    refusal(() => heartbeatFor({ ...BEGUN, roots: [] }, at(0), at(1))),
    /no release is complete yet/,
  )
})
