// What a gate says of itself to Prometheus: rules and dashboards name these metrics, labels and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noVerdict } from '../../../src/gate/question-answer.ts'
import { GateMetrics } from '../../../src/gate/service/run-service.ts'
import { VERDICTS, type Verdict } from '../../../src/model/verdict.ts'

const answer = (verdict: Verdict) => ({
  ...noVerdict(null, 'unreadable', 'as asked'),
  verdict,
  allow: verdict === 'trusted',
})

/** Metrics with their labels, and their values. */
function valuesOf(metrics: GateMetrics, underWay = 0): Record<string, string> {
  const lines = metrics.text(underWay).trimEnd().split('\n')
  return Object.fromEntries(
    lines.filter(line => !line.startsWith('#')).map(line => line.split(' ') as [string, string]),
  )
}

const bucket = (most: number | string) => `rlp_gate_answer_seconds_bucket{le="${most}"}`

test('before the first answer each verdict is there with 0, and the times have their limits', () => {
  const values = valuesOf(new GateMetrics())
  const limits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, '+Inf']
  assert.deepEqual(Object.keys(values), [
    ...Object.keys(VERDICTS).map(verdict => `rlp_gate_answers_total{verdict="${verdict}"}`),
    'rlp_gate_allowed_total',
    'rlp_gate_under_way',
    ...limits.map(bucket),
    'rlp_gate_answer_seconds_sum',
    'rlp_gate_answer_seconds_count',
  ])
  assert.deepEqual(new Set(Object.values(values)), new Set(['0', '0.000000']))
})

test('answers are counted by verdict, those that allow once more, and requests that are refused by status', () => {
  const metrics = new GateMetrics()
  for (const verdict of ['trusted', 'revoked', 'trusted', 'untrusted'] as const)
    metrics.answered(answer(verdict), 0.1)
  for (const status of [400, 403, 400]) metrics.refused(status)
  const values = valuesOf(metrics, 3)
  const of = (...names: string[]) => names.map(name => values[`rlp_gate_${name}`])
  assert.deepEqual(
    of(
      ...['answers_total{verdict="trusted"}', 'answers_total{verdict="revoked"}'],
      ...['answers_total{verdict="untrusted"}', 'answers_total{verdict="expired"}', 'allowed_total'],
      ...['refused_total{status="400"}', 'refused_total{status="403"}', 'under_way', 'answer_seconds_count'],
    ),
    ['2', '1', '1', '0', '2', '2', '1', '3', '4'],
  )
})

test('a time is in its limit, and in each larger one', () => {
  const metrics = new GateMetrics()
  for (const seconds of [0.001, 0.05, 0.2, 60, 61]) metrics.answered(answer('trusted'), seconds)
  const values = valuesOf(metrics)
  assert.deepEqual(
    [0.001, 0.0025, 0.025, 0.05, 0.1, 0.25, 10, 60, '+Inf'].map(most => values[bucket(most)]),
    ['1', '1', '1', '2', '2', '3', '3', '4', '5'],
  )
  assert.equal(values['rlp_gate_answer_seconds_sum'], '121.251000')
})
