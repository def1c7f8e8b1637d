// Many bundles that are refused for one reason: a few one by one, the others in one group.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createStyle } from '../../src/cli/render/style.ts'
import { Untold } from '../../src/fleet/render-text.ts'
import type { ReasonCode } from '../../src/model/reason-codes.ts'

const refused = (
  target: string,
  message = 'No signature counts',
  code: ReasonCode = 'no_counted_signature',
) => ({
  verdict: 'untrusted' as const,
  target,
  agent: null,
  reasons: [{ code, message }],
})
const names = (count: number) => Array.from({ length: count }, (_, index) => `b${index}`)
const shown = (untold: Untold) => untold.render(createStyle(false), 80)

describe('what is refused for one reason', () => {
  test('is told one by one up to three, and then in one group', () => {
    const untold = new Untold()
    const taken = names(3).map(name => untold.takes(refused(name)))
    assert.deepEqual([taken, shown(untold)], [[false, false, false], ''])
    assert.equal(untold.takes(refused('b3')), true)
    assert.equal(shown(untold), '✗ untrusted 1 more bundle for one reason\n    No signature counts\n    b3\n')
  })

  test('is one group, however many there are, with the number of those that are not named', () => {
    const untold = new Untold()
    const alone = names(500).filter(name => !untold.takes(refused(name)))
    assert.deepEqual(alone, ['b0', 'b1', 'b2'])
    const lines = shown(untold).split('\n')
    assert.deepEqual(lines.slice(0, 3), [
      '✗ untrusted 497 more bundles for one reason',
      '    No signature counts',
      '    b3',
    ])
    assert.deepEqual(lines.slice(-2), ['    … and 397 more bundles; --format ndjson lists all of them', ''])
  })

  test('another verdict, code or message is another reason', () => {
    const untold = new Untold()
    for (const name of names(3)) untold.takes(refused(name))
    assert.equal(untold.takes(refused('x', 'Another')), false)
    assert.equal(untold.takes(refused('x', undefined, 'not_as_locked')), false)
    assert.equal(untold.takes({ ...refused('x'), verdict: 'revoked' }), false)
    assert.equal(untold.takes(refused('x')), true)
  })

  test('keeps a bounded number of reasons, and tells what is beyond at once', () => {
    const untold = new Untold()
    for (const name of names(5_000)) assert.equal(untold.takes(refused(name, name)), false)
    for (const beyond of ['b4999', 'b1000'])
      for (let again = 0; again < 5; again++) assert.equal(untold.takes(refused('x', beyond)), false)
    for (const kept of ['b0', 'b999']) {
      assert.equal(untold.takes(refused('x', kept)), false)
      assert.equal(untold.takes(refused('x', kept)), false)
      assert.equal(untold.takes(refused('x', kept)), true)
    }
  })

  test('shows a name of a stranger as text', () => {
    const untold = new Untold()
    for (const name of [...names(3), '\u001b[2J\u202e']) untold.takes(refused(name))
    assert.match(shown(untold), /\n {4}\\u\{1b\}\[2J\\u\{202e\}\n$/)
  })
})

test('no line of a reason is wider than the terminal, and most of it is used', () => {
  const untold = new Untold()
  for (const name of names(4)) untold.takes(refused(name, 'word '.repeat(60).trim()))
  const widest = Math.max(
    ...shown(untold)
      .split('\n')
      .map(line => line.length),
  )
  assert.ok(widest <= 80 && widest > 65, `${widest}`)
})

test('what is accepted without a line is counted', () => {
  const untold = new Untold()
  assert.equal(shown(untold), '')
  untold.accepted = 1_200
  assert.equal(shown(untold), '… and 1,200 more bundles accepted\n')
})
