// One of many bundles for people: its line, or its block where a line has no room, and the reasons of what is not accepted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createStyle } from '../../src/cli/render/style.ts'
import { type OneOfMany, reasonTexts, renderOneOfMany, summaryOf } from '../../src/fleet/render-whole.ts'
import { FleetTally } from '../../src/fleet/tally.ts'
import type { Report } from '../../src/model/report.ts'

const AGENT = { name: 'mini', version: '1.0.0', kind: 'tool' } as const
const GOOD: OneOfMany = { verdict: 'trusted', target: 'a.bundle', agent: AGENT, reasons: [] }
const reasons = (count: number): OneOfMany['reasons'] =>
  Array.from({ length: count }, (_, index) => ({
    code: 'no_counted_signature',
    message: `reason ${index + 1}`,
  }))

function shown(
  more: Partial<OneOfMany>,
  isAccepted: boolean,
  how: { room?: number; hinted?: Set<Report['verdict']>; isColored?: boolean; columns?: number } = {},
) {
  const { room = Number.POSITIVE_INFINITY, hinted = new Set(), isColored = false, columns = 80 } = how
  const style = createStyle(isColored)
  return renderOneOfMany({ ...GOOD, ...more }, isAccepted, { style, columns, room, hinted })
}

describe('one bundle', () => {
  test('is one line: the verdict, its place, and who it is', () => {
    assert.equal(shown({}, true), '✓ trusted       a.bundle  mini 1.0.0\n')
    assert.equal(
      shown({ agent: { ...AGENT, variant: 'pro' } }, true),
      '✓ trusted       a.bundle  mini@pro 1.0.0\n',
    )
    assert.equal(shown({ agent: null, verdict: 'unsigned' }, true), '✓ unsigned      a.bundle\n')
    assert.equal(shown({ target: 'a\u001b[2Jb' }, true), '✓ trusted       a\\u{1b}[2Jb  mini 1.0.0\n')
  })

  test('is a block where the line is wider than the terminal, to the column', () => {
    const line = '✓ trusted       a.bundle  mini 1.0.0'
    assert.equal(shown({}, true, { room: line.length }), `${line}\n`)
    assert.equal(shown({}, true, { room: line.length - 1 }), '✓ trusted\n  a.bundle\n  mini 1.0.0\n')
    assert.equal(shown({ agent: null }, true, { room: 5 }), '✓ trusted\n  a.bundle\n')
  })

  test('that is accepted has no reasons, and is green only if it is trusted', () => {
    assert.doesNotMatch(shown({ verdict: 'unsigned', reasons: reasons(1) }, true), /reason/)
    const colourOf = (verdict: Report['verdict'], isAccepted: boolean) =>
      new RegExp(`\u001b\\[(\\d+)m${verdict}`).exec(shown({ verdict }, isAccepted, { isColored: true }))?.[1]
    const [green, yellow, red] = ['32', '33', '31']
    assert.deepEqual(
      [colourOf('trusted', true), colourOf('unsigned', true), colourOf('unsigned', false)],
      [green, yellow, red],
    )
  })

  test('that is not accepted has lines that end ten columns before the terminal does', () => {
    const told = (letters: number) => {
      const message = `${'x'.repeat(34)} ${'y'.repeat(letters)}`
      return shown({ verdict: 'untrusted', reasons: [{ code: 'no_counted_signature', message }] }, false)
        .split('\n')
        .filter(line => /[xy]{9}/.test(line))
    }
    assert.deepEqual(told(35), [`    ${'x'.repeat(34)} ${'y'.repeat(35)}`])
    assert.deepEqual(told(36), [`    ${'x'.repeat(34)}`, `    ${'y'.repeat(36)}`])
  })

  test('that is not accepted has lines of thirty columns at least, however narrow the terminal is', () => {
    const told = (letters: number) => {
      const message = `${'x'.repeat(14)} ${'y'.repeat(letters)}`
      const report = { verdict: 'untrusted', reasons: [{ code: 'no_counted_signature', message }] } as const
      return shown(report, false, { columns: 20 })
        .split('\n')
        .filter(line => /[xy]{9}/.test(line))
    }
    assert.deepEqual(told(15), [`    ${'x'.repeat(14)} ${'y'.repeat(15)}`])
    assert.deepEqual(told(16), [`    ${'x'.repeat(14)}`, `    ${'y'.repeat(16)}`])
  })

  test('that is not accepted has up to three reasons, and says how many more there are', () => {
    const told = (count: number) =>
      shown({ verdict: 'untrusted', reasons: reasons(count) }, false)
        .split('\n')
        .filter(line => /^ {4}(?:reason|…)/.test(line))
        .map(line => line.trim())
    assert.deepEqual(told(3), ['reason 1', 'reason 2', 'reason 3'])
    assert.deepEqual(told(4), ['reason 1', 'reason 2', 'reason 3', '… and 1 more'])
    assert.deepEqual(reasonTexts(reasons(9)).at(-1), '… and 6 more')
    assert.match(shown({ verdict: 'untrusted', reasons: reasons(1) }, false), /^✗ untrusted {5}a\.bundle/)
  })

  test('has no line of reasons and hints that is wider than the terminal, and uses most of it', () => {
    const message = 'word '.repeat(60).trim()
    const told = { code: 'no_counted_signature', message, hint: message } as const
    const lines = shown({ verdict: 'untrusted', reasons: [told] }, false)
      .trimEnd()
      .split('\n')
      .slice(1)
    const widest = Math.max(...lines.map(line => line.length))
    assert.ok(widest <= 80 && widest > 65, `${widest}`)
  })

  test('has the hint of a rule that lacks something once, and any other each time', () => {
    const hinted = new Set<Report['verdict']>()
    const hints = (verdict: Report['verdict']) =>
      /hint: /.test(
        shown({ verdict, reasons: [{ code: 'ceiling', message: 'm', hint: 'Do this' }] as never }, false, {
          hinted,
        }),
      )
    assert.deepEqual([hints('policy_denied'), hints('policy_denied')], [true, false])
    assert.deepEqual([hints('invalid'), hints('invalid')], [true, true])
  })
})

test('the summary counts each verdict, and what was judged before', () => {
  const tally = new FleetTally()
  tally.add({ verdict: 'trusted', exit: 0 })
  assert.equal(summaryOf(tally), '1 bundle: 1 trusted')
  tally.add({ verdict: 'invalid', exit: 1, reused: true })
  assert.equal(
    summaryOf(tally),
    '2 bundles: 1 trusted, 1 invalid; 1 judged before, and nothing has changed since',
  )
})
