// Strict JSON: what the scan refuses and where, that it accepts nothing JSON.parse refuses and the reverse, and positions.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from '../../src/json/parse.ts'
import { findJsonProblem } from '../../src/json/scan.ts'
import type { Document, Pointer } from '../../src/model/document.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { anyCharacter } from '../support/any-text.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, runs } from '../support/runs.ts'

fc.configureGlobal({ seed: 20261120 })

const read = (text: string) => parseJson('x.json', Buffer.from(text))

function document(text: string): Document {
  const result = read(text)
  assert.ok(result.ok, result.ok ? '' : `${result.problem.message} at ${result.problem.offset}`)
  return result.document
}

function problem(text: string): [string, number | undefined] {
  const result = read(text)
  assert.ok(!result.ok, `accepted: ${text.slice(0, 80)}`)
  assert.equal(result.text, text)
  return [result.problem.code, result.problem.offset]
}

test('a document as people write it', () => {
  const text = ' {"a": [1, -0.5e+3, "x\\u00e4\\ud834\\udd1e"],\r\n\t"b": {"a": null}, "": true} \n'
  assert.deepEqual(document(text).value, { a: [1, -500, 'xä𝄞'], b: { a: null }, '': true })
})

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

for (const [text, code, offset] of [
  ['{"a":1,"a":2}', 'duplicate-key', 7],
  ['{"id":1,"\\u0069d":2}', 'duplicate-key', 8],
  ['[{"a":{"b":1},"c":2,"a":3}]', 'duplicate-key', 20],
  ['{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1,"9":1}', 'duplicate-key', 62],
  ['{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1,"2":1}', 'duplicate-key', 62],
  ['{"__proto__":1}', 'unsafe-value', 1],
  ['{"a":{"__pr\\u006fto__":1}}', 'unsafe-value', 6],
  ['["\\ud834"]', 'unsafe-value', 2],
  ['["a\\udd1e\\ud834"]', 'unsafe-value', 3],
  ['["\\ud834\\ud834\\udd1e"]', 'unsafe-value', 2],
  ['["\\udd1e\\udd1e"]', 'unsafe-value', 2],
  ['{"\\udd1e":1}', 'unsafe-value', 2],
  ['[1e400]', 'unsafe-value', 1],
  ['[-1.5E+999]', 'unsafe-value', 1],
  ['[9007199254740992]', 'unsafe-value', 1],
  ['[-9007199254740993]', 'unsafe-value', 1],
  [`[${'9'.repeat(400)}]`, 'unsafe-value', 1],
  [nested(65), 'too-deep', 64],
  [nested(100_000), 'too-deep', 64],
  ['{"a":'.repeat(100_000), 'too-deep', 320],
  ['[1] 2', 'syntax', 4],
  ['{}\n}', 'syntax', 3],
  ['[1,]', 'syntax', 3],
  ['{"a":1,}', 'syntax', 7],
  ['[1 2]', 'syntax', 3],
  ['{"a" 1}', 'syntax', 5],
  ['{a:1}', 'syntax', 1],
  ["['a']", 'syntax', 1],
  ['[01]', 'syntax', 2],
  ['[1.]', 'syntax', 3],
  ['[.5]', 'syntax', 1],
  ['[+1]', 'syntax', 1],
  ['[-]', 'syntax', 2],
  ['[1e]', 'syntax', 3],
  ['[NaN]', 'syntax', 1],
  ['[tru]', 'syntax', 1],
  ['[nulll]', 'syntax', 5],
  ['["a\tb"]', 'syntax', 3],
  ['["\\x41"]', 'syntax', 2],
  ['["\\u12g4"]', 'syntax', 2],
  ['["a', 'syntax', 1],
  ['[', 'syntax', 1],
  ['{"a":', 'syntax', 5],
  ['[1] // note', 'syntax', 4],
  ['\u00a0[1]', 'syntax', 0],
] as const) {
  test(`refused: ${text.length > 60 ? `${text.slice(0, 50)}… (${text.length})` : text}`, () => {
    assert.deepEqual(problem(text), [code, offset])
  })
}

for (const text of [
  nested(64),
  '[9007199254740991]',
  '[-9007199254740991]',
  '[1e300]',
  '[1e-400]',
  '[123456789012345678e0]',
]) {
  test(`just within: ${text.slice(0, 40)}`, () => {
    assert.deepEqual(document(text).value, JSON.parse(text))
  })
}

test('a repeated key in different objects is no duplicate, also after a large object', () => {
  const keys = Array.from({ length: 20 }, (_, index) => `"k${index}":{"k1":1}`).join()
  assert.equal(findJsonProblem(`[{${keys}},{${keys}},{"k1":1,"k0":2}]`), undefined)
})

test('raw lone surrogates do not get as far as the scan', () => {
  const result = parseJson(
    'x',
    Buffer.concat([Buffer.from('["'), Buffer.from([0xed, 0xa0, 0xb4]), Buffer.from('"]')]),
  )
  assert.ok(!result.ok)
  assert.equal(result.problem.code, 'encoding')
})

/** What strict reading allows, judged on the value: the scan has no say in what it is tested with. */
function isSafe(value: unknown): boolean {
  if (typeof value === 'number') return !/^-?[0-9]+$/.test(String(value)) || Number.isSafeInteger(value)
  if (typeof value === 'string') return !/\p{Cs}/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, member]) => key !== '__proto__' && isSafe(key) && isSafe(member))
}
const jsonValue = fc.jsonValue({ maxDepth: 5, stringUnit: anyCharacter }).filter(isSafe)
const indent = fc.constantFrom(undefined, 2, 4, '\t')

test('what JSON.stringify writes reads back', () => {
  fc.assert(
    fc.property(jsonValue, indent, (value, space) => {
      const text = JSON.stringify(value, null, space)
      assert.deepEqual(document(text).value, JSON.parse(text))
    }),
    { numRuns: runs(500) },
  )
})

test('mutated documents: "syntax" exactly when JSON.parse refuses; offsets lie inside the text', () => {
  const piece = fc.constantFrom(
    ...'[]{},:"\\ \n-+.0123eEutfn/'.split(''),
    '\\u00',
    '"a":',
    'true',
    '1.',
    '\\ud800',
    'é',
    '\u2028',
  )
  const edit = fc.tuple(fc.nat(), fc.nat(2), piece)
  let accepted = 0
  let refused = 0
  fc.assert(
    fc.property(jsonValue, indent, fc.array(edit, { minLength: 1, maxLength: 3 }), (value, space, edits) => {
      let text = JSON.stringify(value, null, space)
      for (const [where, cut, insert] of edits) {
        const at = where % (text.length + 1)
        text = text.slice(0, at) + insert + text.slice(at + cut)
      }
      text = Buffer.from(text).toString()
      let reference: { value: unknown } | undefined
      try {
        reference = { value: JSON.parse(text) }
      } catch (error) {
        assert.ok(error instanceof SyntaxError)
      }
      const found = findJsonProblem(text)
      if (found === undefined) {
        accepted++
        assert.ok(reference, `JSON.parse refuses ${text}`)
        return
      }
      refused++
      if (found.code === 'syntax') assert.equal(reference, undefined, `JSON.parse accepts ${text}`)
      assert.ok(found.offset !== undefined && found.offset >= 0 && found.offset <= text.length)
    }),
    { numRuns: runs(5000) },
  )
  assert.ok(
    accepted > among(200, 5000) && refused > among(200, 5000),
    `${accepted} accepted, ${refused} refused`,
  )
})

test('any bytes: never a throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
      const result = parseJson('x', bytes)
      if (!result.ok) assert.ok((result.problem.offset ?? 0) <= (result.text?.length ?? 0))
    }),
    { numRuns: runs(2000) },
  )
})

test('a duplicate is found however it is escaped', () => {
  const escaped = (key: string, which: number) =>
    `"${[...key].map((c, index) => ((which >> index) & 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`
  const key = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 4 })
  fc.assert(
    fc.property(
      fc.uniqueArray(key, { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.nat(15),
      fc.nat(15),
      (keys, pick, one, two) => {
        const members = keys.map(name => `${escaped(name, one)}:0`)
        assert.equal(findJsonProblem(`{${members}}`), undefined)
        const twice = keys[pick % keys.length] ?? ''
        const found = findJsonProblem(`{${members},${escaped(twice, two)}:0}`)
        assert.deepEqual([found?.code, found?.offset], ['duplicate-key', members.join().length + 2])
      },
    ),
  )
})

function pointers(value: unknown, at: Pointer = []): [Pointer, unknown][] {
  if (typeof value !== 'object' || value === null) return [[at, value]]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[at, value], ...members.flatMap(([step, member]) => pointers(member, [...at, step]))]
}

test('locate: the text at every pointer is its value, the text of every key its name', () => {
  fc.assert(
    // Of what is longer than some hundred characters the judging pass has noted the end.
    fc.property(jsonValue, indent, fc.constantFrom(0, 200, 240, 250, 2000), (value, space, length) => {
      const long = 'x'.repeat(length)
      const whole = length === 0 ? value : [value, { a: long, b: [value, long, { value }] }, [], value]
      const text = `\n ${JSON.stringify(whole, null, space)}\n`
      const found = document(text)
      for (const [pointer, member] of pointers(JSON.parse(text))) {
        const { start, end } = found.locate(pointer)
        assert.deepEqual(JSON.parse(text.slice(start, end)), member)
        const key = found.locate(pointer, 'key')
        const name = pointer.at(-1)
        assert.deepEqual(JSON.parse(text.slice(key.start, key.end)), typeof name === 'string' ? name : member)
      }
    }),
    { numRuns: runs(300) },
  )
})

test('locate: what is missing is at its nearest ancestor', () => {
  const text = '{"tools": [{"id": "a"}, 7]}'
  const found = document(text)
  const at = (pointer: Pointer, part?: 'key' | 'value') => {
    const { start, end } = found.locate(pointer, part)
    return text.slice(start, end)
  }
  assert.equal(at(['tools', 0, 'transport', 'kind']), '{"id": "a"}')
  assert.equal(at(['tools', 0, 'transport'], 'key'), '{"id": "a"}')
  assert.equal(at(['tools', 2]), '[{"id": "a"}, 7]')
  assert.equal(at(['tools', 2], 'key'), '"tools"')
  assert.equal(at(['tools', 1, 'id']), '7')
  assert.equal(at(['tools', '0', 'id']), '"a"')
  assert.equal(at(['tools', 'id']), '[{"id": "a"}, 7]')
  assert.equal(at(['toString']), text)
  assert.equal(at([]), text)
})

test('hostile texts, one of 16 MiB, cost a moment, also where a place is looked up many times', () => {
  const size = 16 * 1024 * 1024
  const quarter = size / 4
  const started = processorTime()
  const most = PARSE_LIMITS.allJsonValues
  // The document and its list are two of them.
  const long = document(`{"tools":[${'1,      '.repeat(most - 3)}1]}`)
  assert.deepEqual(problem(`{"tools":[${'1,'.repeat(most)}1]}`), ['too-large', 10 + 2 * (most - 2)])
  for (let index = 0; index < 1000; index++) long.locate(['tools', index * 1000])
  // At each level a long text is passed over, and another place is asked for after it.
  const levels = PARSE_LIMITS.jsonDepth - 1
  const deep = document(`${'['.repeat(levels)}"${'a'.repeat(size - 1000)}"${',1]'.repeat(levels)}`)
  for (let level = 0; level < levels; level++) deep.locate([...Array.from({ length: level }, () => 0), 1])
  assert.deepEqual(problem(`["${'\\n'.repeat(quarter / 2)}`), ['syntax', 1])
  assert.deepEqual(problem('['.repeat(quarter)), ['too-deep', 64])
  const many = Array.from({ length: PARSE_LIMITS.jsonMembers - 1 }, (_, index) => `"${index}":0`).join()
  assert.deepEqual(problem(`{${many},"7":0}`), ['duplicate-key', many.length + 2])
  const tooLarge = parseJson('x', Buffer.alloc(size + 1, 0x20))
  assert.ok(!tooLarge.ok)
  assert.equal(tooLarge.problem.code, 'too-large')
  assert.ok(processorTime() - started < 60_000)
})

const real = join(import.meta.dirname, '../../../shared/real')
test('real files', { skip: existsSync(real) ? false : '../shared is not there' }, () => {
  const files = readdirSync(real, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.json'),
  )
  assert.ok(files.length > 0)
  for (const name of files) {
    const bytes = readFileSync(join(real, name))
    const result = parseJson(name, bytes)
    assert.ok(result.ok, name)
    assert.deepEqual(result.document.value, JSON.parse(bytes.toString()))
  }
})
