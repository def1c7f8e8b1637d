// A day of a trust channel by the library alone: people begin, release and sign it, hosts follow it, and verdicts follow from it.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { bundleOf } from '../support/agent.ts'
import { BEAT, PEOPLE, STRANGER } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import type { TestSigner } from '../support/signed.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folder = temporary('channel-library')
const REVOKED = `${POLICY}\n[revoked]\n"${KEYS.release.anchor}" = { reason = "laptop lost" }\n`
const PLACE = 'oci-layout:published'
const yes = { maySign: () => true }
let cwd = ''
let home = ''

beforeEach(() => {
  cwd = folder('day')
  home = join(cwd, 'home')
  process.env['RUNLOOP_HOME'] = home
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, 'policy.toml'), POLICY)
  writeFileSync(join(cwd, 'mini.bundle'), bundleOf(signed(ASKING, 'release')))
})

const keyOf = ({ anchor, sign }: TestSigner): rlp.Signer => ({
  key: { kind: 'ed25519', bytes: new Uint8Array(Buffer.from(anchor.replace('ed25519:', ''), 'base64')) },
  sign: async message => new Uint8Array(sign(message)),
})
const begin = () =>
  rlp.channelInit('house', {
    cwd,
    name: 'house',
    threshold: 2,
    heartbeatKeys: [BEAT.anchor],
    keys: Object.values(PEOPLE).map(({ anchor }) => anchor),
  })
const sign = (who: TestSigner, more: object = yes) =>
  rlp.channelSign('house', { cwd, key: keyOf(who), ...more })
const beat = (more: object = {}) => rlp.channelHeartbeat('house', { cwd, key: keyOf(BEAT), ...more })
const push = () => rlp.channelPush('house', PLACE, { cwd })
const verdict = async () =>
  (await rlp.verifyBundle(join(cwd, 'mini.bundle'), { expect: 'mini', home })).verdict

/** @returns the digest that a person gives to those who follow it */
async function published(): Promise<string> {
  await begin()
  await rlp.channelRelease('house', 'policy.toml', { cwd })
  await sign(PEOPLE.ada)
  await sign(PEOPLE.alan)
  await beat()
  const { isNewForHosts, channel } = await push()
  assert.equal(isNewForHosts, true)
  return channel ?? ''
}

/** The next release of another policy, on the way to hosts. */
async function release(policy: string, now: Date): Promise<void> {
  writeFileSync(join(cwd, 'policy.toml'), policy)
  await rlp.channelRelease('house', 'policy.toml', { cwd })
  await sign(PEOPLE.ada)
  await sign(PEOPLE.grace)
  await beat({ now })
  await push()
}
const soon = () => new Date(Date.now() + 1000)

test('a day: what people release decides the verdict on a host that follows', async () => {
  const begun = await begin()
  assert.deepEqual([begun.channel, begun.draft.root?.version, begun.lacking[0]?.needed], [null, 1, 2])
  assert.deepEqual(
    begun.next.map(({ verb }) => verb),
    ['sign'],
  )
  const drafted = await rlp.channelRelease('house', 'policy.toml', { cwd })
  assert.deepEqual([drafted.draft.release?.version, drafted.draft.release?.signed], [1, []])
  const first = await sign(PEOPLE.ada)
  assert.deepEqual(
    [first.signer, first.signed.release?.version, first.roots.length],
    [PEOPLE.ada.anchor, 1, 0],
  )
  const second = await sign(PEOPLE.alan)
  assert.deepEqual([second.roots.length, second.release?.version, second.lacking], [1, 1, []])
  const { heartbeat } = await beat()
  assert.equal(heartbeat?.release, 1)
  const pushed = await push()
  assert.deepEqual([pushed.changed, pushed.isNewForHosts, pushed.waiting, pushed.next], [true, true, [], []])
  const root = pushed.channel ?? ''
  assert.equal(await verdict(), 'trusted')
  const followed = await rlp.trustFollow(PLACE, { cwd, home, root, name: 'house' })
  assert.deepEqual([followed.changed, followed.channels[0]?.refused], [true, null])
  assert.equal(await verdict(), 'trusted')
  await release(REVOKED, soon())
  assert.equal(await verdict(), 'trusted')
  const dry = await rlp.trustUpdate({ cwd, home, dryRun: true })
  assert.deepEqual([dry.changed, dry.channels[0]?.changed], [true, true])
  assert.equal(await verdict(), 'trusted')
  const { channels } = await rlp.trustUpdate({ cwd, home })
  assert.deepEqual([channels[0]?.changed, channels[0]?.channel?.release?.version], [true, 2])
  assert.equal(await verdict(), 'revoked')
})

describe('a host that follows', () => {
  test('says what it knows, and forgets it after a yes', async () => {
    await rlp.trustFollow(PLACE, { cwd, home, root: await published() })
    const status = await rlp.trustStatus({ cwd, home })
    const [channel] = status.channels
    assert.deepEqual([channel?.name, channel?.isUsable, status.warnings], ['published', true, []])
    const asked: (readonly string[])[] = []
    const mayUnfollow = (lost: readonly string[]) => asked.push(lost) > 1
    await assert.rejects(rlp.trustUnfollow('published', { cwd, home }), { code: 'NEEDS_ANSWER' })
    await assert.rejects(rlp.trustUnfollow('published', { cwd, home, mayUnfollow }), { code: 'NEEDS_ANSWER' })
    assert.equal((await rlp.trustStatus({ cwd, home })).channels.length, 1)
    const { lost } = await rlp.trustUnfollow('published', { cwd, home, mayUnfollow })
    assert.deepEqual(asked, [lost, lost])
    assert.match(lost[0] ?? '', /its signers: release, security/)
    assert.deepEqual((await rlp.trustStatus({ cwd, home })).channels, [])
    await assert.rejects(rlp.trustUpdate({ cwd, home, name: 'published' }), { code: 'NOT_FOUND' })
  })

  test('says why it takes nothing, and decides nothing until it does', async () => {
    await published()
    const root = `blake3:${'0'.repeat(64)}`
    const { channels, changed } = await rlp.trustFollow(PLACE, { cwd, home, root })
    assert.deepEqual([changed, channels[0]?.changed, channels[0]?.refused?.code], [true, false, 'missing'])
    assert.equal(await verdict(), 'indeterminate')
    const away = await rlp.trustFollow('oci-layout:none', {
      cwd,
      home: join(cwd, 'home'),
      root: `blake3:${'1'.repeat(64)}`,
    })
    assert.equal(away.channels[0]?.refused?.code, 'missing')
    for (const given of [{ root: 'blake3:0' }, { root, name: 'No Name' }])
      await assert.rejects(rlp.trustFollow(PLACE, { cwd, home, ...given }), { code: 'USAGE' })
    await assert.rejects(rlp.trustFollow('house', { cwd, home, root }), { code: 'USAGE' })
  })
})

describe('those who publish', () => {
  test('sign only after a yes to what changes', async () => {
    await published()
    const wider = POLICY.replace('agents = ["mini"]', 'agents = ["mini", "other"]')
    writeFileSync(join(cwd, 'policy.toml'), wider)
    await rlp.channelRelease('house', 'policy.toml', { cwd })
    const seen: rlp.ChannelToSign[] = []
    const maySign = (what: rlp.ChannelToSign) => seen.push(what) > 1
    for (const more of [{}, { maySign }])
      await assert.rejects(sign(PEOPLE.ada, more), { code: 'NEEDS_ANSWER' })
    await sign(PEOPLE.ada, { maySign })
    assert.deepEqual(
      seen[0]?.widened.map(({ agents }) => agents),
      [['other']],
    )
    assert.deepEqual([seen[0]?.root, seen[0]?.release?.version, seen[0]?.narrowed], [null, 2, []])
    await assert.rejects(sign(PEOPLE.ada), { code: 'EXISTS' })
    await assert.rejects(sign(STRANGER), { code: 'USAGE' })
  })

  test('rotate the root, and hand drafts to each other', async () => {
    await published()
    const rotated = await rlp.channelRotate('house', {
      cwd,
      removeKeys: [PEOPLE.alan.anchor],
      addKeys: [STRANGER.anchor],
    })
    assert.equal(rotated.draft.root?.version, 2)
    assert.ok(rotated.draft.root?.keys.includes(STRANGER.anchor))
    await sign(PEOPLE.ada)
    const pushed = await push()
    assert.deepEqual([pushed.changed, pushed.isNewForHosts], [true, false])
    const pulled = await rlp.channelPull(PLACE, 'theirs', { cwd })
    assert.deepEqual([pulled.changed, pulled.dropped], [true, []])
    assert.deepEqual(pulled.draft.root?.signed, [PEOPLE.ada.anchor])
    const done = await rlp.channelSign('theirs', { cwd, key: keyOf(PEOPLE.grace), ...yes })
    assert.equal(done.roots.length, 2)
    const { roots, draft } = await rlp.channelStatus(PLACE, { cwd })
    assert.deepEqual([roots.length, draft.root?.version], [1, 2])
  })
})
