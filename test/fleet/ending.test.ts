// What ends soon, of many bundles: few lines, however many bundles there are.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FleetEnding } from '../../src/fleet/tally.ts'
import { type FleetRecord, judgedOf, unjudged } from '../../src/fleet/task.ts'
import type { WarningCode } from '../../src/model/reason-codes.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE, world } from '../support/install-world.ts'

const folder = temporary('fleet-ending')

/** A bundle with these warnings. */
function judged(target: string, notAfter: string | null, ...codes: readonly [WarningCode, string][]) {
  const { line } = unjudged({ path: target, label: target }, { code: 'unreadable', message: '' })
  const warnings = codes.map(([code, message]) => ({ code, message, hint: '' }))
  return judgedOf({ ...(JSON.parse(line) as FleetRecord), notAfter, warnings })
}

const linesOf = (...all: ReturnType<typeof judged>[]) => {
  const ending = new FleetEnding()
  for (const one of all) ending.add(one)
  return ending.lines
}

const signed = (target: string, day: number) =>
  judged(target, `2026-11-${day}T00:00:00Z`, ['signature_ends_soon', `The signature ends on day ${day}`])
const POLICY = ['policy_ends_soon', 'The trust policy p ends soon'] as const
const ANCHOR = ['anchor_ends_soon', 'The signer release of p ends soon'] as const

describe('of what ends soon', () => {
  test('nothing is said where nothing does', () => {
    assert.deepEqual(linesOf(), [])
    assert.deepEqual(linesOf(judged('a', null), judged('b', '2030-01-01T00:00:00Z')), [])
  })

  test('one signature is told as that of one bundle is', () => {
    assert.deepEqual(linesOf(judged('a', null), signed('b', 20)), ['b: The signature ends on day 20'])
  })

  test('more of them are counted, and the one that ends first is named', () => {
    assert.deepEqual(linesOf(signed('a', 22), signed('b', 20), signed('c', 21)), [
      '3 signatures end within 14 days; the first one, of b, at 2026-11-20T00:00:00Z',
    ])
    // Of two that end at once, the first that was judged.
    assert.deepEqual(linesOf(signed('a', 20), signed('b', 20)), [
      '2 signatures end within 14 days; the first one, of a, at 2026-11-20T00:00:00Z',
    ])
  })

  test('a policy and a signer of one are told once, however many bundles they count for, and are no signature', () => {
    const both = [judged('a', null, [...POLICY], [...ANCHOR]), judged('b', null, [...ANCHOR], [...POLICY])]
    assert.deepEqual(linesOf(...both), [POLICY[1], ANCHOR[1]])
    const one = judged('c', '2026-11-20T00:00:00Z', [...ANCHOR], ['signature_ends_soon', 'It ends'])
    assert.deepEqual(linesOf(...both, one), [POLICY[1], ANCHOR[1], 'c: It ends'])
    assert.deepEqual(linesOf(...both, one, signed('d', 19)), [
      POLICY[1],
      ANCHOR[1],
      '2 signatures end within 14 days; the first one, of d, at 2026-11-19T00:00:00Z',
    ])
  })
})

test('verify of many bundles says of a signer that ends soon when, and once', async () => {
  const here = world(folder('anchor'))
  const soon = new Date(Date.now() + 5.5 * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
  const ends = `{ key = "${RELEASE.anchor}", until = "${soon}" }`
  const policy = join(here.home, 'trust-policy.toml')
  writeFileSync(policy, policyText().replace(`"${RELEASE.anchor}"`, ends), { mode: 0o600 })
  for (const name of ['alpha', 'beta']) here.put(`${name}-1.0.0.agent.bundle`, made({ name }, RELEASE))
  const warning = `The signer release of ${policy} ends at ${soon}, in 5 days`
  const names = ['alpha-1.0.0.agent.bundle', 'beta-1.0.0.agent.bundle']
  for (const more of [[], ['--format', 'ndjson']]) {
    const { exit, stderr } = await here.say('agent', 'verify', ...names, ...more)
    assert.deepEqual([exit, stderr], [0, `warning: ${warning}\n2 bundles: 2 trusted\n`])
  }
  const { envelope } = await here.rlp('agent', 'verify', ...names)
  assert.deepEqual(envelope['warnings'], [warning])
})
