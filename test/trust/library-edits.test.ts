// Editing a trust policy by the library: each verb changes exactly what it says, and what it changes decides the next verdict.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import * as rlp from '../../src/index.ts'
import { agentTree, bundleOf, digestOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
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
const policy = () => readFileSync(file(), 'utf8')
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
      [{ key, rule: 'any' }, 'USAGE', /^Cannot use rule: /],
      [{ key, until: 'tomorrow' }, 'USAGE', /^Cannot use until: /],
      [{ key, use: ['signs'] }, 'USAGE', /^Cannot use use/],
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

test('trustRemove stops trusting a signer', async () => {
  await trusted()
  const { removed, changed } = await rlp.trustRemove('release', { cwd, home })
  assert.deepEqual([changed, removed.includes(`release = "${key}"`)], [true, true])
  assert.equal(await verdict(), 'untrusted')
  await assert.rejects(rlp.trustRemove('release', { cwd, home }), { code: 'NOT_FOUND' })
})

test('trustRevoke revokes a signer, or one bundle', async () => {
  for (const what of ['release', 'mini.bundle', key]) {
    if (existsSync(file())) writeFileSync(file(), '# begun anew\n')
    await trusted()
    await rlp.trustRevoke(what, { cwd, home, reason: 'lost' })
    assert.equal(await verdict(), 'revoked', what)
  }
  assert.match(policy(), /reason = "lost"/)
  const bundle = `blake3:${digestOf(Buffer.from(TREE['manifest.toml'] as string))}`
  for (const [what, options] of [
    ['release', { since: 'today' }],
    [bundle, { replacedBy: key }],
  ] as const)
    await assert.rejects(rlp.trustRevoke(what, { cwd, home, ...options }), { code: 'USAGE' })
})

test('trustRevoke takes what a signer had brought in from an audit log', async () => {
  await trusted()
  const identity = `blake3:${digestOf(Buffer.from(TREE['manifest.toml'] as string))}`
  const line = {
    program: 'rlp',
    accepted: true,
    signers: [key],
    identity,
    agent: { name: 'mini', version: '1.0.0' },
  }
  writeFileSync(join(cwd, 'audit.ndjson'), `${JSON.stringify(line)}\nnone of ours\n`)
  const { says, notes } = await rlp.trustRevoke('release', { cwd, home, fromAudit: 'audit.ndjson' })
  assert.deepEqual(says, [`mini 1.0.0, ${identity}`])
  assert.match(notes[0] ?? '', /^1 line of audit\.ndjson could not be read/)
  assert.equal(await verdict(), 'revoked')
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
  await assert.rejects(rlp.trustGroup('none', { cwd, home, of: ['release'], atLeast: 0 }), { code: 'USAGE' })
  await assert.rejects(rlp.trustRequire({ cwd, home, agents: ['mini'] }), {
    code: 'USAGE',
    hint: /`signers`/,
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

test('a dry run says what would become of what is installed in home', async () => {
  await trusted()
  await rlp.install('mini.bundle', { cwd, home, expect: 'mini', mayBegin: () => true })
  const before = policy()
  const { effect, changed } = await rlp.trustRemove('release', { cwd, home, dryRun: true })
  assert.deepEqual([changed, effect?.looked, effect?.changed[0]?.after], [true, 1, 'untrusted'])
  assert.equal(policy(), before)
})

describe('with --json, a command answers what its function answers', () => {
  beforeEach(() => {
    process.env['RUNLOOP_HOME'] = home
  })
  const ADD = ['trust', 'add', 'release', key, '--for']

  test('about a bundle, about a folder of them, and where nothing changes', async () => {
    const one = () =>
      sameAnswer(cwd, [...ADD, 'mini.bundle', '--yes'], () =>
        rlp.trustAdd('release', { cwd, key, for: 'mini.bundle', mayGrant: () => true }),
      )
    const [first, second] = [await one(), await one()]
    assert.deepEqual([first['changed'], second['changed'], second['added']], [true, false, []])
    assert.deepEqual(first['bundles'], [{ target: 'mini.bundle', verdict: 'trusted', reasons: [] }])
    mkdirSync(join(cwd, 'dist'))
    for (const name of ['one', 'two'])
      writeFileSync(
        join(cwd, 'dist', `${name}.agent.bundle`),
        bundleOf(signed(agentTree({ name }), 'release')),
      )
    const many = await sameAnswer(cwd, [...ADD, 'dist', '--dry-run'], () =>
      rlp.trustAdd('release', { cwd, key, for: 'dist', dryRun: true }),
    )
    assert.deepEqual([many['changed'], (many['bundles'] as unknown[]).length], [true, 2])
    assert.notEqual(many['effect'], undefined)
  })

  test('about a rule that grants all, a requirement, a group and a floor', async () => {
    await sameAnswer(cwd, ['trust', 'add', 'release', key, '--allow-caps', 'any', '--yes'], () =>
      rlp.trustAdd('release', { cwd, key, rule: { allow_caps: 'any' }, mayGrant: () => true }),
    )
    await sameAnswer(cwd, ['trust', 'group', 'both', '--of', 'release', '--at-least', '1', '--dry-run'], () =>
      rlp.trustGroup('both', { cwd, of: ['release'], atLeast: 1, dryRun: true }),
    )
    await sameAnswer(cwd, ['trust', 'require', '--signer', 'release', '--expires-within', '90d'], () =>
      rlp.trustRequire({ cwd, signers: ['release'], expiresWithinDays: 90 }),
    )
    await sameAnswer(cwd, ['trust', 'floor', 'mini', '2.0.0', '--dry-run'], () =>
      rlp.trustFloor('mini', '2.0.0', { cwd, dryRun: true }),
    )
  })

  test('about what is installed, and with what is to be known beside the change', async () => {
    await trusted()
    await rlp.install('mini.bundle', { cwd, home, expect: 'mini', mayBegin: () => true })
    const removed = await sameAnswer(cwd, ['trust', 'remove', 'release', '--dry-run'], () =>
      rlp.trustRemove('release', { cwd, dryRun: true }),
    )
    assert.equal((removed['effect'] as rlp.PolicyEffect).changed[0]?.after, 'untrusted')
    const identity = `blake3:${digestOf(Buffer.from(TREE['manifest.toml'] as string))}`
    const agent = { name: 'mini', version: '1.0.0' }
    const line = { program: 'rlp', accepted: true, signers: [key], identity, agent }
    writeFileSync(join(cwd, 'audit.ndjson'), `${JSON.stringify(line)}\nnone of ours\n`)
    const revoked = await sameAnswer(
      cwd,
      ['trust', 'revoke', 'release', '--from-audit', 'audit.ndjson'],
      () => rlp.trustRevoke('release', { cwd, fromAudit: 'audit.ndjson' }),
    )
    assert.match((revoked['notes'] as string[])[0] ?? '', /^1 line of audit\.ndjson could not be read/)
    await sameAnswer(cwd, ['trust', 'explain', 'mini.bundle'], () => rlp.trustExplain('mini.bundle', { cwd }))
  })

  test('about a policy that decides nothing', async () => {
    writeFileSync(join(cwd, 'old.toml'), 'valid_until = "2020-01-01T00:00:00Z"\n', { mode: 0o600 })
    for (const [trustPolicy, problems] of [
      ['old.toml', 0],
      ['none.toml', 1],
    ] as const) {
      const { policies } = await sameAnswer(cwd, ['trust', 'list', '--trust-policy', trustPolicy], () =>
        rlp.trustList({ cwd, trustPolicy }),
      )
      const [listed] = policies as readonly rlp.ListedPolicy[]
      assert.deepEqual([listed?.isUsable, listed?.problems.length], [false, problems], trustPolicy)
    }
  })
})
