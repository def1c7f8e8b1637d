// Strict TOML: what is refused, with which code and where; that both parsers agree on what is accepted; bounds; positions.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Document, Pointer, TextProblem } from '../../src/model/document.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import { agreedTomlValue } from '../../src/toml/agree.ts'
import { parseToml, readTomlTree } from '../../src/toml/parse.ts'
import { anyText } from '../support/any-text.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, runs } from '../support/runs.ts'

fc.configureGlobal({ seed: 20261120 })

const read = (text: string) => parseToml('x.toml', Buffer.from(text))

function document(text: string): Document {
  const result = read(text)
  assert.ok(result.ok, result.ok ? '' : `${result.problem.message} at ${result.problem.offset}`)
  return result.document
}

function problem(text: string): TextProblem {
  const result = read(text)
  assert.ok(!result.ok, `accepted: ${text.slice(0, 80)}`)
  const { offset } = result.problem
  assert.ok(offset !== undefined && offset >= 0 && offset <= text.length, `offset ${offset}`)
  return result.problem
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 50)}… (${text.length})` : text)

test('a document with everything in it', () => {
  const text = [
    '# comment',
    'title = "a\\tb\\u00e4\\U0001D11E"',
    "path = 'C:\\x'",
    'long = """',
    'one \\',
    '   two',
    'three"""',
    "raw = '''''two'''''",
    'numbers = [0, +1_000, -17, 0xDEAD_beef, 0o17, 0b11, 3.5, -2E-3, 1e300,]',
    'yes = true',
    'a."b.c".\'d\' = 1',
    'inline = { x = [1, { y = 2 }], z.w = "v" }',
    '[server]',
    'port = 1',
    '[server.tls]',
    'on = false',
    '[[item]]',
    'id = 1',
    '[[item]]',
    '[item.sub]',
    'k = "v"',
    '[[item.list]]',
    '[empty]',
  ].join('\n')
  const expected = {
    title: 'a\tbä𝄞',
    path: 'C:\\x',
    long: 'one two\nthree',
    raw: "''two''",
    numbers: [0, 1000, -17, 0xdeadbeef, 15, 3, 3.5, -0.002, 1e300],
    yes: true,
    a: { 'b.c': { d: 1 } },
    inline: { x: [1, { y: 2 }], z: { w: 'v' } },
    server: { port: 1, tls: { on: false } },
    item: [{ id: 1 }, { sub: { k: 'v' }, list: [{}] }],
    empty: {},
  }
  assert.deepEqual(document(text).value, expected)
  assert.deepEqual(
    document(text.replaceAll('\n', '\r\n').replace('two\r\nthree', 'two\\nthree')).value,
    expected,
  )
})

test('dates become ISO text, as they were written', () => {
  const dates = {
    '1979-05-27T07:32:00Z': '1979-05-27T07:32:00Z',
    '1979-05-27 07:32:00.123456z': '1979-05-27T07:32:00.123456Z',
    '1979-05-27t00:32:00-07:00': '1979-05-27T00:32:00-07:00',
    '1979-05-27T07:32:00.5': '1979-05-27T07:32:00.5',
    '2024-02-29': '2024-02-29',
    '23:59:59.999': '23:59:59.999',
  }
  for (const [written, value] of Object.entries(dates)) {
    assert.deepEqual(document(`d = ${written}`).value, { d: value }, written)
  }
})

const arrays = (levels: number) => `a = ${'['.repeat(levels)}${']'.repeat(levels)}`
const inline = (levels: number) => `a = ${'{a='.repeat(levels)}1${'}'.repeat(levels)}`
const dotted = (parts: number) => `${Array(parts).fill('a').join('.')} = 1`
const header = (parts: number) => `[${Array(parts).fill('a').join(' . ')}]`
const elements = (count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `[[${Array(index + 1)
        .fill('a')
        .join('.')}]]`,
  ).join('\n')

for (const [text, code, offset] of [
  ['a = 1\na = 2', 'duplicate-key', 6],
  ['a = 1\n"\\u0061" = 2', 'duplicate-key', 6],
  ['[a]\n[b]\n[a]', 'duplicate-key', 9],
  ['[a]\n[[a]]', 'duplicate-key', 6],
  ['[[a]]\n[a]', 'duplicate-key', 7],
  ['a = {}\n[a.b]', 'duplicate-key', 8],
  ['a = []\n[[a]]', 'duplicate-key', 9],
  ['a = { b = 1 }\na.c = 2', 'duplicate-key', 14],
  ['a = { b = 1, b = 2 }', 'duplicate-key', 13],
  ['a.b = 1\n[a]', 'duplicate-key', 9],
  ['[a.b.c]\n[a]\nb.d = 1', 'duplicate-key', 12],
  ['[t]\na.b = 1\n[t.a]', 'duplicate-key', 15],
  ['__proto__ = 1', 'unsafe-value', 0],
  ["'__proto__' = 1", 'unsafe-value', 0],
  ['"__pr\\u006Fto__" = 1', 'unsafe-value', 0],
  ['a.__proto__.b = 1', 'unsafe-value', 2],
  ['[a.__proto__]', 'unsafe-value', 3],
  ['[[__proto__]]', 'unsafe-value', 2],
  ['a = [{ b = { __proto__ = 1 } }]', 'unsafe-value', 13],
  ['constructor.prototype = 1', 'unsafe-value', 0],
  ['a = 9007199254740992', 'unsafe-value', 4],
  ['a = [-9007199254740993]', 'unsafe-value', 5],
  ['a = 0xFFFFFFFFFFFFFFFF', 'unsafe-value', 4],
  ['a = inf', 'unsafe-value', 4],
  ['a = -inf', 'unsafe-value', 4],
  ['a = nan', 'unsafe-value', 4],
  ['a = 1e400', 'unsafe-value', 4],
  ['a = 2016-12-31T23:59:60Z', 'unsafe-value', 4],
  ['a = 0000-01-01', 'unsafe-value', 4],
  ['a = 0000-12-31T00:00:00Z', 'unsafe-value', 4],
  ['a = """x\r\ny"""', 'unsafe-value', 4],
  ['a = 2026-02-30', 'syntax', undefined],
  ['a = 2026-13-01', 'syntax', undefined],
  ['a = 2025-02-29T00:00:00Z', 'syntax', undefined],
  ['a = 25:00:00', 'syntax', undefined],
  ['a = 12:60:00', 'syntax', undefined],
  ['a = 2026-01-01T00:00:00+25:00', 'syntax', undefined],
  ['a = 07:32', 'syntax', undefined],
  ['a = 2026-01-01T07:32Z', 'syntax', undefined],
  ['a = "\\e"', 'syntax', undefined],
  ['a = "\\x41"', 'syntax', undefined],
  ['a = "\\ud800"', 'syntax', undefined],
  ['a = "\\U00110000"', 'syntax', undefined],
  ['a = { b = 1,\nc = 2 }', 'syntax', undefined],
  ['a = {\n}', 'syntax', undefined],
  ['a = { b = 1, }', 'syntax', undefined],
  ['a = 1\rb = 2', 'syntax', 5],
  ['a = 1 # x\u0007', 'syntax', 9],
  ['a = "\x7f"', 'syntax', 5],
  ['a = "x\ny"', 'syntax', 4],
  ["a = '''x", 'syntax', 4],
  ['é = 1', 'syntax', 0],
  ['a = 1 b = 2', 'syntax', 6],
  ['a = 01', 'syntax', undefined],
  ['a = 1__0', 'syntax', undefined],
  ['a = .5', 'syntax', undefined],
  ['a = True', 'syntax', undefined],
  ['a =', 'syntax', undefined],
  ['= 1', 'syntax', undefined],
  ['a', 'syntax', undefined],
  ['[a', 'syntax', undefined],
  ['[[a] ]', 'syntax', undefined],
  ['[]', 'syntax', undefined],
  ['a = [1 2]', 'syntax', undefined],
  ['a = [', 'syntax', undefined],
  ['"""a""" = 1', 'syntax', undefined],
  [arrays(64), 'too-deep', undefined],
  [arrays(10_000), 'too-deep', undefined],
  [inline(64), 'too-deep', undefined],
  [inline(10_000), 'too-deep', undefined],
  [dotted(65), 'too-deep', undefined],
  [dotted(10_000), 'too-deep', undefined],
  [header(64), 'too-deep', undefined],
  [header(10_000), 'too-deep', undefined],
  [elements(33), 'too-deep', undefined],
  [`[${Array(40).fill('a').join('.')}]\n${dotted(30)}`, 'too-deep', undefined],
  [`a = ${'[\n'.repeat(10_000)}`, 'too-deep', undefined],
  [`a = "${'x'.repeat(PARSE_LIMITS.tomlString)}"`, 'too-large', 4],
  [`a = '''${'x\n'.repeat(PARSE_LIMITS.tomlString)}'''`, 'too-large', 4],
  [`a = ${'1'.repeat(2000)}`, 'too-large', 4],
  [`a = [${'1,'.repeat(PARSE_LIMITS.allTomlTokens)}]`, 'too-large', undefined],
  [`a = 1${'\n'.repeat(PARSE_LIMITS.allTomlTokens)}`, 'too-large', undefined],
] as const) {
  test(`refused: ${shorten(text)}`, () => {
    const found = problem(text)
    assert.equal(found.code, code, found.message)
    if (offset !== undefined) assert.equal(found.offset, offset, found.message)
  })
}

test('a text that the two parsers read differently is refused', () => {
  // One of them loses the quote after the escaped line end.
  const found = problem('a = 1\nb = """\\\n""""')
  assert.deepEqual([found.code, found.offset], ['syntax', 10])
  assert.match(found.message, /do not agree/)
  assert.deepEqual(document('b = """x""""').value, { b: 'x"' })
})

test('every kind of difference between the two readings counts', () => {
  const texts = [
    'a = 1',
    'a = 2',
    'a = "1"',
    'a = 1\nb = 1',
    'a = [1]',
    'a = [1, 1]',
    'a = {}',
    'a = { b = 1 }',
    'b = 1',
    'a = true',
  ]
  texts.push(
    'a = 2024-01-01',
    'a = 2024-01-02',
    'a = 2024-01-01T00:00:00',
    'a = 2024-01-01T00:00:00Z',
    'a = 00:00:00',
  )
  for (const one of texts) {
    for (const other of texts) {
      const tree = readTomlTree(other)
      assert.ok('root' in tree)
      const agreed = agreedTomlValue(one, tree)
      assert.equal(agreed.ok, one === other, `${one} and ${other}`)
      if (!agreed.ok) assert.equal(agreed.problem.code, 'syntax')
    }
  }
})

test('a BOM is refused, and only white space is empty', () => {
  for (const [bytes, code] of [
    [Buffer.from('\ufeffa = 1'), 'encoding'],
    [Buffer.from('\n \n'), 'empty'],
  ] as const) {
    const result = parseToml('x', bytes)
    assert.ok(!result.ok)
    assert.equal(result.problem.code, code)
  }
  assert.deepEqual(document('# nothing but a comment').value, {})
})

for (const text of [
  arrays(63),
  inline(62),
  dotted(64),
  header(63),
  elements(31),
  'a = 9007199254740991',
  'a = -9007199254740991',
  `a = "${'x'.repeat(PARSE_LIMITS.tomlString - 2)}"`,
  `a = [${'1,'.repeat(PARSE_LIMITS.allTomlTokens / 2 - 10)}]`,
  '[a.b]\n[a]\n[a.c]',
  '[t]\na.b = 1\n[t.a.c]',
  'a.b = 1\nc = 2\na.d = 3',
  'toString = 1\nhasOwnProperty = 2\nvalueOf = 3',
]) {
  test(`just within: ${shorten(text)}`, () => {
    const { value } = document(text)
    assert.deepEqual(JSON.parse(JSON.stringify(value)), value)
  })
}

const SNIPPETS = [
  '[a]',
  '[[a]]',
  '[a.b]',
  '\n',
  '\r\n',
  'a',
  'b',
  '"c d"',
  "'e'",
  '.',
  ' = ',
  '=',
  ',',
  '{',
  '}',
  '[',
  ']',
  ' ',
  '\t',
  '#x',
  '1',
  '-1',
  '0x1F',
  '1_0',
  '1.5',
  '1e5',
  'inf',
  'nan',
  'true',
  '"s"',
  "'l'",
  '"""m\n"""',
  "'''n'''",
  '"\\u00e4"',
  '\\',
  '"',
  "'",
  '"""',
  "'''",
  '1979-05-27',
  'T',
  '07:32:00',
  'Z',
  '+01:00',
  '.25',
  '\r',
  '\u0000',
  '\u007f',
  '\ud83d\ude00',
  '__proto__',
  '_',
  '-',
  '+',
]

test('arbitrary and mutated texts: never a throw, offsets inside, values that JSON holds', () => {
  const pair = fc.constantFrom(
    'a = 1\n',
    'b.c = "x"\n',
    '[t]\n',
    '[[l]]\n',
    'd = { e = [1, 2.5], f.g = true }\n',
    "h = 'x' # c\n",
    'k = 2024-01-01 10:00:00\n',
    'n = [inf, nan]\n',
  )
  const soup = fc.array(fc.constantFrom(...SNIPPETS), { maxLength: 14 }).map(parts => parts.join(''))
  const mutated = fc
    .tuple(
      fc.array(pair, { maxLength: 5 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...SNIPPETS)), { maxLength: 2 }),
    )
    .map(([lines, edits]) => {
      let text = lines.join('')
      for (const [where, cut, insert] of edits) {
        const at = where % (text.length + 1)
        text = text.slice(0, at) + insert + text.slice(at + cut)
      }
      return text
    })
  const codes = new Map<string, number>()
  const texts = fc.oneof(
    soup,
    mutated,
    anyText({ maxLength: 20 }),
    soup.map(text => `a = ${text}`),
  )
  fc.assert(
    fc.property(texts, text => {
      const bytes = Buffer.from(text)
      const result = parseToml('x', bytes)
      const code = result.ok ? 'ok' : result.problem.code
      codes.set(code, (codes.get(code) ?? 0) + 1)
      if (result.ok) {
        assert.deepEqual(JSON.parse(JSON.stringify(result.document.value)), result.document.value)
        for (const pointer of pointers(result.document.value)) {
          const { start, end } = result.document.locate(pointer)
          assert.ok(start >= 0 && start <= end && end <= text.length)
        }
      } else {
        assert.ok((result.problem.offset ?? 0) <= (result.text?.length ?? 0))
      }
    }),
    { numRuns: runs(6000) },
  )
  for (const code of ['ok', 'syntax', 'duplicate-key', 'unsafe-value']) {
    assert.ok((codes.get(code) ?? 0) > among(20, 6000), `${code}: ${codes.get(code)}`)
  }
})

function pointers(value: unknown, at: Pointer = []): Pointer[] {
  if (typeof value !== 'object' || value === null) return [at]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [at, ...members.flatMap(([step, member]) => pointers(member, [...at, step]))]
}

test('locate', () => {
  const text = [
    'top = "x"',
    'a . "b" . c = 1',
    '[agent] # c',
    'entry = { path = "p", "d e".f = [1, "two"] }',
    '[agent.deep.er]',
    '[[list]]',
    'id = 1',
    '[[list]]',
    'id = 2',
    '[list.sub]',
    'x = 3',
  ].join('\n')
  const found = document(text)
  const at = (pointer: Pointer, part?: 'key' | 'value') => {
    const { start, end } = found.locate(pointer, part)
    return text.slice(start, end)
  }
  assert.equal(at(['top']), '"x"')
  assert.equal(at(['top'], 'key'), 'top')
  assert.equal(at(['a']), 'a')
  assert.equal(at(['a', 'b', 'c']), '1')
  assert.equal(at(['a', 'b', 'c'], 'key'), 'c')
  assert.equal(at(['a', 'b'], 'key'), '"b"')
  assert.equal(at(['agent']), '[agent]')
  assert.equal(at(['agent'], 'key'), 'agent')
  assert.equal(at(['agent', 'entry', 'path']), '"p"')
  assert.equal(at(['agent', 'entry', 'd e'], 'key'), '"d e"')
  assert.equal(at(['agent', 'entry', 'd e', 'f', 1]), '"two"')
  assert.equal(at(['agent', 'deep']), 'deep')
  assert.equal(at(['agent', 'deep', 'er']), '[agent.deep.er]')
  assert.equal(found.locate(['list', 0]).start, text.indexOf('[[list]]'))
  assert.equal(found.locate(['list', 1]).start, text.lastIndexOf('[[list]]'))
  assert.equal(at(['list', 1, 'id']), '2')
  assert.equal(at(['list', 1, 'sub', 'x']), '3')
  assert.equal(at([]), text)
  assert.equal(at(['agent', 'missing', 'x']), '[agent]', 'the nearest ancestor')
  assert.equal(at(['top', 'x']), '"x"')
  assert.equal(at(['list', 7]), '[[list]]')
  assert.equal(at(['toString']), text)
})

test('hostile texts cost a moment', () => {
  const size = 1024 * 1024
  const fill = (unit: string, bytes = size) => unit.repeat(bytes / unit.length)
  const texts = [
    // As long as a text may be.
    `a = 1\n${fill(`#${'x'.repeat(998)}\n`, 16 * size - 100)}`,
    `a = 1${fill(' ')}`,
    fill('[a]\n'),
    fill('[[a]]\n[[a.b]]\n'),
    `a = [${fill('1,')}]`,
    `a = [${fill('{},')}]`,
    `a = """${fill('"" ')}`,
    fill('"'),
    fill("a='"),
    fill('a.b.c.'),
    `a = ${fill('"x\\\\"')}`,
    Array.from({ length: 15_000 }, (_, index) => `k${index} = ${index}`).join('\n'),
    Array.from({ length: 6_000 }, (_, index) => `[t.u.v.w${index}]`).join('\n'),
  ]
  const started = processorTime()
  const answers = texts.map(text => {
    const result = read(text)
    return result.ok ? 'ok' : result.problem.code
  })
  const expected =
    'ok ok too-large too-large too-large too-large syntax too-large too-large too-deep too-large ok ok'
  assert.deepEqual(answers, expected.split(' '))
  assert.ok(processorTime() - started < 10_000)
})

test('a manifest that lists 10,000 files takes half of the bounds', () => {
  const lines = Array.from(
    { length: 10_000 },
    (_, index) => `"schemas/${'x'.repeat(150)}/${index}.json" = "${'0a'.repeat(32)}"`,
  )
  assert.equal(Object.keys(document(lines.join('\n')).value as object).length, 10_000)
  assert.ok(lines.length * 4 * 2 <= PARSE_LIMITS.allTomlTokens)
})

const real = join(import.meta.dirname, '../../../shared/real')
test('real files', { skip: existsSync(real) ? false : '../shared is not there' }, () => {
  const names = readdirSync(real, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => /\.(toml|caps)$/.test(name))
  assert.ok(files.length > 8)
  for (const name of files) {
    const result = parseToml(name, readFileSync(join(real, name)))
    assert.ok(result.ok, `${name}: ${result.ok ? '' : result.problem.message}`)
    for (const pointer of pointers(result.document.value)) result.document.locate(pointer)
  }
})
