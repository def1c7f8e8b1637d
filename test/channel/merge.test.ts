// The same channel in two places: what both know together, and where they contradict each other.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { droppedDrafts, mergeContents } from '../../src/channel/exchange.ts'
import { drafted, nextRelease, nextRoot } from '../../src/channel/next-statements.ts'
import type { RlpError } from '../../src/model/error.ts'
import { secondAfter } from '../../src/text/time.ts'
import {
  channelWith,
  DAY,
  filesOf,
  NO_CHANGE,
  NOTHING,
  PEOPLE,
  rootOne,
  STRANGER,
  signedAs,
  signedBy,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { POLICY } from '../support/trust-world.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-20T13:00:00Z')
const END = secondAfter(NOW, 30 * DAY)
const { ada, alan, grace } = PEOPLE
const BEGUN = channelWith(POLICY, NOW)

const merge = (one: ChannelContents, other: ChannelContents, force = false) =>
  mergeContents(one, other, { doing: 'push "house"', force })

function parted(one: ChannelContents, other: ChannelContents, force = false): string {
  let said = ''
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const)
    assert.throws(
      () => merge(a, b, force),
      (error: RlpError) => {
        assert.equal(error.code, 'EXISTS')
        said = error.message
        return true
      },
    )
  return said
}

function releasing(contents: ChannelContents, text: string, ...by: (typeof ada)[]): ChannelContents {
  const files = filesOf(`${POLICY}# ${text}\n`)
  const release = signedBy(drafted(nextRelease(contents, files, END), 'test'), ...by)
  return { ...contents, draft: { ...contents.draft, release, files } }
}

function rotating(contents: ChannelContents, change: object, ...by: (typeof ada)[]): ChannelContents {
  const [newest] = contents.roots.slice(-1)
  assert.ok(newest)
  const root = signedBy(drafted(nextRoot(newest, { ...NO_CHANGE, expires: END, ...change }), 'test'), ...by)
  return { ...contents, draft: { ...contents.draft, root } }
}

describe('merging', () => {
  test('with itself changes nothing', () => {
    for (const contents of [
      BEGUN,
      releasing(BEGUN, 'a', ada),
      rotating(BEGUN, {}, ada),
      withRoot(BEGUN, NOW),
    ]) {
      const merged = merge(contents, contents)
      // No heartbeat names the root of the last one yet.
      const heartbeat = contents.roots.length === 1 ? contents.heartbeat : undefined
      assert.deepEqual(merged, { ...contents, heartbeat })
    }
  })

  test('takes what is newer, from either side', () => {
    const newer = withHeartbeat(withRelease(BEGUN, POLICY, NOW), LATER)
    const rotated = withHeartbeat(withRoot(newer, NOW), LATER)
    for (const [one, other] of [
      [BEGUN, newer],
      [newer, BEGUN],
    ] as const) {
      const merged = merge(one, other)
      assert.deepEqual(
        [merged.release, merged.files, merged.heartbeat],
        [newer.release, newer.files, newer.heartbeat],
      )
      assert.equal(merge(one, rotated).roots.length, 2)
      assert.equal(merge(rotated, one).heartbeat, rotated.heartbeat)
    }
  })

  test('a heartbeat of what was before speaks for nothing new', () => {
    const released = withRelease(BEGUN, POLICY, NOW)
    const beaten = withHeartbeat(BEGUN, LATER)
    assert.equal(merge(released, beaten).heartbeat, undefined)
    assert.equal(merge(BEGUN, beaten).heartbeat, beaten.heartbeat)
    assert.equal(merge(withRoot(BEGUN, NOW), beaten).heartbeat, undefined)
  })

  test('joins the signatures of one draft, and completes it', () => {
    const [one, other] = [releasing(BEGUN, 'a', ada), releasing(BEGUN, 'a', grace)]
    assert.equal(merge(one, other).release?.statement.version, 2)
    assert.deepEqual(merge(one, one), one)
    const change = { removeKeys: [alan.anchor], addKeys: [STRANGER.anchor] }
    assert.equal(merge(rotating(BEGUN, change, ada), rotating(BEGUN, change, alan)).roots.length, 1)
    const both = merge(rotating(BEGUN, change, ada), rotating(BEGUN, change, alan, STRANGER))
    assert.deepEqual([both.roots.length, both.draft.root], [2, undefined])
  })

  test('a draft of one side stays, and one that was overtaken goes and is named', () => {
    const draft = releasing(BEGUN, 'a', ada)
    assert.deepEqual(merge(BEGUN, draft).draft, draft.draft)
    assert.deepEqual(merge(draft, BEGUN).draft, draft.draft)
    const taken = withRelease(BEGUN, POLICY, NOW)
    const merged = merge(taken, draft)
    assert.deepEqual([merged.release, merged.draft.release], [taken.release, undefined])
    assert.deepEqual(droppedDrafts(draft, merged), ['release 2'])
    assert.deepEqual(droppedDrafts(draft, merge(draft, releasing(BEGUN, 'a', grace))), [], 'it is complete')
    const rotated = withRoot(BEGUN, NOW, { newEpoch: true })
    assert.deepEqual(droppedDrafts(draft, merge(rotated, draft)), ['release 2'], 'it is of the epoch before')
    assert.deepEqual(droppedDrafts(rotating(BEGUN, {}), merge(rotated, rotating(BEGUN, {}))), ['root 2'])
  })

  test('refuses two drafts of one number, unless it is said which counts', () => {
    const [one, other] = [releasing(BEGUN, 'a', ada), releasing(BEGUN, 'b', ada)]
    assert.match(parted(one, other), /there is another draft of release 2, blake3:[0-9a-f]{64}$/)
    assert.deepEqual(merge(one, other, true).draft, one.draft)
    assert.deepEqual(merge(other, one, true).draft, other.draft)
    assert.match(parted(rotating(BEGUN, {}), rotating(BEGUN, { newEpoch: true })), /another draft of root 2/)
  })

  test('refuses another channel, another root and another release, whatever is said', () => {
    const other = channelWith(POLICY, LATER)
    assert.match(parted(BEGUN, other, true), /another channel is there/)
    const begun = { ...NOTHING, draft: { ...NOTHING.draft, root: signedAs(rootOne(LATER), []) } }
    assert.match(parted(BEGUN, begun, true), /another channel is there/)
    const same = { ...NOTHING, draft: { ...NOTHING.draft, root: signedAs(rootOne(NOW), []) } }
    assert.equal(merge(BEGUN, same).draft.root, undefined)
    assert.match(parted(begun, same), /another draft of root 1/)
    assert.match(parted(withRoot(BEGUN, NOW), withRoot(BEGUN, LATER), true), /there is another root 2/)
    const [one, two] = [withRelease(BEGUN, POLICY, NOW), withRelease(BEGUN, POLICY, LATER)]
    assert.match(parted(one, two, true), /there is another release 2/)
  })
})
