// How lock check is reported to pipelines: rows as they are, whatever was found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStyle } from '../../src/cli/render/style.ts'
import { type CheckedAgent, lockChecked } from '../../src/lock/check.ts'
import { LOCK_FORMATS } from '../../src/lock/formats/index.ts'
import type { ExitCode } from '../../src/model/exit-code.ts'

const ROW: CheckedAgent = {
  agent: 'mini',
  source: './mini',
  is: 'changed',
  details: ['It is another'],
  line: 3,
  version: '1.1.0',
  locked: { version: '1.0.0', identity: 'blake3:0' },
  identity: 'blake3:1',
  verdict: 'untrusted',
}
const SAME: CheckedAgent = {
  ...ROW,
  agent: 'same',
  is: 'same',
  details: [],
  version: '1.0.0',
  verdict: 'trusted',
}
const GONE: CheckedAgent = {
  ...ROW,
  agent: 'gone',
  is: 'cannot tell',
  version: null,
  identity: null,
  verdict: 'indeterminate',
}

function rendered(name: string, rows: readonly CheckedAgent[], exit: ExitCode = 1, quiet = false): string {
  const format = LOCK_FORMATS.find(one => one.name === name) ?? assert.fail(name)
  const view = { cwd: '/work', env: {}, style: createStyle(false), quiet }
  const checked = lockChecked('rlp.lock', rows)
  return format.render({ checked, path: '/work/rlp.lock', exit }, view)
}

test('text: a line for each; with --quiet for those that are not the same', () => {
  assert.equal(
    rendered('text', [ROW, SAME, GONE]),
    '✗ mini 1.0.0 → 1.1.0: changed\n    It is another\n✓ same 1.0.0: same\n? gone 1.0.0: cannot tell\n    It is another\n',
  )
  assert.equal(rendered('text', [SAME], 0, true), '')
  assert.match(rendered('text', [ROW, SAME], 1, true), /^✗ mini[^✓]*$/)
  assert.equal(rendered('text', [{ ...ROW, version: '1.0.0', details: [] }]), '✗ mini 1.0.0: changed\n')
  assert.equal(
    rendered('text', [{ ...SAME, verdict: 'expired' }]),
    '✓ same 1.0.0: same (expired today; rlp agent verify says why)\n',
  )
})

test('markdown: the version that it was, and another one if there is one', () => {
  const lines = rendered('markdown', [ROW, SAME, GONE, { ...ROW, agent: 'other', version: '1.0.0' }]).split(
    '\n',
  )
  assert.deepEqual(
    lines.filter(line => /^(?:#|-|\d)/.test(line)),
    [
      '## `rlp.lock`: 3 of 4 are not the same',
      '- `mini` `1.0.0` → `1.1.0`: **changed** (untrusted today)',
      '- `gone` `1.0.0`: **cannot tell** (indeterminate today)',
      '- `other` `1.0.0`: **changed** (untrusted today)',
      '1 agent as locked.',
    ],
  )
  assert.equal(rendered('markdown', [SAME], 0), '## `rlp.lock`: all are the same\n\n1 agent as locked.\n')
  const details = (count: number) => rendered('markdown', [{ ...ROW, details: Array(count).fill('x') }])
  assert.equal(details(50).match(/^ {2}- /gm)?.length, 50)
  assert.match(details(51), /\n {2}- and 1 more\n/)
})

test('sarif: a result for each that is not the same, of its own rule', () => {
  const [run] = JSON.parse(rendered('sarif', [ROW, SAME, GONE])).runs
  assert.deepEqual(
    run.results.map(({ ruleId, ruleIndex }: { ruleId: string; ruleIndex: number }) => [
      ruleId,
      run.tool.driver.rules[ruleIndex].id,
    ]),
    [
      ['lock/changed', 'lock/changed'],
      ['lock/cannot-tell', 'lock/cannot-tell'],
    ],
  )
  assert.equal(run.invocations[0].exitCode, 1)
})

test('json: passed only if all are the same, and each answer is counted', () => {
  const resultOf = (rows: readonly CheckedAgent[]) => JSON.parse(rendered('json', rows)).result
  const { passed, summary } = resultOf([ROW, SAME, GONE, SAME])
  assert.deepEqual(
    [passed, summary.agents, summary.same, summary.changed, summary.cannotTell],
    [false, 4, 2, 1, 1],
  )
  assert.deepEqual([resultOf([SAME]).passed, resultOf([GONE]).passed], [true, false])
})
