// Signatures of drafts: whose count, who is lacking, and what is complete with them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { drafted, firstRoot, nextRelease, nextRoot } from '../../src/channel/next-statements.ts'
import {
  addSignature,
  completed,
  countsUnder,
  joinedSignatures,
  lacking,
  mayWhoSign,
  messageOf,
} from '../../src/channel/signatures.ts'
import { CHANNEL_LIMITS } from '../../src/model/limits.ts'
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
  signedAs,
  signedBy,
} from '../support/channel-world.ts'
import { signer } from '../support/signed.ts'
import { POLICY } from '../support/trust-world.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const END = secondAfter(NOW, 30 * DAY)
const { ada, alan, grace } = PEOPLE
const KEYS = [ada, alan, grace].map(({ anchor }) => anchor)
const BEGUN = channelWith(POLICY, NOW)

/** The next release, with the signatures of some. */
function released(contents: ChannelContents, ...by: (typeof ada)[]): ChannelContents {
  const files = filesOf(`${POLICY}# next\n`)
  const release = signedBy(drafted(nextRelease(contents, files, END), 'test'), ...by)
  return { ...contents, draft: { ...contents.draft, release, files } }
}

/** The next root without Alan and with another person, with the signatures of some. */
function rotated(by: readonly (typeof ada)[], contents = BEGUN, change = {}): ChannelContents {
  const [newest] = contents.roots.slice(-1)
  assert.ok(newest)
  const rotation = { ...NO_CHANGE, addKeys: [STRANGER.anchor], removeKeys: [alan.anchor], ...change }
  const root = signedBy(drafted(nextRoot(newest, { ...rotation, expires: END }), 'test'), ...by)
  return { ...contents, draft: { ...contents.draft, root } }
}

describe('completed', () => {
  test('takes a release with enough signatures, and no other', () => {
    const done = completed(released(BEGUN, ada, alan))
    assert.equal(done.release?.statement.version, 2)
    assert.deepEqual(done.files, filesOf(`${POLICY}# next\n`))
    assert.deepEqual([done.draft.release, done.draft.files.size], [undefined, 0])
    for (const by of [[], [ada], [ada, BEAT], [ada, STRANGER]]) {
      const open = released(BEGUN, ...by)
      assert.deepEqual(completed(open), open)
    }
    const draft = released(BEGUN, ada).draft
    assert.ok(draft.release)
    const [one] = draft.release.signatures
    assert.ok(one)
    const twice = signedAs(draft.release, [one, { ...one, keyid: alan.anchor }])
    assert.equal(completed({ ...BEGUN, draft: { ...draft, release: twice } }).release?.statement.version, 1)
  })

  test('takes root 1 with the release under it', () => {
    const root = signedAs(rootOne(NOW), [])
    const begun = { ...NOTHING, draft: { ...NOTHING.draft, root } }
    const both = released(begun, ada)
    assert.deepEqual(completed(both), both)
    const first = completed({ ...both, draft: { ...both.draft, root: signedBy(root, ada, grace) } })
    assert.deepEqual(
      [first.roots.length, first.release, first.draft.release?.statement.version],
      [1, undefined, 1],
    )
    const all = completed(
      released({ ...begun, draft: { ...begun.draft, root: signedBy(root, ada, grace) } }, ada, alan),
    )
    assert.deepEqual([all.roots.length, all.release?.statement.version, all.draft.root], [1, 1, undefined])
  })

  test('a root needs the keys of both; the release of before goes on where its signers stay', () => {
    // What is released is signed by Ada and Grace.
    const done = completed(rotated([ada, grace]))
    assert.deepEqual([done.roots.length, done.release?.statement.version, done.draft.root], [2, 1, undefined])
    for (const by of [[ada], [ada, alan], [grace, STRANGER], [STRANGER]])
      assert.equal(completed(rotated(by)).roots.length, 1)
    assert.equal(completed(rotated([ada, alan, STRANGER])).roots.length, 2)
  })

  test('a root that ends what is released waits for a release under it', () => {
    const change = { addKeys: [STRANGER.anchor], removeKeys: [grace.anchor] }
    const alone = rotated([ada, alan], BEGUN, change)
    assert.deepEqual(completed(alone), alone)
    assert.deepEqual(lacking(alone), [])
    const half = released(alone, ada)
    assert.deepEqual(completed(half), half)
    const done = completed(released(alone, ada, STRANGER))
    assert.deepEqual([done.roots.length, done.release?.statement.version], [2, 2])
    const gone = released(alone, ada, grace)
    assert.deepEqual(completed(gone), gone, 'Grace speaks no longer')
    const epoch = rotated([ada, alan], BEGUN, { ...change, ...NO_CHANGE, newEpoch: true })
    assert.deepEqual(completed(epoch), epoch)
    assert.equal(completed(released(epoch, ada, alan)).release?.statement.version, 1)
  })
})

test('countsUnder: signatures of keys that stay, and the same epoch', () => {
  const [root] = BEGUN.roots
  assert.ok(root)
  assert.equal(countsUnder(root.statement, BEGUN), true)
  assert.equal(countsUnder({ ...root.statement, epoch: 2 }, BEGUN), false)
  assert.equal(countsUnder({ ...root.statement, keys: [ada.anchor, alan.anchor] }, BEGUN), false)
  assert.equal(countsUnder(root.statement, { release: undefined }), false)
})

describe('signatures of one draft', () => {
  const draft = released(BEGUN).draft.release
  assert.ok(draft)
  const signersOf = (one: typeof draft) => one.signatures.map(({ keyid }) => keyid).sort()

  test('are joined, each key once', () => {
    const [one, other] = [signedBy(draft, ada, alan), signedBy(draft, alan, grace)]
    assert.deepEqual(signersOf(joinedSignatures(one, other, KEYS)), [...KEYS].sort())
    assert.deepEqual(signersOf(joinedSignatures(other, one, KEYS)), [...KEYS].sort())
    assert.deepEqual(joinedSignatures(draft, draft, KEYS).signatures, [])
  })

  test('what a carrier wrote in the name of a key keeps no real signature out', () => {
    const real = signedBy(draft, alan)
    const [signature] = real.signatures
    assert.ok(signature)
    const forged = signedAs(draft, [{ keyid: alan.anchor, sig: new Uint8Array(64) }])
    assert.deepEqual(joinedSignatures(forged, real, KEYS).signatures, [signature])
    const junk = Array.from({ length: CHANNEL_LIMITS.signatures }, (_, at) => ({
      keyid: signer(100 + at).anchor,
      sig: new Uint8Array(64),
    }))
    const full = signedAs(draft, junk)
    assert.deepEqual(joinedSignatures(full, real, KEYS).signatures, [signature])
    const added = addSignature(full, KEYS, { keyid: alan.anchor, sig: alan.sign(messageOf(draft)) })
    assert.deepEqual(added.signatures, [signature])
    assert.deepEqual(addSignature(added, KEYS, signature).signatures, [signature])
  })
})

test('who may sign, and who is lacking', () => {
  assert.deepEqual(mayWhoSign(BEGUN), { root: [...KEYS].sort(), release: [...KEYS].sort() })
  const change = rotated([ada])
  assert.deepEqual(mayWhoSign(change), {
    root: [...KEYS, STRANGER.anchor].sort(),
    release: [ada.anchor, grace.anchor, STRANGER.anchor].sort(),
  })
  const missing = lacking(released(change, grace)).map(({ what, whose, signed, needed }) => [
    what,
    whose,
    signed,
    needed,
  ])
  assert.deepEqual(missing, [
    ['root 2', 'the keys of root 1', [ada.anchor], 2],
    ['root 2', 'its own keys', [ada.anchor], 2],
    ['release 2', 'the keys of root 2', [grace.anchor], 2],
  ])
  assert.deepEqual(lacking(BEGUN), [])
  const first = drafted(firstRoot({ ...rootOne(NOW).statement }), 'test')
  assert.deepEqual(
    lacking({ ...NOTHING, draft: { ...NOTHING.draft, root: first } }).map(({ whose }) => whose),
    ['its own keys'],
  )
})
