// The report of many bundles for people: accepted ones have a line each while they are few, and refused ones until they are alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetSetting } from '../../src/fleet/formats/format.ts'
import { text } from '../../src/fleet/formats/text.ts'
import { nothingPassed } from '../../src/model/report.ts'

/** The names that have a line of their own, of so many bundles, and what is said at the end. */
async function told(count: number, { isAccepted = true, quiet = false } = {}) {
  let shown = ''
  const tally = { bundles: 0 }
  const io = {
    color: false,
    columns: 80,
    isTTY: { stdout: false },
    cwd: '/',
    stdout: (more: string) => {
      shown += more
    },
  }
  const report = await text.open({ io, args: { quiet }, tally } as unknown as FleetSetting)
  for (let at = 1; at <= count; at++) {
    tally.bundles = at
    const record = {
      target: `b${at}`,
      form: 'archive',
      verdict: isAccepted ? 'trusted' : 'unsigned',
      agent: null,
      reasons: isAccepted ? [] : [{ code: 'unsigned', message: 'it is unsigned' }],
    }
    report.judged({ line: JSON.stringify(record), exit: isAccepted ? 0 : 1 } as never)
  }
  await report.end(nothingPassed())
  return { names: shown.match(/^[✓✗] .*$/gmu) ?? [], last: shown.trimEnd().split('\n').at(-1) }
}

test('each of 64 accepted bundles has a line, and those after them are counted', async () => {
  const few = await told(64)
  assert.equal(few.names.length, 64)
  assert.equal(few.last, '✓ trusted       b64')
  const more = await told(65)
  assert.equal(more.names.length, 64)
  assert.equal(more.last, '… and 1 more bundle accepted')
})

test('with --quiet no accepted bundle has a line, and none is counted', async () => {
  assert.deepEqual(await told(70, { quiet: true }), { names: [], last: '' })
})

test('of those that are refused for one reason three have lines, and the others are one group', async () => {
  const { names } = await told(5, { isAccepted: false })
  assert.deepEqual(
    names.map(line => line.replace(/ +/g, ' ')),
    ['✗ unsigned b1', '✗ unsigned b2', '✗ unsigned b3', '✗ unsigned 2 more bundles for one reason'],
  )
})
