// The plain reader against the parser that it replaces: whatever it reads, the parser reads alike, to the last offset; what it leaves
// alone, and what is wrong with a text, is the parser's to say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { parseToml, readTomlTree } from '../../src/toml/parse.ts'
import { readPlainToml } from '../../src/toml/plain.ts'
import { parseTomlSyntax } from '../../src/toml/syntax.ts'
import { findTomlProblem } from '../../src/toml/tree.ts'
import { among, runs } from '../support/runs.ts'

fc.configureGlobal({ seed: 20261121 })

const READ = [
  '',
  '\n',
  '# only a comment',
  'a = 1',
  '\ta\t=\t-12\t# c\n',
  'a=0\nb=999999999999999',
  'a.b-c."d e".\'f\' = true\n"" = false',
  '[t]\n  k = "v"\n[t.u]\n[[l]]\nx = \'\'\n[[l]] # again\nx = "ä𝄞\u2028\u0085"',
  'a = []\nb = [ ]\nc = [1,2 ,\n# c\n3,\n]\nd = [[1], [{ x = "y" }]] # e',
  'e = {}\nf = { }\ng = { a = 1, b.c = [ "x" ] }',
  `${'\n'.repeat(1000)}# c${'\n'.repeat(1000)}`,
]

for (const text of READ) {
  test(`read: ${JSON.stringify(text.slice(0, 60))}`, () => {
    const plain = readPlainToml(text)
    assert.ok(plain !== undefined)
    assert.deepEqual(seen(plain), seen(parseTomlSyntax(text)))
  })
}

const LEFT_ALONE = [
  'a = "\\n"',
  'a = """x"""',
  "a = '''x'''",
  '"""a""" = 1',
  'a = 1.5',
  'a = +1',
  'a = -0',
  'a = 1_000',
  'a = 0x1f',
  'a = 007',
  'a = 1e3',
  'a = 9999999999999999',
  'a = inf',
  'a = 1979-05-27',
  'a = 07:32:00',
  'a = truely',
  'a . b = 1',
  '[ a ]',
  '[a . b]',
  '[[a] ]',
  '[a',
  '[]',
  'a = 1\r\n',
  'a = 1 b = 2',
  'a = [1 2]',
  'a = [,]',
  'a = [1,,]',
  'a = {b = 1,}',
  'a = {b = 1\n}',
  'a = {,}',
  'a = {b = 1',
  'a = [1',
  'a',
  'a =',
  'a =\n1',
  'a. = 1',
  '= 1',
  'a = "x',
  "a = 'x\n'",
]

for (const text of LEFT_ALONE) {
  test(`left alone: ${JSON.stringify(text)}`, () => {
    assert.equal(readPlainToml(text), undefined)
  })
}

test('a plain text that is wrong is refused in the words for all texts', () => {
  for (const [text, code, offset] of [
    ['a = 1\na = 2', 'duplicate-key', 6],
    ['[a]\n[a]', 'duplicate-key', 5],
    ['a = { b = 1 }\na.c = 1', 'duplicate-key', 14],
    ['__proto__ = 1', 'unsafe-value', 0],
  ] as const) {
    assert.ok(readPlainToml(text) !== undefined, text)
    const problem = parseToml('x', Buffer.from(text))
    assert.ok(!problem.ok && problem.problem.code === code, text)
    assert.equal(problem.problem.offset, offset, text)
    // With an escape it is no plain text any more, and the same is said of it.
    const other = parseToml('x', Buffer.from(`${text}\nz = "\\t"`))
    assert.deepEqual(other.ok ? undefined : other.problem, problem.problem)
  }
})

test('a value does not keep the text that it stood in', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const kept: unknown[] = []
  const before = held()
  for (let index = 0; index < 20; index++) {
    const text = `a = "a text of more than twelve characters, number ${index}"\nb = ['another one, as long as that']\n# ${'x'.repeat(300_000)}`
    assert.ok(readPlainToml(text) !== undefined)
    const read = parseToml('x', Buffer.from(text))
    kept.push(read.ok && read.document.value)
  }
  const grown = held() - before
  assert.ok(grown < 2_000_000, `${grown} bytes for ${kept.length} values`)
})

const KEYS = ['a', 'b', '-', '0', '"c d"', "'e'", '""', 'a.b', 'b."c".d', 'true', '"ä"']
const VALUES = [
  '1',
  '-1',
  '0',
  '-0',
  '00',
  '123456789012345',
  '1234567890123456',
  'true',
  'false',
  '""',
  '"x"',
  "'y'",
  '"#"',
]
const SIGNS = [
  ' ',
  '\t',
  '\n',
  '#',
  '# c\n',
  '=',
  ' = ',
  ',',
  ', ',
  '.',
  '[',
  ']',
  '[[',
  ']]',
  '{',
  '}',
  '"',
  "'",
  '\\',
  '\r\n',
  '"""',
  "'''",
]
const ODD = [
  'ä',
  '__proto__',
  'a b',
  '1.5',
  '2026-11-21',
  'inf',
  '0x1',
  '+1',
  '1_0',
  '\u2028',
  '\u0085',
  '𝄞',
  '\ufeff',
  '\u00a0',
  '\u007f',
  '\u0000',
]

test('what it reads, the parser reads alike, to the last offset', () => {
  const scalar = fc.constantFrom(...VALUES)
  const key = fc.constantFrom(...KEYS)
  const { value } = fc.letrec<{ value: string }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map(items => `[ ${items.join(',')}]`),
      fc
        .array(tie('value'), { maxLength: 3 })
        .map(items => `[\n${items.map(item => `${item}, # c\n`).join('')}]`),
      fc
        .array(fc.tuple(key, tie('value')), { maxLength: 3 })
        .map(pairs => `{ ${pairs.map(([k, v]) => `${k} = ${v}`).join(', ')} }`),
    ),
  }))
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(key, value).map(([k, v]) => `${k} = ${v}`) },
    { weight: 1, arbitrary: key.map(k => `[${k}]`) },
    { weight: 1, arbitrary: key.map(k => `[[${k}]]`) },
    { weight: 1, arbitrary: fc.constantFrom('', '# c', '  ', '\t# "') },
  )
  const piece = fc.constantFrom(...KEYS, ...VALUES, ...SIGNS, ...ODD)
  const text = fc.oneof(
    fc.array(line, { maxLength: 6 }).map(lines => lines.join('\n')),
    fc
      .tuple(
        fc.array(line, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(2), piece), { minLength: 1, maxLength: 2 }),
      )
      .map(([lines, edits]) => edits.reduce(edit, lines.join('\n'))),
    fc.array(piece, { maxLength: 10 }).map(pieces => pieces.join('')),
  )
  const counts = { alike: 0, leftAlone: 0, refused: 0 }
  fc.assert(
    fc.property(text, text => {
      if (findTomlProblem(text) !== undefined) return
      const plain = readPlainToml(text)
      if (plain === undefined) return void counts.leftAlone++
      const parsed = parseTomlSyntax(text)
      // Only of keys that are there twice may it know nothing: that is for the tree.
      if ('code' in parsed) {
        assert.equal(parsed.code, 'duplicate-key', text)
        assert.deepEqual(readTomlTree(text), parsed)
        counts.refused++
      } else {
        assert.deepEqual(seen(plain), seen(parsed), text)
        counts.alike++
      }
    }),
    { numRuns: runs(8000) },
  )
  for (const [what, count] of Object.entries(counts)) assert.ok(count > among(100, 8000), `${what}: ${count}`)
})

function edit(text: string, [where, cut, insert]: readonly [number, number, string]): string {
  const at = where % (text.length + 1)
  return text.slice(0, at) + insert + text.slice(at + cut)
}

/** What the tree is made from; where a header ends, it looks for itself. */
function seen(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(seen)
  if (typeof node !== 'object' || node === null) return node
  const of = node as Readonly<Record<string, unknown>>
  const kept: Record<string, unknown> = {}
  for (const name of [
    'type',
    'kind',
    'key',
    'keys',
    'name',
    'style',
    'multiline',
    'value',
    'elements',
    'body',
  ]) {
    const isTheirOwn = of['type'] === 'TOMLQuoted' && name !== 'type' && name !== 'value'
    if (name in of && !isTheirOwn && !(of['type'] === 'TOMLKey' && name === 'type'))
      kept[name] = seen(of[name])
  }
  const range = of['range'] as readonly number[] | undefined
  if (of['type'] === 'TOMLTopLevelTable') delete kept['type']
  else if (range !== undefined) kept['range'] = of['type'] === 'TOMLTable' ? range[0] : [...range]
  return kept
}
