// rlp agent verify with --audit: one line for each decision, and what is not in the log is not accepted, in every way to report.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporary } from '../support/folder.ts'
import { good, made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('verify-audit')
const ALPHA = made({ name: 'alpha' }, RELEASE)
const FILE = 'alpha-1.0.0.agent.bundle'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** One that is trusted, one of a stranger, and a log that cannot be written. */
function withBundles(name: string): World {
  const here = world(folder(name))
  here.put(FILE, ALPHA)
  here.put('beta-1.0.0.agent.bundle', made({ name: 'beta' }, STRANGER))
  mkdirSync(join(here.cwd, 'log'))
  return here
}

const logOf = (here: World) =>
  readFileSync(join(here.cwd, 'audit.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

const verify = (here: World, ...args: string[]) => here.say('agent', 'verify', ...args)
const BOTH = [FILE, 'beta-1.0.0.agent.bundle']

describe('a log that can be written', () => {
  for (const [how, words] of [
    ['one bundle', [FILE]],
    ['one bundle with --json', [FILE, '--json']],
    ['several', BOTH],
    ['several with --json', [...BOTH, '--json']],
    ['several for a program', [...BOTH, '--format', 'ndjson']],
  ] as const)
    test(`has a line for each of ${how}, with the digest of its bytes`, async () => {
      const here = withBundles(how)
      const { exit, stderr } = await verify(here, ...words, '--audit', 'audit.log')
      const all = words.some(word => word.startsWith('beta'))
      assert.equal(exit, all ? 1 : 0)
      assert.doesNotMatch(stderr, /record/)
      assert.deepEqual(
        logOf(here).map(({ command, target, accepted, verdict }) => [command, target, accepted, verdict]),
        [
          ['agent.verify', FILE, true, 'trusted'],
          ...(all ? [['agent.verify', 'beta-1.0.0.agent.bundle', false, 'untrusted']] : []),
        ],
      )
      assert.equal(logOf(here)[0].sha256, sha256(ALPHA))
    })
})

describe('a log that cannot be written', () => {
  test('of one bundle: the verdict is shown, the reason is said, and the exit code is 3', async () => {
    const here = withBundles('one')
    const { exit, stdout, stderr } = await verify(here, FILE, '--audit', 'log')
    assert.equal(exit, 3)
    assert.match(stdout, /^trusted$/m)
    assert.match(stderr, /^rlp: Cannot record the decision: "log": /m)
  })

  test('with --json: no success, and every report beside the reason', async () => {
    const here = withBundles('json')
    const { exit, envelope } = await here.rlp('agent', 'verify', ...BOTH, '--audit', 'log')
    assert.deepEqual(
      [exit, envelope.ok, envelope.code, envelope['passed'], envelope['summary']],
      [3, false, 'UNRECORDED', false, { bundles: 2, trusted: 1, untrusted: 1 }],
    )
    const bundles = envelope['bundles'] as { verdict: string }[]
    assert.deepEqual(
      bundles.map(({ verdict }) => verdict),
      ['trusted', 'untrusted'],
    )
  })

  test('of several: none is accepted, and a later call takes no verdict from this report', async () => {
    const here = withBundles('several')
    const { exit, stdout, stderr } = await verify(here, ...BOTH, '--format', 'ndjson', '--audit', 'log')
    assert.equal(exit, 3)
    assert.equal(stderr.match(/Cannot record the decision/g)?.length, 1)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ verdict, accepted, exit: code, basis }) => [verdict, accepted, code, basis]),
      [
        ['trusted', false, 3, null],
        ['untrusted', false, 3, null],
        [undefined, 0, 3, lines.at(-1).basis],
      ],
    )
    writeFileSync(join(here.cwd, 'report'), stdout, { mode: 0o600 })
    const again = await verify(here, ...BOTH, '--format', 'ndjson', '--since', 'report')
    assert.doesNotMatch(again.stdout, /"reused":true/)
    const people = await verify(here, ...BOTH, '--audit', 'log')
    assert.equal(people.exit, 3)
    assert.doesNotMatch(people.stdout, /✓/)
  })
})

describe('what is reused', () => {
  test('is recorded as a decision of this call', async () => {
    const here = withBundles('reused')
    const words = [...BOTH, '--format', 'ndjson']
    const first = await verify(here, ...words)
    writeFileSync(join(here.cwd, 'report'), first.stdout, { mode: 0o600 })
    const again = await verify(here, ...words, '--since', 'report', '--audit', 'audit.log')
    assert.equal(again.stdout.match(/"reused":true/g)?.length, 2)
    assert.match(again.stderr, /^2 bundles: 1 trusted, 1 untrusted; 2 judged before/m)
    assert.deepEqual(
      logOf(here).map(({ target, accepted, policies }) => [target, accepted, policies.length]),
      [
        [FILE, true, 1],
        ['beta-1.0.0.agent.bundle', false, 1],
      ],
    )
  })

  test('was judged by the same policy, lock, statements and flags', async () => {
    const here = withBundles('facts')
    writeFileSync(join(here.cwd, 'other.toml'), readFileSync(join(here.home, 'trust-policy.toml')), {
      mode: 0o600,
    })
    writeFileSync(join(here.cwd, 'statements'), '{}\n')
    await good(here, 'lock', 'add', FILE)
    const settings = [
      [],
      ['--trust-policy', 'other.toml'],
      ['--locked'],
      ['--attestations', 'statements'],
      ['--allow-unsigned'],
      ['--expect', 'alpha'],
    ]
    for (const setting of settings) {
      const words = [FILE, ...setting, '--format', 'ndjson']
      writeFileSync(join(here.cwd, 'report'), (await verify(here, ...words)).stdout, { mode: 0o600 })
      for (const other of settings) {
        const { stdout } = await verify(here, FILE, ...other, '--format', 'ndjson', '--since', 'report')
        assert.equal(/"reused":true/.test(stdout), other === setting, `${setting} and then ${other}`)
      }
    }
  })

  test('is no bundle that is unpacked, and none that a registry or a layout folder has', async () => {
    const here = withBundles('elsewhere')
    await good(here, 'agent', 'push', FILE, 'oci-layout:store')
    const words = ['oci-layout:store:1.0.0', '--format', 'ndjson']
    const first = await verify(here, ...words)
    assert.match(first.stdout, /"verdict":"trusted".*"basis":null/)
    writeFileSync(join(here.cwd, 'report'), first.stdout, { mode: 0o600 })
    assert.doesNotMatch((await verify(here, ...words, '--since', 'report')).stdout, /"reused":true/)
  })
})
