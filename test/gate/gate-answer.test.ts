// A report → the answer of the gate: only one verdict allows, and digests name nothing whose form is unsound.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerOf, noVerdict } from '../../src/gate/question-answer.ts'
import type { Report } from '../../src/model/report.ts'
import { VERDICTS, type Verdict } from '../../src/model/verdict.ts'

const SHA = 'a'.repeat(64)
const SOUND = [
  { step: 'archive', result: 'passed' },
  { step: 'manifest', result: 'passed' },
]
const AGENT = { name: 'mini', version: '1.0.0', kind: 'tool' }
const report = (more: object = {}) =>
  ({
    verdict: 'trusted',
    reasons: [],
    identity: `blake3:${SHA}`,
    agent: AGENT,
    form: 'archive',
    checks: SOUND,
    ...more,
  }) as unknown as Report

test('trusted allows, and no other verdict does', () => {
  for (const verdict of Object.keys(VERDICTS) as Verdict[]) {
    const answer = answerOf(7, report({ verdict }), SHA)
    assert.deepEqual([answer.id, answer.allow, answer.verdict], [7, verdict === 'trusted', verdict])
  }
  assert.equal(noVerdict(7, 'unreadable', 'm').allow, false)
})

describe('what an answer names', () => {
  test('is the bytes, the bundle and its agent', () => {
    assert.deepEqual(answerOf(null, report(), SHA), {
      id: null,
      allow: true,
      verdict: 'trusted',
      reasons: [],
      sha256: SHA,
      identity: `blake3:${SHA}`,
      agent: { name: 'mini', version: '1.0.0' },
    })
    const variant = answerOf(null, report({ agent: { ...AGENT, variant: 'pro' } }), SHA)
    assert.deepEqual(variant.agent, { name: 'mini', version: '1.0.0', variant: 'pro' })
    assert.equal(answerOf(null, report({ verdict: 'invalid', agent: null }), SHA).agent, null)
  })

  test('is nothing where the archive is unsound, and no bundle where the manifest is', () => {
    const of = (...checks: readonly object[]) => {
      const { sha256, identity } = answerOf(null, report({ verdict: 'invalid', checks }), SHA)
      return [sha256, identity]
    }
    const [archive, manifest] = SOUND as [object, object]
    const failed = (one: object) => ({ ...one, result: 'failed' })
    assert.deepEqual(of(archive, manifest), [SHA, `blake3:${SHA}`])
    assert.deepEqual(of(archive, failed(manifest)), [SHA, null])
    assert.deepEqual(of(failed(archive), manifest), [null, null])
    assert.deepEqual(of(manifest), [null, null])
    assert.deepEqual(of(), [null, null])
  })
})

test('what has no bytes is not allowed, and why is said: an unpacked bundle can change', () => {
  const { allow, verdict, reasons, sha256 } = answerOf(null, report({ form: 'directory' }), undefined)
  assert.deepEqual([allow, verdict, reasons[0]?.code, sha256], [false, 'indeterminate', 'no_bytes', null])
  assert.match(reasons[0]?.message ?? '', /unpacked bundle/)
  const other = answerOf(null, report(), undefined)
  assert.deepEqual([other.allow, other.reasons[0]?.code], [false, 'no_bytes'])
  assert.doesNotMatch(other.reasons[0]?.message ?? '', /unpacked/)
  // A refusal stays what it is.
  assert.equal(answerOf(null, report({ verdict: 'revoked' }), undefined).verdict, 'revoked')
})

test('of more than 20 reasons the first ones are told, and how many are left out', () => {
  const reasons = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ code: 'c', message: `${at}` }))
  const told = (count: number) =>
    answerOf(null, report({ verdict: 'invalid', reasons: reasons(count) }), SHA).reasons
  assert.deepEqual([told(20).length, told(20).at(-1)?.message], [20, '19'])
  assert.deepEqual([told(21).length, told(21).at(-1)?.message], [21, '… and 1 more'])
})
