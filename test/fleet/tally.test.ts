// How many bundles there were of which verdict, and the exit code of them all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recorder } from '../../src/fleet/judge-all.ts'
import { FleetTally } from '../../src/fleet/tally.ts'
import { unjudged } from '../../src/fleet/task.ts'
import type { Audit } from '../../src/io/audit.ts'
import type { AuditDecision } from '../../src/model/audit.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Verdict } from '../../src/model/verdict.ts'

type One = readonly [verdict: Verdict, exit: number, reused?: boolean]

function tallied(...all: readonly One[]): FleetTally {
  const tally = new FleetTally()
  for (const [verdict, exit, reused] of all)
    tally.add({ verdict, exit, ...(reused !== undefined && { reused }) })
  return tally
}

test('bundles are counted by verdict, from the best one, and those that are accepted and reused once more', () => {
  const tally = tallied(
    ['untrusted', 1],
    ['trusted', 0],
    ['unsigned', 0, true],
    ['trusted', 0, true],
    ['unsigned', 1],
  )
  assert.deepEqual([tally.bundles, tally.accepted, tally.reused], [5, 3, 2])
  assert.deepEqual(Object.entries(tally.counts), [
    ['trusted', 2],
    ['untrusted', 1],
    ['unsigned', 2],
  ])
  assert.deepEqual([tally.count('unsigned'), tally.count('expired')], [2, 0])
})

test('the worst verdict that is not accepted decides the exit code', () => {
  assert.equal(tallied().exit, 0)
  assert.equal(tallied(['trusted', 0], ['unsigned', 0]).exit, 0)
  assert.equal(tallied(['policy_denied', 4], ['trusted', 0]).exit, 4)
  assert.equal(tallied(['policy_denied', 4], ['untrusted', 1]).exit, 1)
  assert.equal(tallied(['untrusted', 1], ['indeterminate', 3]).exit, 3)
  assert.equal(tallied(['indeterminate', 3], ['invalid', 1]).exit, 1)
})

test('a decision that is not recorded is 3 whatever it was, and a defect of the program 70', () => {
  const tally = tallied(['untrusted', 1], ['trusted', 0])
  tally.isUnrecorded = true
  assert.equal(tally.exit, 3)
  tally.add({ verdict: 'indeterminate', exit: 70 })
  assert.equal(tally.exit, 70)
  tally.add({ verdict: 'invalid', exit: 1 })
  assert.equal(tally.exit, 70)
})

test('what the audit log does not take is not accepted, and not used again; the first reason is kept', () => {
  const taken: AuditDecision[] = []
  let failure: Error | undefined
  const record = (decision: AuditDecision) => {
    if (failure !== undefined) throw failure
    taken.push(decision)
  }
  const recorder = new Recorder({ record } as unknown as Audit)
  const task = { path: '/a', label: 'a' }
  const { line, ...rest } = unjudged(task, { code: 'unreadable', message: '' })
  const good = {
    ...rest,
    exit: 0,
    line: JSON.stringify({ ...JSON.parse(line), accepted: true, exit: 0, basis: 'b' }),
  }
  assert.equal(recorder.recorded(good), good)
  assert.deepEqual([taken[0]?.command, taken[0]?.target, recorder.lost], ['agent.verify', 'a', undefined])

  const full = new RlpError('UNRECORDED', 'Cannot record the decision: the disk is full')
  failure = full
  const lost = recorder.recorded(good)
  const { accepted, exit, basis } = JSON.parse(lost.line)
  assert.deepEqual([lost.exit, accepted, exit, basis], [3, false, 3, null])
  failure = new RlpError('UNRECORDED', 'Cannot record the decision: it is gone')
  assert.equal(recorder.isRecorded(good.decided), false)
  assert.equal(recorder.lost, full)
  // A defect stays one.
  assert.equal(recorder.recorded({ ...good, exit: 70 }).exit, 70)
  failure = new TypeError('a defect')
  assert.throws(() => recorder.recorded(good), { message: 'a defect' })
})
