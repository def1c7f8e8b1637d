// Texts in the boxes of a picture: what fits stays whole, what does not is shortened in the middle, and no two different texts look alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { apart } from '../../src/inspect/page/html.ts'
import { runs } from '../support/runs.ts'

const ROOM = { letters: 20, lines: 2 }

test('what fits is one line, and what does not ends with its end', () => {
  assert.deepEqual(apart(['x'.repeat(20)], ROOM), [['x'.repeat(20)]])
  const [long] = apart([`reads files below /${'a'.repeat(40)}/end`], ROOM)
  assert.deepEqual(long, ['reads files below', '/aaaaaaaa…aaaaa/end'])
  const [one] = apart([`${'a'.repeat(40)}z`], { letters: 20, lines: 1 })
  assert.deepEqual(one, ['aaaaaaaaa…aaaaaaaaz'])
})

test('of letters that are twice as wide there are half as many', () => {
  const [lines = []] = apart(['漢'.repeat(100)], ROOM)
  assert.deepEqual(
    lines.map(line => [...line].length),
    [10, 9],
  )
})

test('two long paths that differ in the middle are told apart by what differs', () => {
  const path = (name: string) =>
    `reads files below /srv/agents/of/customers/${name}/and/a/long/way/to/the/notes`
  const [alpha = [], beta = []] = apart([path('alpha'), path('beta')], { letters: 37, lines: 2 })
  assert.notDeepEqual(alpha, beta)
  assert.match(alpha.join(' '), /alpha/)
  assert.match(beta.join(' '), /beta/)
})

test('a path is told from another one also where the words before it differ', () => {
  const path = (name: string) => `/srv/agents/of/customers/${name}/and/a/long/way/to/the/notes`
  const texts = [`reads files below ${path('alpha')}`, `reads and writes files below ${path('beta')}`]
  const [alpha = [], beta = []] = apart(texts, { letters: 37, lines: 2 })
  assert.match(alpha[1] ?? '', /alp/)
  assert.match(beta[1] ?? '', /bet/)
})

test('equal texts look alike', () => {
  const [one, other] = apart(['x'.repeat(99), 'x'.repeat(99)], ROOM)
  assert.deepEqual(one, other)
})

const piece = fc.constantFrom('a', 'b', '/', ' ', '…', '漢', '/srv/notes', 'x'.repeat(30))
const text = fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join(''))
/** Long texts that differ in few places. */
const alike = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(300), fc.constantFrom('p', 'q', '…')), { maxLength: 3 }))
  .map(([begin, changes]) => {
    const letters = [...`${begin}${'y'.repeat(200)}${begin}`]
    for (const [index, letter] of changes) letters[index % letters.length] = letter
    return letters.join('')
  })

test('no two different texts look alike, whatever they are', () => {
  const texts = fc.array(fc.oneof(text, alike), { maxLength: 16 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 8, max: 40 }), fc.constantFrom(1, 2), (given, letters, lines) => {
      const shown = apart(given, { letters, lines })
      // A space at the end of a line is not seen, and no path is told from another by it alone.
      const key = (text: string) => text.replaceAll(' ', '')
      const seen = new Map(given.map((text, index) => [key(text), shown[index]?.join('\n')]))
      assert.equal(new Set(seen.values()).size, seen.size)
      for (const line of shown.flat()) assert.ok([...line].length <= letters, line)
    }),
    { numRuns: runs(300) },
  )
})
