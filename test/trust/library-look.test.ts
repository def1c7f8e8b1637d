// Looking into trust policies by the library, and lowering a mark.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, test } from 'node:test'
import { agentTree, bundleOf } from '../support/agent.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { ASKING, KEYS, POLICY, signed } from '../support/trust-world.ts'

const folderFor = temporary('library-look')
let cwd = ''
let home = ''

beforeEach(() => {
  cwd = folderFor('cwd')
  home = join(cwd, 'home')
  process.env['RUNLOOP_HOME'] = home
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(home, 'trust-policy.toml'), POLICY, { mode: 0o600 })
  writeFileSync(join(cwd, 'mini.bundle'), bundleOf(signed(ASKING, 'release')))
})

test('trustList says what decides, and what decides nothing', async () => {
  const { policies } = await rlp.trustList({ cwd, home })
  const [user] = policies
  assert.deepEqual([user?.isUsable, user?.policy?.anchors.length], [true, 3])
  assert.deepEqual(user?.policy?.anchors[0]?.rules[0]?.agents, ['mini'])
  for (const [trustPolicy, isUsable, problems] of [
    ['valid_until = "2020-01-01T00:00:00Z"\n', false, 0],
    ['no policy\n', false, 1],
    [{ anchors: { release: KEYS.release.anchor } }, true, 0],
  ] as const) {
    const [given] = (await rlp.trustList({ cwd, home: false, trustPolicy })).policies
    assert.deepEqual([given?.isUsable, given?.problems.length], [isUsable, problems])
  }
  assert.deepEqual((await rlp.trustList({ cwd, home: false })).policies, [])
})

test('trustExplain says which line decides, of a bundle in every form', async () => {
  const explained = await rlp.trustExplain('mini.bundle', { cwd, home })
  assert.deepEqual([explained.verdict, explained.judgements.length], ['trusted', 1])
  const bytes = bundleOf(signed(ASKING, 'stranger'))
  const stranger = await rlp.trustExplain(new Uint8Array(bytes), { home: false, trustPolicy: POLICY })
  assert.equal(stranger.verdict, 'untrusted')
  await assert.rejects(rlp.trustExplain('none', { cwd, home }), { code: 'NOT_FOUND' })
})

test('trustTest asks the policies of a file, or another one', async () => {
  const question = (signer: string, verdict: string) =>
    `[[question]]\nname = "${signer}"\nagent = "mini"\nversion = "1.0.0"\nsigners = ["${signer}"]\nverdict = "${verdict}"\n`
  const file = join(cwd, 'questions.toml')
  writeFileSync(file, `policies = ["home/trust-policy.toml"]\n${question('release', 'trusted')}`)
  const { passed } = await rlp.trustTest('questions.toml', { cwd })
  assert.equal(passed, true)
  const other = await rlp.trustTest(file, { cwd, policy: { anchors: { security: KEYS.security.anchor } } })
  assert.deepEqual(
    [other.passed, other.questions[0]?.isSame, other.questions[0]?.verdict],
    [false, false, 'untrusted'],
  )
  await assert.rejects(rlp.trustTest('none.toml', { cwd }), { code: 'NOT_FOUND' })
})

test('trustDiff says what is trusted that was not', async () => {
  const wider = POLICY.replace('agents = ["mini"]', 'agents = ["mini", "other"]')
  writeFileSync(join(cwd, 'next.toml'), wider, { mode: 0o600 })
  const old = 'home/trust-policy.toml'
  const same = await rlp.trustDiff(old, POLICY, { cwd })
  assert.deepEqual([same.passed, same.isSame], [true, true])
  const more = await rlp.trustDiff(old, 'next.toml', { cwd })
  assert.deepEqual([more.isSame, more.passed, more.widened[0]?.agents], [false, false, ['other']])
  assert.equal((await rlp.trustDiff('next.toml', old, { cwd })).narrowed.length, more.widened.length)
  await assert.rejects(rlp.trustDiff(old, 'none.toml', { cwd }), { code: 'NOT_FOUND' })
  await assert.rejects(rlp.trustDiff(old, { anchor: {} } as never, { cwd }), { code: 'LINT_FAILED' })
})

test('trustReset lets an older version in again', async () => {
  const old = join(cwd, 'old.bundle')
  writeFileSync(old, bundleOf(signed(agentTree({ version: '0.9.0' }), 'release')))
  const verdict = async () => (await rlp.verifyBundle(old, { expect: 'mini', home })).verdict
  assert.equal(await verdict(), 'trusted')
  await rlp.install('mini.bundle', { cwd, home, expect: 'mini', mayBegin: () => true })
  assert.equal(await verdict(), 'rolled_back')
  const given = { cwd, home, to: '0.9.0', reason: 'a typing error' }
  const dry = await rlp.trustReset('mini', { ...given, dryRun: true })
  const [mark] = dry.forgotten
  assert.deepEqual([dry.changed, dry.to, mark?.version], [true, '0.9.0', '1.0.0'])
  assert.equal(
    mark?.identity,
    (await rlp.verifyBundle(join(cwd, 'mini.bundle'), { expect: 'mini', home })).identity,
  )
  assert.equal(await verdict(), 'rolled_back')
  assert.equal((await rlp.trustReset('mini', given)).changed, true)
  assert.equal(await verdict(), 'trusted')
  const again = await rlp.trustReset('mini', { cwd, home, dryRun: true })
  assert.deepEqual([again.to, again.forgotten[0]?.identity], [undefined, null])
  await assert.rejects(rlp.trustReset('mini', { cwd, home, to: '1.0.0' }), { code: 'USAGE' })
  await assert.rejects(rlp.trustReset('other', { cwd, home }), { code: 'NOT_FOUND' })
})
