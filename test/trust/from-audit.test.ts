// rlp trust revoke SIGNER --from-audit: what a signer had brought in is found in the log of those who let it in, and revoked by its digest.
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { InspectResult } from '../../src/inspect/inspected-bundle.ts'
import { temporary } from '../support/folder.ts'
import {
  made,
  OTHER,
  policyText,
  RELEASE,
  REVIEW,
  STRANGER,
  type World,
  world,
} from '../support/install-world.ts'

const folder = temporary('from-audit')

describe('trust revoke --from-audit', () => {
  let here: World
  const policy = () => readFileSync(join(here.home, 'trust-policy.toml'), 'utf8')
  before(async () => {
    here = world(folder('here'))
    here.policy()
    here.put('mini-1.0.0.agent.bundle', made({ version: '1.0.0' }, OTHER))
    here.put('mini-1.1.0.agent.bundle', made({ version: '1.1.0' }, OTHER, RELEASE))
    here.put('mini-1.2.0.agent.bundle', made({ version: '1.2.0' }, RELEASE))
    // Its signature is valid, and it was refused.
    here.put('mini-1.3.0.agent.bundle', made({ version: '1.3.0' }, STRANGER))
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.1.0'])
      await here.rlp('agent', 'verify', `mini-${version}.agent.bundle`, '--audit', 'audit.log')
    appendFileSync(
      join(here.cwd, 'audit.log'),
      '{"program":"rlp","acc\n{"program":"other","accepted":true}\n[]\n',
    )
  })

  const revoke = (...words: string[]) =>
    here.rlp('trust', 'revoke', 'other', '--from-audit', 'audit.log', ...words)
  const identity = async (version: string) => {
    const { envelope } = await here.rlp('agent', 'inspect', `mini-${version}.agent.bundle`)
    return `${(envelope.result as unknown as InspectResult).report.identity}`
  }
  const verdict = async (version: string) => {
    const { envelope } = await here.rlp('agent', 'verify', `mini-${version}.agent.bundle`)
    return envelope.result?.bundles?.[0]?.verdict
  }

  test('finds what was accepted with the signature, each bundle once, and nothing else', async () => {
    const before = policy()
    const { exit, envelope } = await revoke('--dry-run')
    assert.equal(exit, 0)
    assert.deepEqual(envelope.result?.['says'], [
      `mini 1.0.0, ${await identity('1.0.0')}`,
      `mini 1.1.0, ${await identity('1.1.0')}`,
    ])
    assert.equal(policy(), before)
    const { stderr } = await here.say(
      'trust',
      'revoke',
      OTHER.anchor,
      '--from-audit',
      'audit.log',
      '--dry-run',
    )
    assert.match(stderr, /3 lines of audit\.log could not be read/)
  })

  test('revokes it, also where others have signed it, and leaves the signer and later bundles', async () => {
    const { exit } = await revoke('--reason', 'its pipeline was taken over')
    assert.equal(exit, 0)
    assert.deepEqual(
      [await verdict('1.0.0'), await verdict('1.1.0'), await verdict('1.2.0')],
      ['revoked', 'revoked', 'trusted'],
    )
    assert.doesNotMatch(policy().split('[revoked]')[1] ?? '', /ed25519/)
    here.put('mini-2.0.0.agent.bundle', made({ version: '2.0.0' }, OTHER))
    assert.equal(await verdict('2.0.0'), 'trusted')
    // Again: nothing is left to revoke.
    const again = await revoke('--reason', 'its pipeline was taken over')
    assert.equal(again.envelope.result?.['changed'], false)
  })

  test('says where nothing is found, and what is no signer', async () => {
    writeFileSync(join(here.cwd, 'empty.log'), '')
    for (const [words, exit, code] of [
      [['review', '--from-audit', 'audit.log'], 2, 'NOT_FOUND'],
      [['stranger', '--from-audit', 'audit.log'], 2, 'NOT_FOUND'],
      [[STRANGER.anchor, '--from-audit', 'audit.log'], 2, 'NOT_FOUND'],
      [['other', '--from-audit', 'empty.log'], 2, 'NOT_FOUND'],
      [['other', '--from-audit', 'none.log'], 2, 'NOT_FOUND'],
      [['mini-1.0.0.agent.bundle', '--from-audit', 'audit.log'], 2, 'USAGE'],
      [['other', '--from-audit', 'audit.log', '--since', '2026-11-01'], 2, 'USAGE'],
      [['other', '--from-audit', 'audit.log', '--replaced-by', REVIEW.anchor], 2, 'USAGE'],
    ] as const) {
      const ran = await here.rlp('trust', 'revoke', ...words)
      assert.deepEqual([ran.exit, ran.envelope.code], [exit, code], words.join(' '))
    }
  })

  test('a policy may be another one than that of this user', async () => {
    writeFileSync(join(here.cwd, 'house.toml'), policyText(), { mode: 0o600 })
    const { exit } = await revoke('--trust-policy', 'house.toml')
    assert.equal(exit, 0)
    assert.equal((readFileSync(join(here.cwd, 'house.toml'), 'utf8').match(/^"blake3:/gm) ?? []).length, 2)
  })
})
