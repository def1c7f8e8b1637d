// Strict text: what decodes, what is refused with which code, and where lines and columns are.
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeText, lineColumn, MAX_TEXT_BYTES } from '../../src/text/decode.ts'
import { anyText } from '../support/any-text.ts'
import { runs } from '../support/runs.ts'

fc.configureGlobal({ seed: 20261120 })

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

test('UTF-8 decodes, with every character in place', () => {
  const text = 'ä €\t𝄞\r\n\ufffd and \ufeff in the middle'
  assert.deepEqual(decodeText(Buffer.from(text)), { ok: true, text })
})

for (const [what, input, code, message] of [
  ['no bytes', bytes(), 'empty', /empty/],
  ['only white space', bytes(' \t\r\n\n'), 'empty', /empty/],
  ['a BOM', bytes([0xef, 0xbb, 0xbf], 'a = 1'), 'encoding', /byte offset 0/],
  ['UTF-16', bytes([0xff, 0xfe, 0x61, 0]), 'encoding', /byte FF at byte offset 0/],
  ['Latin-1', bytes('key = "', [0xe4], '"'), 'encoding', /byte E4 at byte offset 7/],
  ['a lone continuation byte', bytes('ä', [0x80]), 'encoding', /byte 80 at byte offset 2/],
  ['an overlong slash', bytes('a', [0xc0, 0xaf]), 'encoding', /byte C0 at byte offset 1/],
  ['an overlong three-byte form', bytes('a', [0xe0, 0x80, 0xaf]), 'encoding', /byte E0 at byte offset 1/],
  ['a raw surrogate', bytes('"', [0xed, 0xa0, 0x80], '"'), 'encoding', /byte ED at byte offset 1/],
  ['beyond U+10FFFF', bytes('ab', [0xf4, 0x90, 0x80, 0x80]), 'encoding', /byte F4 at byte offset 2/],
  ['a sequence cut off at the end', bytes('a', [0xf0, 0x9d, 0x84]), 'encoding', /byte F0 at byte offset 1/],
  ['NUL', bytes('ä', [0], 'b'), 'encoding', /NUL byte at byte offset 2/],
] as const) {
  test(`refused: ${what}`, () => {
    const result = decodeText(input)
    assert.ok(!result.ok)
    assert.equal(result.problem.code, code)
    assert.match(result.problem.message, message)
  })
}

test('NUL is found in the text, in code units', () => {
  const result = decodeText(bytes('ä', [0], 'b'))
  assert.ok(!result.ok)
  assert.equal(result.problem.offset, 1)
  assert.equal(result.text, 'ä\0b')
})

test('size is bounded before anything is decoded', () => {
  assert.equal(MAX_TEXT_BYTES, 16 * 1024 * 1024)
  assert.ok(decodeText(Buffer.alloc(10, 'x'), 10).ok)
  const result = decodeText(Buffer.alloc(11, 0xff), 10)
  assert.ok(!result.ok)
  assert.equal(result.problem.code, 'too-large')
})

test('any bytes: accepted exactly when they are UTF-8 without BOM, NUL and emptiness', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.tuple(anyText({ maxLength: 12 }), fc.nat(40), fc.nat(255)).map(([text, at, byte]) => {
      const changed = Buffer.from(text)
      if (changed.length > 0) changed[at % changed.length] = byte
      return new Uint8Array(changed)
    }),
  )
  fc.assert(
    fc.property(anything, input => {
      const result = decodeText(input)
      const text = Buffer.from(input).toString('utf8')
      const isBom = input[0] === 0xef && input[1] === 0xbb && input[2] === 0xbf
      const expected = isUtf8(input) && !isBom && !input.includes(0) && /[^ \t\r\n]/.test(text)
      assert.equal(result.ok, expected)
      if (result.ok) assert.equal(result.text, text)
      const at = result.ok
        ? undefined
        : /not UTF-8.* at byte offset ([0-9]+)/.exec(result.problem.message)?.[1]
      if (at === undefined) return
      const prefix = input.subarray(0, Number(at))
      assert.ok(isUtf8(prefix))
      for (let more = 1; more <= 4; more++) {
        const longer = input.subarray(0, prefix.length + more)
        assert.ok(!isUtf8(longer), 'nothing well-formed begins at the bad byte')
      }
    }),
    { numRuns: runs(2000) },
  )
})

test('line and column, for LF, CRLF and the end of the text', () => {
  const text = 'ab\r\nc𝄞d\n\nlast'
  const at = (offset: number) => Object.values(lineColumn(text, offset))
  assert.deepEqual(at(0), [1, 1])
  assert.deepEqual(at(3), [1, 4])
  assert.deepEqual(at(4), [2, 1])
  assert.deepEqual(at(text.indexOf('d')), [2, 4])
  assert.deepEqual(at(text.indexOf('\n\n') + 1), [3, 1])
  assert.deepEqual(at(text.indexOf('last')), [4, 1])
  assert.deepEqual(at(text.length), [4, 5])
  assert.deepEqual(at(text.length + 99), [4, 5])
  assert.deepEqual(Object.values(lineColumn('', 0)), [1, 1])
})

test('line and column agree with counting, in any order of questions', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '𝄞'), maxLength: 30 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 8 }), (text, offsets) => {
      for (const offset of offsets) {
        const lines = text.slice(0, offset).split('\n')
        assert.deepEqual(lineColumn(text, offset), {
          line: lines.length,
          column: (lines.at(-1)?.length ?? 0) + 1,
        })
      }
    }),
  )
})
