// docs/audit.md: its table names every member, its questions are asked as they are written, and logs are rotated as it says.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { REGISTRY } from '../../src/cli/commands.ts'
import { channelWith, pinOf, publish } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, REVIEW, STRANGER, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { POLICY } from '../support/trust-world.ts'

const PAGE = readFileSync('docs/audit.md', 'utf8')
const QUESTIONS = [...PAGE.matchAll(/```sh\n(jq [^\n]+)\n```/g)].map(([, line = '']) => line)
const folder = temporary('audit-doc')

test('the table has the members of the schema, in their order', () => {
  const { properties } = JSON.parse(readFileSync('schemas/audit.schema.json', 'utf8'))
  const named = [...PAGE.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
  assert.deepEqual(named, Object.keys(properties))
})

test('every command with --audit is on the page', async () => {
  const known = [
    'agent verify',
    'agent install',
    'agent sign',
    'agent run',
    'gate',
    'tool call',
    'tool serve',
    'tool replay',
    'agent dev',
    'agent test',
  ]
  for (const { name, load } of REGISTRY.commands) {
    const { options } = (await load()).command
    if (!('audit' in options) || name.startsWith('trust ')) continue
    assert.ok(known.includes(name), `docs/audit.md does not speak of rlp ${name}`)
  }
})

describe('the questions', { skip: missing('jq') }, () => {
  const cwd = folder('questions')
  const at = world(cwd)
  const log = join(cwd, 'audit.ndjson')
  const [user, policy] = [userInfo().username, { before: '', after: '' }]
  const digest = () => blake3Hex(readFileSync(join(at.home, 'trust-policy.toml')))
  const ask = (line: string) =>
    execFileSync('sh', ['-c', line], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], KEY: RELEASE.anchor, POLICY: policy.before },
    })
      .trimEnd()
      .split('\n')

  before(async () => {
    chmodSync(cwd, 0o700)
    const yesterday = {
      time: '2020-01-01T00:00:00.000Z',
      user: 'root',
      program: 'rlp',
      version: '0.0.1',
      command: 'agent.verify',
      target: 'old',
      accepted: false,
      verdict: 'invalid',
      codes: ['not_canonical'],
      agent: null,
      identity: null,
      sha256: null,
      signers: [],
      policies: [],
    }
    writeFileSync(log, `${JSON.stringify(yesterday)}\n`, { mode: 0o600 })
    policy.before = digest()
    at.put('mini.bundle', made({}, RELEASE))
    at.put('other.bundle', made({ name: 'other' }, REVIEW))
    at.put('stranger.bundle', made({ version: '2.0.0' }, STRANGER))
    for (const [bundle, expect] of [
      ['mini.bundle', 'mini'],
      ['other.bundle', 'other'],
      ['stranger.bundle', 'mini'],
    ] as const)
      await at.install(bundle, '--yes', '--expect', expect, '--audit', log)
    await at.rlp('trust', 'revoke', 'dev', '--reason', 'lost', '--audit', log)
    policy.after = digest()
    await at.rlp('agent', 'verify', 'mini.bundle', '--expect', 'mini', '--audit', log)
  })

  test('are seven', () => assert.equal(QUESTIONS.length, 7))

  test('who allowed what', () => {
    assert.deepEqual(
      ask(QUESTIONS[0] ?? '').map(line => line.split('\t').slice(1)),
      [
        [user, 'agent.install', 'mini.bundle'],
        [user, 'agent.install', 'other.bundle'],
        [user, 'trust.revoke', join(at.home, 'trust-policy.toml')],
        [user, 'agent.verify', 'mini.bundle'],
      ],
    )
  })

  test('which bundles a signer brought in', () => {
    const lines = ask(QUESTIONS[1] ?? '')
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /^mini 1\.0\.0 blake3:[0-9a-f]{64}$/)
  })

  test('what was refused in the last day', () => {
    assert.deepEqual(ask(QUESTIONS[2] ?? ''), ['stranger.bundle: untrusted no_counted_signature'])
  })

  test('what was decided under a policy', () => {
    assert.deepEqual(
      ask(QUESTIONS[3] ?? '').map(line => line.replace(/^\S+ /, '')),
      [
        'agent.install mini.bundle: trusted',
        'agent.install other.bundle: trusted',
        'agent.install stranger.bundle: untrusted',
      ],
    )
  })

  test('who changed the policy', () => {
    const [line, ...more] = ask(QUESTIONS[4] ?? '')
    assert.deepEqual(more, [])
    assert.match(line ?? '', new RegExp(`^${user} revoke ed25519:\\S+: ${policy.before} ${policy.after}$`))
  })

  test('which release a host took', async () => {
    const house = `oci-layout:${join(cwd, 'house')}`
    const first = channelWith(POLICY, new Date())
    await publish(first, house)
    const { exit } = await at.rlp(
      'trust',
      'follow',
      house,
      '--root',
      pinOf(first),
      '--audit',
      'channel.ndjson',
    )
    assert.equal(exit, 0)
    await at.rlp('trust', 'unfollow', 'house', '--yes')
    const [line, ...more] = ask((QUESTIONS[5] ?? '').replace('audit.ndjson', 'channel.ndjson'))
    assert.deepEqual(more, [])
    const told = `house root 1 release 1 blake3:[0-9a-f]{64}: null ${blake3Hex(Buffer.from(POLICY))}`
    assert.match(line ?? '', new RegExp(`^\\S+Z ${told}$`))
  })

  test('past a torn line', async () => {
    const whole = ask(QUESTIONS[6] ?? '').length
    appendFileSync(log, '{"time":"20')
    await at.rlp('agent', 'verify', 'mini.bundle', '--expect', 'mini', '--audit', log)
    assert.equal(ask(QUESTIONS[6] ?? '').length, whole + 1)
    assert.throws(() => ask(`${QUESTIONS[0] ?? ''} 2>/dev/null`))
  })
})

test('the example of logrotate renames, and makes no file of its own', () => {
  const [, config = ''] = /```\n(\/var\/log[^`]*)```/.exec(PAGE) ?? []
  const words = config.split(/\s+/)
  assert.ok(words.includes('nocreate') && words.includes('delaycompress'))
  assert.ok(!words.includes('copytruncate'))
})

test('logrotate takes the example', { skip: missing('logrotate') }, () => {
  const cwd = folder('logrotate')
  const [, config = ''] = /```\n(\/var\/log[^`]*)```/.exec(PAGE) ?? []
  const log = join(cwd, 'audit.ndjson')
  writeFileSync(log, 'one\n', { mode: 0o600 })
  const path = join(cwd, 'rotate.conf')
  writeFileSync(path, config.replace('/var/log/rlp/audit.ndjson', log), { mode: 0o600 })
  execFileSync('logrotate', ['--force', '--state', join(cwd, 'state'), path])
  assert.equal(readFileSync(`${log}.1`, 'utf8'), 'one\n')
})
