// What the audit log keeps of an install: whether it was accepted, each reason against it, and the lock that was the consent.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditDecision } from '../../src/model/audit.ts'
import { temporary } from '../support/folder.ts'
import { good, made, OTHER, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('install-decided')
const NET = 'net = ["a.example:443"]\n'

/** Installs, and gives the line that the log has of it. */
async function recorded(here: World, ...words: string[]) {
  const { exit } = await here.install(...words, '--audit', 'audit.log')
  const lines = readFileSync(join(here.cwd, 'audit.log'), 'utf8').trim().split('\n')
  const { command, accepted, verdict, codes, root, consent } = JSON.parse(lines.at(-1) ?? '') as AuditDecision
  assert.deepEqual([command, root], ['agent.install', here.root])
  return { exit, accepted, verdict, codes, ...(consent && { consent }) }
}

test('what is put in place, or is there already, is accepted, and no lock was the consent', async () => {
  const here = world(folder('accepted'))
  const name = here.put('b', made({}, RELEASE))
  for (const words of [['--yes'], []])
    assert.deepEqual(await recorded(here, name, ...words), {
      exit: 0,
      accepted: true,
      verdict: 'trusted',
      codes: [],
    })
})

test('a person who has not agreed is a reason, where the bundle is trusted', async () => {
  const here = world(folder('not-begun'))
  assert.deepEqual(await recorded(here, here.put('b', made({}, RELEASE))), {
    exit: 2,
    accepted: false,
    verdict: 'trusted',
    codes: ['not_confirmed'],
  })
})

test('a verdict against it has its own codes, each once, and no others', async () => {
  const here = world(folder('not-verified'))
  assert.deepEqual(await recorded(here, here.put('b', made({}, STRANGER)), '--yes'), {
    exit: 1,
    accepted: false,
    verdict: 'untrusted',
    codes: ['no_counted_signature'],
  })
})

test('a trusted bundle that may not replace what is there has each reason', async () => {
  const here = world(folder('refused'))
  assert.equal((await here.install(here.put('a', made({}, RELEASE)), '--yes')).exit, 0)
  const name = here.put('b', made({ version: '1.1.0', caps: NET }, OTHER))
  assert.deepEqual(await recorded(here, name, '--yes'), {
    exit: 1,
    accepted: false,
    verdict: 'trusted',
    codes: ['signer_changed', 'widened'],
  })
})

test('a lock is the consent only to what is installed by it, and says what is more', async () => {
  const here = world(folder('locked'))
  const old = here.put('mini-1.0.0.agent.bundle', made({}, RELEASE))
  const now = here.put('mini-1.1.0.agent.bundle', made({ version: '1.1.0', caps: NET }, RELEASE))
  await good(here, 'lock', 'add', old)
  const consents = async (...words: string[]) => {
    const { accepted, consent } = await recorded(here, ...words)
    assert.equal(consent === undefined || consent.digest?.length === 64, true)
    return [accepted, consent?.widened]
  }
  assert.deepEqual(await consents(old, '--lock', 'rlp.lock'), [true, []])
  // It is there: nothing was consented to.
  assert.deepEqual(await consents(old, '--lock', 'rlp.lock'), [true, undefined])
  assert.deepEqual(await consents(now, '--lock', 'rlp.lock'), [false, undefined])
  await good(here, 'lock', 'update', now, '--allow-caps-change')
  // One that is only found lets nothing in that is more.
  assert.deepEqual(await consents(now, '--locked', '--yes'), [false, undefined])
  assert.deepEqual(await consents(now, '--locked', '--allow-caps-change'), [true, undefined])
  await good(here, 'agent', 'install', old, '--allow-downgrade', '--expect', 'mini')
  assert.deepEqual(await consents(now, '--lock', 'rlp.lock'), [true, ['may reach a.example:443']])
})
