// Lines and columns by blocks, held against a search from the start of the text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LineIndex } from '../../src/text/decode.ts'
import { runs } from '../support/runs.ts'

const texts = fc
  .array(fc.constantFrom('\n', '\r\n', '\r', 'a', 'b'.repeat(50), 'c'.repeat(255), 'd'.repeat(600)), {
    maxLength: 40,
  })
  .map(parts => parts.join(''))

test('every place has the line, the column and the line end that a plain search gives it', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(4000), { maxLength: 20 }), (text, offsets) => {
      const lines = new LineIndex(text)
      for (const offset of offsets) {
        const at = Math.min(offset, text.length)
        const before = text.slice(0, at)
        const line = before.split('\n').length
        assert.deepEqual(lines.at(offset), { line, column: at - before.lastIndexOf('\n') })
        const end = Math.min(text.length, at + (offset % 900))
        const newline = text.indexOf('\n', at)
        const plain = newline === -1 || newline >= end ? end : newline - (text[newline - 1] === '\r' ? 1 : 0)
        assert.equal(lines.firstLineEnd({ start: at, end }), Math.max(at, plain))
      }
    }),
    { numRuns: runs(500) },
  )
})
