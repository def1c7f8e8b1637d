// The options of rlp agent sign in combination: which of them refuse each other, and when a signature ends.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { withoutWrapped } from '../../src/sign/refuse-unsignable.ts'
import { bundleOf } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { ASKING, KEYS } from '../support/trust-world.ts'

const folder = temporary('sign-options')

/** A folder with bundles and a key. */
function place() {
  const cwd = folder('printed')
  for (const name of ['a', 'b']) writeFileSync(join(cwd, `${name}.agent.bundle`), bundleOf(ASKING))
  const pem = KEYS.release.private.export({ type: 'pkcs8', format: 'pem' })
  writeFileSync(join(cwd, 'key.pem'), pem, { mode: 0o600 })
  const sign = (...args: string[]) =>
    run(['agent', 'sign', 'a.agent.bundle', '--key', './key.pem', ...args], undefined, { cwd })
  return { cwd, sign }
}

describe('a signer', () => {
  const { cwd, sign } = place()
  const SECOND = 'b.agent.bundle'

  for (const [what, args, message] of [
    [
      'bytes that go out and a signature that comes in',
      ['--export-payload', 'p', '--import-signature', 's'],
      /^rlp: Cannot use --export-payload with --import-signature\n/,
    ],
    ['bytes of two bundles', ['--export-payload', 'p', SECOND], /an outside signer with 2 bundles at once\n/],
    [
      'one signature for two bundles',
      ['--import-signature', 's', SECOND],
      /an outside signer with 2 bundles/,
    ],
    [
      'an end that is no time',
      ['--not-after', 'tomorrow'],
      /^rlp: Cannot sign until "tomorrow": it is neither/,
    ],
    ['two ends', ['--not-after', '90d', '--renew', '90d'], /^rlp: Cannot use --not-after with --renew: each/],
  ] as const)
    test(`is unclear: ${what}`, async () => {
      const { exit, stderr } = await sign(...args)
      assert.deepEqual([exit, message.test(stderr)], [2, true], stderr)
    })

  test('is a key, a signature from outside with its key, or a program that gets the bytes', async () => {
    for (const more of [[], ['--import-signature', 'key.pem']]) {
      const { exit, stderr } = await run(['agent', 'sign', SECOND, ...more], undefined, { cwd })
      assert.deepEqual([exit, /^rlp: Cannot sign: --key is missing\n/.test(stderr)], [2, true], stderr)
    }
    assert.equal((await sign('--export-payload', 'p')).exit, 0)
  })

  test('with an identity takes no key, no passphrase, and renews nothing', async () => {
    const others = { key: 'k', passphrase: () => '', renew: '2027-11-20T00:00:00Z' }
    for (const [field, value] of Object.entries(others)) {
      const given = { cwd, keyless: {}, [field]: value } as unknown as Parameters<typeof rlp.sign>[1]
      await assert.rejects(rlp.sign(SECOND, given), { code: 'USAGE', field })
    }
  })
})

test('an end that is over is said, and one that is not is not', async () => {
  assert.match(
    (await place().sign('--not-after', '2026-11-20T11:59:59Z')).stderr,
    /^2026-11-20T11:59:59Z is over/,
  )
  for (const end of [[], ['--not-after', '90d'], ['--not-after', '2999-01-01T00:00:00Z']])
    assert.equal((await place().sign(...end)).stderr, '')
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
