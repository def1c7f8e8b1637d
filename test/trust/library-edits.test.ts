// Editing a trust policy by the library: each verb changes exactly what it says, and what it changes decides the next verdict.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { sameAnswer } from '../support/same-answer.ts'
import { ASKING, KEYS, keyFile, signed } from '../support/trust-world.ts'

const folderFor = temporary('library-edits')
const TREE = signed(ASKING, 'release')
const RULE = {
  allow_caps: ['kb_read:drafts'],
  allow_net: ['api.mail.example:443'],
  allow_exec: ['/usr/bin/jq'],
  agents: ['mini'],
}
const key = KEYS.release.anchor
let cwd = ''
let home = ''

beforeEach(() => {
  cwd = folderFor('cwd')
  home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(cwd, 'mini.bundle'), bundleOf(TREE))
})
const file = () => join(home, 'trust-policy.toml')
const verdict = async () =>
  (await rlp.verifyBundle(join(cwd, 'mini.bundle'), { expect: 'mini', home })).verdict
const trusted = async () => {
  await rlp.trustAdd('release', { cwd, home, key, rule: RULE })
  assert.equal(await verdict(), 'trusted')
}

test('an error names the option as the library calls it, and as the command line does', async () => {
  const bundle = join(cwd, 'mini.bundle')
  await trusted()
  await assert.rejects(rlp.trustRevoke(bundle, { cwd, home, replacedBy: key }), {
    code: 'USAGE',
    field: 'replacedBy',
  })
  await assert.rejects(
    rlp.trustAdd('another', { cwd, home, key: KEYS.security.anchor, trustedRoot: 'root.json' }),
    {
      code: 'USAGE',
      field: 'trustedRoot',
    },
  )
  const typed = ['trust', 'revoke', bundle, '--replaced-by', key, '--trust-policy', file(), '--json']
  assert.equal(JSON.parse((await run(typed, undefined, { cwd })).stdout).field, 'replaced-by')
})

describe('trustAdd', () => {
  test('makes a bundle trusted, and says which lines it wrote', async () => {
    assert.equal(await verdict(), 'indeterminate')
    const dry = await rlp.trustAdd('release', { cwd, home, key, rule: RULE, dryRun: true })
    assert.deepEqual([dry.changed, dry.effect?.looked], [true, 0])
    assert.equal(existsSync(file()), false)
    const done = await rlp.trustAdd('release', { cwd, home, key, rule: RULE })
    assert.deepEqual([done.changed, done.effect, done.removed], [true, undefined, []])
    assert.ok(done.added.includes(`release = "${key}"`), done.added.join('\n'))
    assert.match(done.says[0] ?? '', /^release may grant .*kb_read:drafts/)
    assert.equal(await verdict(), 'trusted')
    const again = await rlp.trustAdd('release', { cwd, home, key, rule: RULE })
    assert.deepEqual([again.changed, again.added], [false, []])
  })

  test('edits another policy where it is named, and takes a key from a file', async () => {
    const named = await rlp.trustAdd('release', {
      cwd,
      home,
      policy: 'next.toml',
      key: keyFile('release', 'pub'),
    })
    assert.equal(named.changed, true)
    assert.match(readFileSync(join(cwd, 'next.toml'), 'utf8'), /release = "ed25519:/)
    assert.equal(existsSync(file()), false)
  })

  test('asks before it writes what a bundle proposes, and what is wide', async () => {
    const asking: rlp.TrustAddOptions[] = [
      { for: 'mini.bundle' },
      { rule: { allow_caps: 'any' } },
      { rule: { allow_exec: true } },
    ]
    for (const more of asking) {
      const given = { cwd, home, key, ...more }
      await assert.rejects(rlp.trustAdd('release', given), { code: 'NEEDS_ANSWER' })
      await assert.rejects(rlp.trustAdd('release', { ...given, mayGrant: () => false }), {
        code: 'NEEDS_ANSWER',
      })
      assert.equal(existsSync(file()), false)
    }
    const seen: rlp.TrustGrant[] = []
    const mayGrant = (grant: rlp.TrustGrant) => seen.push(grant) === 1
    await rlp.trustAdd('release', { cwd, home, key, for: 'mini.bundle', mayGrant })
    assert.deepEqual(
      [seen[0]?.why, seen[0]?.bundles[0]?.verdict],
      ['the rule is proposed by a bundle', 'trusted'],
    )
    assert.equal(await verdict(), 'trusted')
  })

  test('refuses what the file would refuse, before anything is written', async () => {
    const wrong: [options: object, code: string, message: RegExp][] = [
      [{ key, rule: { allow_caps: ['kb_raed'] } }, 'USAGE', /^Cannot use rule \(allow_caps\.0\): /],
      [{ key, rule: { allow_cap: ['time'] } }, 'USAGE', /did you mean allow_caps\?/],
      [{ key, until: 'tomorrow' }, 'USAGE', /^Cannot use until: /],
      [{ identity: { issuer: 'x' } }, 'USAGE', /^Cannot use identity/],
      [
        { key, identity: { issuer: 'https://a.example', email: 'a@b.example' } },
        'USAGE',
        /a key and an identity/,
      ],
      [{ key, for: 'mini.bundle', rule: RULE }, 'USAGE', /together with another one/],
      [{ key, attestations: 'x' }, 'USAGE', /no bundle is named/],
      [{ key: 'mini.bundle' }, 'WRONG_FILE_TYPE', /it is a bundle/],
      [{ key: KEYS.stranger.anchor, for: 'mini.bundle' }, 'NOT_VERIFIED', /not signed with a key of release/],
      [{}, 'USAGE', /neither a key/],
    ]
    for (const [options, code, message] of wrong)
      await assert.rejects(
        rlp.trustAdd('release', { cwd, home, ...options }),
        (error: rlp.RlpError) => {
          assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
          assert.doesNotMatch(error.hint ?? '', /(?<![\w-])--[a-z]/)
          return true
        },
        JSON.stringify(options),
      )
    assert.equal(existsSync(file()), false)
  })
})

test('trustGroup and trustRequire demand two of some signers', async () => {
  await trusted()
  await rlp.trustAdd('security', { cwd, home, key: KEYS.security.anchor })
  await rlp.trustGroup('two', { cwd, home, of: ['release', 'security'], atLeast: 2 })
  assert.equal(await verdict(), 'trusted')
  await rlp.trustRequire({ cwd, home, agents: ['mini'], signers: ['two'] })
  assert.equal(await verdict(), 'untrusted')
  writeFileSync(join(cwd, 'mini.bundle'), bundleOf(signed(ASKING, ['release', 'security'])))
  assert.equal(await verdict(), 'trusted')
  await assert.rejects(rlp.trustRequire({ cwd, home, agents: ['mini'] }), {
    code: 'USAGE',
    hint: /Name signers/,
  })
})

test('trustFloor refuses an older version', async () => {
  await trusted()
  await rlp.trustFloor('mini', '1.0.0', { cwd, home })
  assert.equal(await verdict(), 'trusted')
  await rlp.trustFloor('mini', '1.0.1', { cwd, home })
  assert.equal(await verdict(), 'rolled_back')
  await assert.rejects(rlp.trustFloor('mini', 'new', { cwd, home }), { code: 'USAGE' })
})

test('a requirement for signatures that expire soon says the same in days and as a time', async () => {
  process.env['RUNLOOP_HOME'] = home
  await trusted()
  await sameAnswer(cwd, ['trust', 'require', '--signer', 'release', '--expires-within', '90d'], () =>
    rlp.trustRequire({ cwd, signers: ['release'], expiresWithinDays: 90 }),
  )
})
