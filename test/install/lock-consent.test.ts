// Whether a lock is the consent to what it pins: one that was named, or that the operator names. One that is only found is not.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isConsent } from '../../src/lock/ask-install.ts'
import { temporary } from '../support/folder.ts'

const folder = temporary('lock-consent')

/** A home whose config names these locks, and the lock in question. */
function operator(...locks: readonly string[]): string {
  const cwd = folder('world')
  const home = join(cwd, 'home')
  mkdirSync(home, { mode: 0o755 })
  process.env['RUNLOOP_HOME'] = home
  const named = locks.map(name => JSON.stringify(join(cwd, name)))
  writeFileSync(join(home, 'config.toml'), `[locks]\nconsent = [${named.join()}]\n`, { mode: 0o600 })
  writeFileSync(join(cwd, 'rlp.lock'), '')
  return cwd
}

test('a lock that was named is the consent, and without a lock there is no consent', async () => {
  const cwd = operator()
  assert.equal(await isConsent(join(cwd, 'rlp.lock'), true), true)
  assert.equal(await isConsent(undefined, false), false)
})

test('a lock that is found is the consent only if the operator names this one', async () => {
  for (const [named, expected] of [
    [[], false],
    [['other.lock'], false],
    [['other.lock', 'rlp.lock'], true],
    [['rlp.lock', 'other.lock'], true],
  ] as const)
    assert.equal(await isConsent(join(operator(...named), 'rlp.lock'), false), expected, named.join())
})

test('a link is the lock that it leads to', async () => {
  const cwd = operator('link.lock')
  symlinkSync('rlp.lock', join(cwd, 'link.lock'))
  assert.equal(await isConsent(join(cwd, 'rlp.lock'), false), true)
  symlinkSync('other.lock', join(cwd, 'away.lock'))
  assert.equal(await isConsent(join(cwd, 'away.lock'), false), false)
})
