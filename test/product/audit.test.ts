// --audit: one line for each decision, on the disk before anything follows from it; a decision that cannot be recorded is not carried out.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { parse } from '../../src/cli/parse.ts'
import { command } from '../../src/lock/verbs/install.ts'
import type { AuditDecision } from '../../src/model/audit.ts'
import { VERSION } from '../../src/model/rlp-version.ts'
import { builtProgram } from '../support/built.ts'
import { channelWith, pinOf, publish, withHeartbeat, withRelease } from '../support/channel-world.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, OTHER, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'
import { missing } from '../support/needs.ts'
import { rlp } from '../support/run.ts'
import { scripted } from '../support/scripted-prompter.ts'
import { installKeys, POLICY } from '../support/trust-world.ts'

const folder = temporary('audit')
const fits = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync('schemas/audit.schema.json', 'utf8')),
)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

type Line = AuditDecision & {
  readonly time: string
  readonly user: string
  readonly program: string
  readonly version: string
}

/** Every line fits the schema, who wrote it. */
function lines(path: string): Line[] {
  const text = readFileSync(path, 'utf8')
  assert.ok(text.endsWith('\n'))
  return text
    .trimEnd()
    .split('\n')
    .map(line => {
      const value = JSON.parse(line)
      assert.ok(fits(value), `${JSON.stringify(fits.errors)} ${line}`)
      return value as Line
    })
}

function here(name: string): World & { readonly log: string; readonly last: () => Line } {
  const cwd = folder(name)
  chmodSync(cwd, 0o700)
  const log = join(cwd, 'audit.ndjson')
  return { ...world(cwd), log, last: () => lines(log).at(-1) ?? assert.fail('no line') }
}

/** What makes a log that cannot be written. */
function spoil(log: string): void {
  if (existsSync(log)) renameSync(log, `${log}.kept`)
  mkdirSync(log)
}

function mend(log: string): void {
  renameSync(log, `${log}.spoilt`)
  if (existsSync(`${log}.kept`)) renameSync(`${log}.kept`, log)
}

const BUNDLE = made({}, RELEASE)

test('verify: who decided when, about which bytes, by which policies', async () => {
  const at = here('verify')
  const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
  const before = new Date().toISOString()
  const { exit } = await at.rlp('agent', 'verify', name, '--audit', 'audit.ndjson')
  assert.equal(exit, 0)
  const line = at.last()
  assert.ok(line.time >= before && line.time <= new Date().toISOString())
  assert.deepEqual([line.user, line.program, line.version], [userInfo().username, 'rlp', VERSION])
  const policy = readFileSync(join(at.home, 'trust-policy.toml'))
  const { time: _time, user: _user, program: _program, version: _version, policies, ...rest } = line
  assert.deepEqual(
    policies.map(({ role, digest }) => [role, digest]),
    [['user', blake3Hex(policy)]],
  )
  assert.match(String(rest.identity), /^blake3:[0-9a-f]{64}$/)
  assert.deepEqual(rest, {
    command: 'agent.verify',
    target: name,
    accepted: true,
    verdict: 'trusted',
    codes: [],
    agent: { name: 'mini', version: '1.0.0' },
    identity: rest.identity,
    sha256: sha256(BUNDLE),
    signers: [RELEASE.anchor],
  })
  // One byte of it flipped, another signer, and nothing there.
  const changed = Uint8Array.from(BUNDLE)
  changed[600] = (changed[600] ?? 0) ^ 1
  at.put('changed.bundle', changed)
  at.put('stranger.bundle', made({}, STRANGER))
  const { exit: worst } = await at.rlp(
    ...['agent', 'verify', 'changed.bundle', 'stranger.bundle', 'gone.bundle'],
    ...['--expect', 'mini', '--audit', at.log],
  )
  assert.equal(worst, 1)
  assert.deepEqual(
    lines(at.log)
      .slice(1)
      .map(({ target, accepted, verdict, codes }) => [target, accepted, verdict, codes[0]]),
    [
      ['changed.bundle', false, 'invalid', 'statement_mismatch'],
      ['stranger.bundle', false, 'untrusted', 'no_counted_signature'],
      ['gone.bundle', false, 'indeterminate', 'unreadable'],
    ],
  )
})

test('verify: a flag that lets an unsigned bundle pass is told from trust', async () => {
  const at = here('unsigned')
  at.put('u.bundle', made())
  await at.rlp('agent', 'verify', 'u.bundle', '--expect', 'mini', '--audit', at.log)
  await at.rlp('agent', 'verify', 'u.bundle', '--expect', 'mini', '--allow-unsigned', '--audit', at.log)
  assert.deepEqual(
    lines(at.log).map(({ accepted, verdict, signers }) => [accepted, verdict, signers]),
    [
      [false, 'unsigned', []],
      [true, 'unsigned', []],
    ],
  )
})

test('verify: a decision that cannot be recorded exits 3, and its verdict stays', async () => {
  const at = here('unrecorded')
  const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
  spoil(at.log)
  const { exit, stdout, stderr } = await at.say('agent', 'verify', name, '--audit', 'audit.ndjson')
  assert.equal(exit, 3)
  assert.match(stdout, /trusted/)
  assert.equal(
    stderr,
    'rlp: Cannot record the decision: "audit.ndjson": it is not a regular file\nhint: Name a file\n',
  )
  const asJson = await at.rlp('agent', 'verify', name, '--audit', 'audit.ndjson')
  assert.deepEqual(
    [asJson.exit, asJson.envelope.ok, asJson.envelope.code, asJson.envelope['passed']],
    [3, false, 'UNRECORDED', false],
  )
  const [report] = asJson.envelope['bundles'] as { verdict: string }[]
  assert.equal(report?.verdict, 'trusted')
  const other = at.put('mini-again.bundle', BUNDLE)
  const many = await at.say(
    'agent',
    'verify',
    name,
    other,
    '--expect',
    'mini',
    '--format',
    'ndjson',
    '--audit',
    'audit.ndjson',
  )
  const records = many.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(many.exit, 3)
  assert.deepEqual(
    records.map(({ verdict, accepted, exit, basis }) => [verdict, accepted, exit, basis]),
    [
      ['trusted', false, 3, null],
      ['trusted', false, 3, null],
      [undefined, 0, 3, records.at(-1).basis],
    ],
  )
  mend(at.log)
  assert.equal((await at.say('agent', 'verify', name, '--audit', 'audit.ndjson')).exit, 0)
})

test('verify of many: a line each, also of those that threads judge', async () => {
  const at = here('many')
  mkdirSync(join(at.cwd, 'dist'))
  for (let index = 0; index < 100; index++)
    at.put(`dist/${index}.agent.bundle`, index === 50 ? made({}, STRANGER) : BUNDLE)
  const line = ['agent', 'verify', 'dist', '--expect', 'mini', '--format', 'ndjson', '--audit', at.log]
  // Of the built program, whose threads are compiled.
  const { exit, stdout } = await rlp(line, { cwd: at.cwd, env: { RUNLOOP_HOME: at.home } })
  assert.equal(exit, 1, stdout)
  const all = lines(at.log)
  assert.deepEqual(
    [new Set(all.map(({ target }) => target)).size, all.filter(({ accepted }) => accepted).length],
    [100, 99],
  )
  for (const { policies, sha256: digest } of all) {
    assert.equal(policies.length, 1)
    assert.notEqual(digest, null)
  }
})

describe('install', () => {
  test('is recorded before anything is put in place, and refusals are too', async () => {
    const at = here('install')
    const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
    spoil(at.log)
    const lost = await at.install(name, '--yes', '--audit', 'audit.ndjson')
    assert.deepEqual([lost.exit, lost.envelope.code], [3, 'UNRECORDED'])
    assert.ok(!existsSync(join(at.root, name)) && !existsSync(join(at.root, 'mini.agent.bundle')))
    mend(at.log)
    assert.equal((await at.install(name, '--yes', '--audit', 'audit.ndjson')).exit, 0)
    assert.ok(existsSync(join(at.root, 'mini.agent.bundle')))
    const line = at.last()
    assert.deepEqual(
      [line.command, line.accepted, line.verdict, line.sha256, line.root],
      ['agent.install', true, 'trusted', sha256(BUNDLE), at.root],
    )
    const put = (version: string, caps: string, who = RELEASE) =>
      at.put(`mini-${version}.agent.bundle`, made({ version, caps }, who))
    const refusals = [
      put('0.9.0', ''),
      put('1.1.0', 'model = true\n'),
      put('1.2.0', '', OTHER),
      put('1.3.0', '', STRANGER),
    ]
    for (const one of refusals) assert.notEqual((await at.install(one, '--audit', at.log)).exit, 0)
    assert.deepEqual(
      lines(at.log)
        .slice(1)
        .map(({ accepted, verdict, codes }) => [accepted, verdict, ...codes]),
      [
        [false, 'rolled_back', 'older'],
        [false, 'trusted', 'widened'],
        [false, 'trusted', 'signer_changed'],
        [false, 'untrusted', 'no_counted_signature'],
      ],
    )
  })

  test('a person’s no is a decision, and no person to ask is one', async () => {
    const at = here('no')
    const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
    assert.equal((await at.install(name, '--audit', at.log)).exit, 2)
    assert.deepEqual([at.last().accepted, at.last().codes], [false, ['not_confirmed']])
    const person = scripted([['Install it?', 'no']])
    const isTTY = { stdin: true, stdout: true, stderr: true }
    const io = { ...fakeTerminal({ cwd: at.cwd, isTTY }).terminal, color: false }
    const args = parse(command, [name, '--audit', 'audit.ndjson']) as never
    await assert.rejects(
      command.run(args, io, async () => person.prompter),
      { code: 'CANCELLED' },
    )
    assert.equal(lines(at.log).length, 2)
    assert.deepEqual(
      [at.last().accepted, at.last().verdict, at.last().codes],
      [false, 'trusted', ['not_confirmed']],
    )
  })
})

describe('sign', () => {
  test('is recorded before the key is used', async () => {
    const at = here('sign')
    installKeys(at.home)
    const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
    spoil(at.log)
    const lost = await at.rlp('agent', 'sign', name, '--key', 'second', '--audit', 'audit.ndjson')
    assert.deepEqual([lost.exit, lost.envelope.code], [3, 'UNRECORDED'])
    assert.deepEqual(readFileSync(join(at.cwd, name)), BUNDLE)
    mend(at.log)
    assert.equal((await at.rlp('agent', 'sign', name, '--key', 'second', '--audit', at.log)).exit, 0)
    assert.notDeepEqual(readFileSync(join(at.cwd, name)), BUNDLE)
    const { command, accepted, verdict, signers, signedBy, sha256: digest, policies } = at.last()
    assert.deepEqual(
      [command, accepted, verdict, signers, digest, policies],
      ['agent.sign', true, null, [RELEASE.anchor], sha256(BUNDLE), []],
    )
    assert.match(String(signedBy), /^ed25519:/)
    assert.notEqual(signedBy, RELEASE.anchor)
  })

  test('--if-trusted: the signers outside, and what is refused', async () => {
    const at = here('if-trusted')
    installKeys(at.home)
    const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
    const stranger = at.put('stranger.bundle', made({}, STRANGER))
    assert.equal((await at.install(name, '--yes')).exit, 0)
    const sign = (bundle: string) =>
      at.rlp(
        'agent',
        'sign',
        bundle,
        '--key',
        'second',
        '--if-trusted',
        '--expect',
        'mini',
        '--audit',
        at.log,
      )
    assert.equal((await sign(name)).exit, 0)
    assert.deepEqual(
      [at.last().verdict, at.last().accepted, at.last().signers, at.last().policies.length],
      ['trusted', true, [RELEASE.anchor], 1],
    )
    assert.equal((await sign(stranger)).exit, 1)
    assert.deepEqual([at.last().verdict, at.last().accepted], ['untrusted', false])
    at.put('broken.bundle', Buffer.from('no bundle'))
    assert.equal(
      (await at.rlp('agent', 'sign', 'broken.bundle', '--key', 'second', '--audit', at.log)).exit,
      1,
    )
    assert.deepEqual(
      [at.last().verdict, at.last().accepted, at.last().target],
      [null, false, 'broken.bundle'],
    )
  })
})

describe('gate', () => {
  const ask = (at: World, input: string) => {
    process.env['RUNLOOP_HOME'] = at.home
    return run(['gate', '--audit', 'audit.ndjson'], undefined, { cwd: at.cwd, env: {}, input })
  }

  test('each answer is recorded, with the policies that gave it', async () => {
    const at = here('gate')
    const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
    const bytes = Buffer.from(made({}, STRANGER)).toString('base64')
    const questions = [{ bundle: name }, { bytes, expect: 'mini' }, { id: 1 }].map(one => JSON.stringify(one))
    const { exit, stdout } = await ask(at, `${questions.join('\n')}\n`)
    assert.equal(exit, 0)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const all = lines(at.log)
    assert.deepEqual(
      all.map(({ command, target, accepted, verdict, codes, policies }) => [
        command,
        target,
        accepted,
        verdict,
        codes[0],
        policies.length,
      ]),
      [
        ['gate', name, true, 'trusted', undefined, 1],
        ['gate', null, false, 'untrusted', 'no_counted_signature', 1],
        ['gate', null, false, 'indeterminate', 'bad_question', 0],
      ],
    )
    for (const [index, { allow, sha256: digest, identity }] of answers.entries())
      assert.deepEqual(
        [all[index]?.accepted, all[index]?.sha256, all[index]?.identity],
        [allow, digest, identity],
      )
  })

  test('what cannot be recorded is not allowed', async () => {
    const at = here('gate-lost')
    const question = `${JSON.stringify({ bundle: at.put('mini-1.0.0.agent.bundle', BUNDLE) })}\n`
    assert.match((await ask(at, question)).stdout, /"allow":true/)
    spoil(at.log)
    const { exit, stdout, stderr } = await ask(at, question + question)
    assert.equal(exit, 3)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(
      answers.map(({ allow, verdict, sha256: digest, reasons }) => [allow, verdict, digest, reasons[0].code]),
      Array(2).fill([false, 'indeterminate', null, 'not_recorded']),
    )
    // Each answer says it, and standard error once.
    assert.equal(stderr.match(/Cannot record the decision/g)?.length, 1)
  })
})

describe('trust', () => {
  test('each change is recorded, with the policy before and after', async () => {
    const at = here('trust')
    const policy = join(at.home, 'trust-policy.toml')
    const now = () => blake3Hex(readFileSync(policy))
    const changes: readonly (readonly [string, ...string[]])[] = [
      ['add', 'second', STRANGER.anchor],
      ['group', 'people', '--of', 'second,review', '--at-least', '1'],
      ['require', '--signer', 'people'],
      ['floor', 'mini', '0.5.0'],
      ['revoke', 'dev', '--reason', 'laptop lost'],
      ['remove', 'other'],
    ]
    for (const change of changes) {
      const before = now()
      const { exit, envelope } = await at.rlp('trust', ...change, '--audit', at.log)
      assert.equal(exit, 0, JSON.stringify(envelope))
      const line = at.last()
      assert.equal(line.command, `trust.${change[0]}`)
      assert.deepEqual([line.change?.do, line.change?.before, line.change?.after], [change[0], before, now()])
      assert.deepEqual(
        line.policies.map(({ role, digest }) => [role, digest]),
        [['user', now()]],
      )
    }
    assert.equal(lines(at.log).length, changes.length)
    assert.equal(lines(at.log)[4]?.change?.reason, 'laptop lost')
    // Nothing to change is decided, too; with --dry-run nothing is.
    assert.equal((await at.rlp('trust', 'floor', 'mini', '0.5.0', '--audit', at.log)).exit, 0)
    assert.equal(at.last().change?.before, at.last().change?.after)
    assert.equal((await at.rlp('trust', 'floor', 'mini', '0.7.0', '--dry-run', '--audit', at.log)).exit, 0)
    assert.equal(lines(at.log).length, changes.length + 1)
  })

  test('a change that cannot be recorded is not made', async () => {
    const at = here('trust-lost')
    const policy = join(at.home, 'trust-policy.toml')
    const before = readFileSync(policy, 'utf8')
    spoil(at.log)
    const { exit, envelope } = await at.rlp('trust', 'revoke', 'dev', '--audit', at.log)
    assert.deepEqual([exit, envelope.code], [3, 'UNRECORDED'])
    assert.equal(readFileSync(policy, 'utf8'), before)
    mend(at.log)
    assert.equal((await at.rlp('trust', 'revoke', 'dev', '--audit', at.log)).exit, 0)
    assert.notEqual(readFileSync(policy, 'utf8'), before)
  })

  test('reset', async () => {
    const at = here('reset')
    assert.equal((await at.install(at.put('mini-1.0.0.agent.bundle', BUNDLE), '--yes')).exit, 0)
    spoil(at.log)
    const reset = () =>
      at.rlp('trust', 'reset', 'mini', '--to', '0.5.0', '--reason', 'typo', '--audit', at.log)
    assert.equal((await reset()).exit, 3)
    assert.equal(at.state().marks[0]?.version, '1.0.0')
    mend(at.log)
    assert.equal((await reset()).exit, 0)
    assert.equal(at.state().marks[0]?.version, '0.5.0')
    const { target, change } = at.last()
    assert.deepEqual(
      [target, change],
      ['mini', { do: 'reset', what: ['1.0.0'], reason: 'typo', before: null, after: null }],
    )
  })
})

test('what a stranger calls a bundle commands no terminal, and ends no line', async () => {
  const at = here('names')
  at.put('a\u001b[2J\u202eb\nc.bundle', BUNDLE)
  await at.rlp('agent', 'verify', 'a\u001b[2J\u202eb\nc.bundle', '--expect', 'mini', '--audit', at.log)
  assert.equal(lines(at.log).length, 1)
  assert.equal(at.last().target, 'a\u001b[2J\u202eb\nc.bundle')
  assert.match(readFileSync(at.log, 'latin1'), /^[ -~\n]+$/)
})

test('a link in the place of the log is not followed, and a torn line is left as it is', async () => {
  const at = here('planted')
  const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
  const verify = () => at.say('agent', 'verify', name, '--audit', 'audit.ndjson')
  assert.equal((await verify()).exit, 0)
  appendFileSync(at.log, '{"time":"2026')
  assert.equal((await verify()).exit, 0)
  assert.equal(readFileSync(at.log, 'utf8').split('\n').length, 4)
  renameSync(at.log, `${at.log}.1`)
  writeFileSync(join(at.cwd, 'theirs'), 'theirs')
  symlinkSync('theirs', at.log)
  const { exit, stderr } = await verify()
  assert.equal(exit, 3)
  assert.match(stderr, /it is a symbolic link/)
  assert.equal(readFileSync(join(at.cwd, 'theirs'), 'utf8'), 'theirs')
})

test('a full disk: the verdict is told with 3, and what was torn stays a line of its own', {
  skip: missing('prlimit'),
}, async () => {
  const at = here('full')
  const name = at.put('mini-1.0.0.agent.bundle', BUNDLE)
  const verify = () => at.rlp('agent', 'verify', name, '--audit', at.log)
  const limited = (...before: string[]) => {
    const line = [...before, process.execPath, builtProgram(), 'agent', 'verify', name, '--audit', at.log]
    const [program = '', ...args] = line
    return spawnSync(program, args, {
      cwd: at.cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], RUNLOOP_HOME: at.home },
    })
  }
  assert.equal((await verify()).exit, 0)
  const { length } = readFileSync(at.log)
  // No file may be larger than this: the write of the line takes some of its bytes, as at the end of a disk.
  const { status, stdout, stderr } = limited('prlimit', `--fsize=${length + 100}`)
  assert.equal(status, 3, stderr)
  assert.match(stdout, /trusted/)
  assert.match(
    stderr,
    /^rlp: Cannot record the decision: .*only 100 of \d+ bytes were taken\nhint: Free some space/,
  )
  assert.equal((await verify()).exit, 0)
  const [first = '', torn = '', last = ''] = readFileSync(at.log, 'utf8').split('\n')
  assert.equal(torn.length, 100)
  for (const line of [first, last]) assert.ok(fits(JSON.parse(line)))
})

describe('trust follow, update and unfollow', () => {
  const WHAT_IS_FOLLOWED = (at: World) => existsSync(join(at.home, 'channels.toml'))

  test('which release this host took when, and what was refused', async () => {
    const at = here('channels')
    const now = new Date()
    const house = `oci-layout:${join(at.cwd, 'house')}`
    const first = channelWith(POLICY, now)
    await publish(first, house)
    const say = (...args: readonly string[]) => at.say(...args, '--audit', 'audit.ndjson')
    assert.equal((await say('trust', 'follow', house, '--root', pinOf(first))).exit, 0)
    assert.equal((await say('trust', 'follow', house, '--root', pinOf(first))).exit, 0, 'nothing is new')
    const second = withHeartbeat(
      withRelease(first, `${POLICY}\n# newer\n`, now),
      new Date(now.getTime() + 1000),
    )
    await publish(second, house)
    assert.equal((await say('trust', 'update', '--dry-run')).exit, 0)
    assert.equal((await say('trust', 'update')).exit, 0)
    await publish(first, house)
    assert.equal((await say('trust', 'update')).exit, 3)
    rmSync(join(at.cwd, 'house'), { recursive: true })
    assert.equal((await say('trust', 'update')).exit, 3)
    assert.equal((await say('trust', 'unfollow', 'house', '--yes')).exit, 0)
    const digests = [POLICY, `${POLICY}\n# newer\n`].map(text => blake3Hex(Buffer.from(text)))
    const told = lines(at.log).map(({ command, target, accepted, codes, change }) => {
      return [
        command,
        target,
        accepted,
        codes.join(),
        change?.what.slice(0, 2),
        change?.before,
        change?.after,
      ]
    })
    const named = ['house', house]
    assert.deepEqual(told, [
      ['trust.follow', 'house', true, '', named, null, null],
      ['trust.update', 'house', true, '', ['root 1', 'release 1'], null, digests[0]],
      ['trust.update', 'house', true, '', ['root 1', 'release 2'], digests[0], digests[1]],
      ['trust.update', 'house', false, 'older', ['root 1', 'release 2'], digests[1], digests[1]],
      ['trust.update', 'house', false, 'missing', ['root 1', 'release 2'], digests[1], digests[1]],
      ['trust.unfollow', 'house', true, '', named, null, null],
    ])
    const far = ['trust', 'follow', 'oci://127.0.0.1:1/x', '--root', pinOf(first), '--name', 'far']
    assert.equal((await say(...far)).exit, 3)
    const { command, target, accepted, codes } = at.last()
    assert.deepEqual([command, target, accepted, codes], ['trust.update', 'far', false, ['unreachable']])
  })

  test('what cannot be recorded is not followed and not forgotten, and an update is done all the same', async () => {
    const at = here('channels-unrecorded')
    const now = new Date()
    const house = `oci-layout:${join(at.cwd, 'house')}`
    const first = channelWith(POLICY, now)
    await publish(first, house)
    spoil(at.log)
    const say = (...args: readonly string[]) => at.say(...args, '--audit', 'audit.ndjson')
    const follow = await say('trust', 'follow', house, '--root', pinOf(first))
    assert.deepEqual([follow.exit, WHAT_IS_FOLLOWED(at)], [3, false], follow.stderr)
    assert.match(follow.stderr, /Cannot record the decision/)
    mend(at.log)
    assert.equal((await say('trust', 'follow', house, '--root', pinOf(first))).exit, 0)
    const second = withHeartbeat(
      withRelease(first, `${POLICY}\n# newer\n`, now),
      new Date(now.getTime() + 1000),
    )
    await publish(second, house)
    spoil(at.log)
    const update = await say('trust', 'update')
    assert.equal(update.exit, 3)
    assert.match(update.stdout, /✓ house: updated: release 2/)
    assert.match(update.stderr, /Cannot record the decision: .*\. What was updated stays$/m)
    assert.match((await at.say('trust', 'status')).stdout, /release 2/)
    const later = new Date(now.getTime() + 2000)
    await publish(withHeartbeat(withRelease(second, `${POLICY}\n# newest\n`, now), later), house)
    const { exit, envelope } = await at.rlp('trust', 'update', '--audit', 'audit.ndjson')
    assert.deepEqual([exit, envelope.code], [3, 'UNRECORDED'])
    assert.match(String(envelope.message), /What was updated stays/)
    assert.match(JSON.stringify(envelope['channels']), /"release":\{?"?.*3/)
    const unfollow = await say('trust', 'unfollow', 'house', '--yes')
    assert.equal(unfollow.exit, 3)
    assert.match((await at.say('trust', 'status')).stdout, /release 3/)
    mend(at.log)
    assert.equal((await say('trust', 'unfollow', 'house', '--yes')).exit, 0)
    assert.match((await at.say('trust', 'status')).stderr, /No channel is followed/i)
  })
})
