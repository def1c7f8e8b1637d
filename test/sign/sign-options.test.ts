// The options of rlp agent sign in combination: which of them refuse each other, when a signature ends, and which files a verdict is judged by.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, mock, test } from 'node:test'
import { withoutWrapped } from '../../src/sign/refuse-unsignable.ts'
import { refuseUnclear, type SignArgs, trustedOnly, warnOfEnd, withEnd } from '../../src/sign/sign-options.ts'
import { refuseWithKeyless } from '../../src/sign/sign-verb.ts'
import { bundleOf } from '../support/agent.ts'
import { fakeTerminal, run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { ASKING, KEYS } from '../support/trust-world.ts'

const folder = temporary('sign-options')
const NOW = new Date('2026-11-20T12:00:00Z')
type Io = Parameters<typeof warnOfEnd>[1]

describe('a signer', () => {
  const ONE = [{ path: '/a', label: 'a' }]
  const TWO = [...ONE, { path: '/b', label: 'b' }]
  const unclear = (args: Partial<SignArgs>, targets = ONE) =>
    refuseUnclear({ keyless: false, ifTrusted: false, lock: [], ...args } as unknown as SignArgs, targets)

  test('is a key, a signature from outside with its key, or a program that gets the bytes', () => {
    unclear({ key: 'k' })
    unclear({ key: 'k' }, TWO)
    unclear({ exportPayload: 'p' })
    unclear({ key: 'k', exportPayload: 'p' })
    unclear({ key: 'k', importSignature: 's' })
    unclear({ keyless: true }, TWO)
  })

  const outside = /^Cannot use an outside signer with 2 bundles at once$/
  const refused: readonly (readonly [
    what: string,
    args: Partial<SignArgs>,
    targets: typeof ONE,
    message: RegExp,
  ])[] = [
    ['no key', {}, ONE, /^Cannot sign: --key is missing$/],
    ['a signature without a key', { importSignature: 's' }, ONE, /--key is missing$/],
    [
      'bytes that go out and a signature that comes in',
      { key: 'k', exportPayload: 'p', importSignature: 's' },
      ONE,
      /^Cannot use --export-payload with --import-signature$/,
    ],
    ['bytes of two bundles', { exportPayload: 'p' }, TWO, outside],
    ['one signature for two bundles', { key: 'k', importSignature: 's' }, TWO, outside],
  ]
  for (const [what, args, targets, message] of refused)
    test(`is unclear: ${what}`, () => {
      assert.throws(() => unclear(args, targets), { code: 'USAGE', message })
    })

  test('with an identity takes no key, no passphrase, and renews nothing', () => {
    refuseWithKeyless({ keyless: {} }, 'b')
    for (const field of ['key', 'passphrase', 'renew'])
      assert.throws(() => refuseWithKeyless({ keyless: {}, [field]: false }, 'b'), { code: 'USAGE', field })
  })
})

describe('an end', () => {
  test('is a time as it is written, or so long from now', () => {
    const end = (notAfter: string | undefined) => withEnd({ notAfter }, NOW).notAfter
    assert.equal(end(undefined), undefined)
    assert.equal(end('2027-11-20T00:00:00Z'), '2027-11-20T00:00:00Z')
    assert.equal(end('90d'), '2027-02-18T12:00:00Z')
    assert.throws(() => end('tomorrow'), { code: 'USAGE', field: 'not-after', message: /until "tomorrow"/ })
  })

  test('that is over is said, and one that is not is not', () => {
    mock.method(Date, 'now', () => NOW.getTime())
    try {
      const said = (notAfter: string | undefined) => {
        const { terminal, written } = fakeTerminal()
        warnOfEnd({ notAfter, json: false, quiet: false } as SignArgs, terminal as unknown as Io)
        return written.stderr
      }
      assert.match(said('2026-11-20T11:59:59Z'), /^2026-11-20T11:59:59Z is over already/)
      for (const end of [undefined, '2026-11-20T12:00:00Z', '2026-11-20T12:00:01Z'])
        assert.equal(said(end), '')
    } finally {
      mock.restoreAll()
    }
  })
})

test('a verdict that comes first is judged by the lock and the policy that are named, from where the command runs', async () => {
  const io = { cwd: '/work' } as Io
  const judged = (args: Partial<SignArgs>) => trustedOnly({ lock: [], ...args } as unknown as SignArgs, io)
  assert.equal(await judged({ ifTrusted: false, lock: ['rlp.lock'], trustPolicy: 'p.toml' }), undefined)
  const none = { locks: [], trustPolicy: undefined }
  assert.deepEqual(await judged({ ifTrusted: true }), none)
  assert.deepEqual(await judged({ ifTrusted: true, lock: ['rlp.lock'] }), {
    ...none,
    locks: ['/work/rlp.lock'],
  })
  assert.deepEqual(await judged({ ifTrusted: true, trustPolicy: 'p.toml' }), {
    ...none,
    trustPolicy: '/work/p.toml',
  })
})

test('of a folder what is wrapped is left out, unless it is named or nothing else is there', () => {
  const [bundle, wrapped, other] = ['/d/a.bundle', '/d/a.bundle.gz', '/d/b.bundle.gz'].map(path => ({
    path,
    label: path,
  }))
  assert.ok(bundle && wrapped && other)
  const never = () => false
  assert.deepEqual(withoutWrapped([bundle, wrapped], never), { targets: [bundle], left: [wrapped] })
  assert.deepEqual(withoutWrapped([bundle], never), { targets: [bundle], left: [] })
  assert.deepEqual(withoutWrapped([wrapped, other], never), { targets: [wrapped, other], left: [] })
  const named = withoutWrapped([bundle, wrapped, other], one => one === wrapped)
  assert.deepEqual(named, { targets: [bundle, wrapped], left: [other] })
})

describe('what is printed', () => {
  const place = () => {
    const cwd = folder('printed')
    for (const name of ['a', 'b']) writeFileSync(join(cwd, `${name}.agent.bundle`), bundleOf(ASKING))
    const pem = KEYS.release.private.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(join(cwd, 'key.pem'), pem, { mode: 0o600 })
    const sign = (...args: string[]) =>
      run(['agent', 'sign', 'a.agent.bundle', '--key', './key.pem', ...args], undefined, { cwd })
    return { cwd, sign }
  }

  test('names the bundle and the key, and nothing more of a bundle on disk', async () => {
    const { stdout } = await place().sign()
    assert.equal(stdout, `✓ a.agent.bundle signed by ${KEYS.release.anchor}\n`)
    assert.equal((await place().sign('--quiet')).stdout, 'a.agent.bundle\n')
  })

  test('has failures for a program only where there are some', async () => {
    const { cwd, sign } = place()
    assert.deepEqual(Object.keys(JSON.parse((await sign('--json')).stdout).result), ['bundles', 'changed'])
    writeFileSync(join(cwd, 'b.agent.bundle'), 'no bundle')
    const both = await sign('b.agent.bundle', '--json')
    assert.equal(both.exit, 1)
    const { bundles, failed } = JSON.parse(both.stdout).result
    assert.deepEqual([bundles.length, failed.length], [1, 1])
  })
})
