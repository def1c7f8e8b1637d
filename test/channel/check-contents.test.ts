// What a place holds of a channel is checked before anybody builds on it: the same contents pass, and with one thing changed do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSteps } from '../../src/channel/answers.ts'
import {
  contentsProblem,
  draftProblem,
  draftReleaseProblem,
  draftRootProblem,
  heartbeatMisfit,
  policyProblem,
} from '../../src/channel/check-contents.ts'
import type { ChannelContents } from '../../src/channel/contents.ts'
import { drafted, nextRelease, nextRoot } from '../../src/channel/next-statements.ts'
import { secondAfter } from '../../src/text/time.ts'
import {
  BEAT,
  channelWith,
  DAY,
  filesOf,
  NO_CHANGE,
  NOTHING,
  PEOPLE,
  signedAs,
  signedBy,
  withHeartbeat,
  withRelease,
  withRoot,
} from '../support/channel-world.ts'
import { POLICY } from '../support/trust-world.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const END = secondAfter(NOW, 30 * DAY)
const WHOLE = withHeartbeat(withRoot(channelWith(POLICY, NOW), NOW), NOW)
const OTHER = channelWith(POLICY, new Date('2026-11-20T13:00:00Z'))
const [first, second] = WHOLE.roots
const { release } = WHOLE
assert.ok(first && second && release)

test('what is complete', () => {
  assert.equal(contentsProblem(WHOLE), undefined)
  assert.equal(contentsProblem(NOTHING), undefined)
  const changed: readonly (readonly [Partial<ChannelContents>, RegExp])[] = [
    [{ roots: [] }, /there is a release, and no root/],
    [{ roots: [second] }, /its first root is not root 1/],
    [{ roots: [signedAs(first, []), second] }, /root 1 is signed by 0 of its own keys/],
    [{ roots: [first, first] }, /root 1 does not follow root 1/],
    [{ roots: [first, signedBy(signedAs(second, []), PEOPLE.ada)] }, /root 2 is signed by 1 of/],
    [{ roots: OTHER.roots }, /release 1 is of another channel/],
    [{ release: OTHER.release }, /release 1 is of another channel/],
    [{ release: signedBy(signedAs(release, []), PEOPLE.ada, BEAT) }, /release 1 is signed by 1 of/],
    [{ files: new Map() }, /trust-policy\.toml of release 1 is missing/],
    [{ files: filesOf(POLICY.replace('a', 'b')) }, /other bytes/],
    [{ files: new Map([...WHOLE.files, ['a', new Uint8Array()]]) }, /files that release 1 does not name/],
  ]
  for (const [change, says] of changed) assert.match(contentsProblem({ ...WHOLE, ...change }) ?? '', says)
})

test('what is drafted', () => {
  const files = filesOf(`${POLICY}# next\n`)
  const next = drafted(nextRelease(WHOLE, files, END), 'test')
  const root = drafted(nextRoot(second, { ...NO_CHANGE, expires: END }), 'test')
  const sound = { ...WHOLE, draft: { root, release: next, files } }
  assert.equal(draftProblem(sound), undefined)
  assert.equal(draftProblem(WHOLE), undefined)
  const far = drafted({ ...next.statement, version: Number.MAX_SAFE_INTEGER }, 'test')
  assert.match(draftReleaseProblem(far, second, release) ?? '', /does not follow release 1/)
  assert.match(draftReleaseProblem(next, undefined, undefined) ?? '', /has no root/)
  assert.match(
    draftReleaseProblem(drafted({ ...next.statement, channel: '1'.repeat(64) }, 'test'), second, release) ??
      '',
    /another channel/,
  )
  assert.match(
    draftReleaseProblem(drafted({ ...next.statement, epoch: 2 }, 'test'), second, release) ?? '',
    /has epoch 2, and root 2 has 1/,
  )
  assert.match(draftRootProblem(root, [first]) ?? '', /does not follow root 1/)
  assert.match(
    draftRootProblem(drafted({ ...root.statement, channel: '1'.repeat(64) }, 'test'), WHOLE.roots) ?? '',
    /another channel/,
  )
  assert.match(
    draftRootProblem(drafted({ ...root.statement, epoch: 3 }, 'test'), WHOLE.roots) ?? '',
    /has epoch 3, and 1 was the last/,
  )
  assert.match(
    draftProblem({ ...sound, draft: { ...sound.draft, files: filesOf('x') } }) ?? '',
    /other bytes/,
  )
  const bad = filesOf('[anchors]\nrelease = 1\n')
  const malformed = drafted(nextRelease(WHOLE, bad, END), 'test')
  assert.match(
    draftProblem({ ...WHOLE, draft: { root: undefined, release: malformed, files: bad } }) ?? '',
    /trust-policy\.toml:2:/,
  )
})

test('a policy that hosts take', () => {
  assert.equal(policyProblem(filesOf(POLICY)), undefined)
  assert.match(policyProblem(filesOf('[anchor]\n'), 'mine.toml') ?? '', /^mine\.toml:1:2: /)
  assert.match(policyProblem(new Map()) ?? '', /trust-policy\.toml is missing/)
})

test('a heartbeat speaks for one root and one release', () => {
  const { heartbeat } = WHOLE
  assert.equal(heartbeatMisfit(WHOLE, heartbeat), undefined)
  assert.match(heartbeatMisfit(WHOLE, undefined) ?? '', /there is no heartbeat/)
  assert.match(
    heartbeatMisfit(withRoot(WHOLE, NOW), heartbeat) ?? '',
    /names root 2, and root 3 is the newest/,
  )
  assert.match(
    heartbeatMisfit(withRelease(WHOLE, POLICY, NOW), heartbeat) ?? '',
    /names release 1, and release 2 is there/,
  )
  assert.match(heartbeatMisfit(WHOLE, OTHER.heartbeat) ?? '', /another channel/)
})

test('what to do next', () => {
  const verbs = (contents: ChannelContents, days = 0) =>
    nextSteps(contents, new Date(NOW.getTime() + days * DAY * 1000)).map(({ verb }) => verb)
  assert.deepEqual(verbs(WHOLE), [])
  assert.deepEqual(verbs({ ...WHOLE, heartbeat: undefined }), ['heartbeat'])
  assert.deepEqual(verbs(WHOLE, 2), ['heartbeat'])
  assert.deepEqual(verbs(WHOLE, 24), ['release', 'heartbeat'])
  assert.deepEqual(verbs(WHOLE, 340), ['release', 'rotate', 'heartbeat'])
  assert.deepEqual(verbs({ ...NOTHING, roots: [first] }), ['release'])
  const root = signedAs(first, [])
  assert.deepEqual(verbs({ ...NOTHING, draft: { ...NOTHING.draft, root } }), ['sign'])
  const files = filesOf(POLICY)
  const next = signedBy(drafted(nextRelease(WHOLE, files, END), 'test'), PEOPLE.ada)
  assert.deepEqual(verbs({ ...WHOLE, draft: { root: undefined, release: next, files } }), ['sign'])
  const waiting = { root: undefined, release: signedBy(next, PEOPLE.alan), files }
  assert.deepEqual(
    verbs({ ...WHOLE, draft: waiting }),
    ['heartbeat'],
    'all have signed, and no heartbeat names it',
  )
})
