// Edits in place: what changes is what was asked for, everything else stays byte for byte, and what cannot be edited is refused.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { appendAllToArray } from '../../src/json/change.ts'
import { parseJson } from '../../src/json/parse.ts'
import type { Document, Parsed, Pointer } from '../../src/model/document.ts'
import { RlpError } from '../../src/model/error.ts'
import { editToml, type TomlEdit } from '../../src/toml/edit.ts'
import { parseToml } from '../../src/toml/parse.ts'
import { processorTime } from '../support/processor-time.ts'
import { runs, upTo } from '../support/runs.ts'

fc.configureGlobal({ seed: 20261120 })

function opened(parsed: Parsed): Document {
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.problem.message)
  return parsed.document
}
const toml = (text: string) => opened(parseToml('manifest.toml', Buffer.from(text)))
const json = (text: string) => opened(parseJson('tools.json', Buffer.from(text)))
const edited = (text: string, ...edits: TomlEdit[]) => editToml(toml(text), edits)
const set = (path: string, value: string | number | boolean): TomlEdit => ({
  path: path.split('/'),
  set: value,
})
const remove = (path: string): TomlEdit => ({ path: path.split('/'), remove: true })

function refusal(run: () => unknown): RlpError {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof RlpError, String(error))
    assert.equal(error.code, 'NOT_EDITABLE')
    return error
  }
  assert.fail('nothing was thrown')
}

const MANIFEST = `# our mailer
[agent]
name = 'mailer'   # fixed
entry_wasm = { path = "bin/mailer.wasm", blake3 = "00" }

[artifacts.tools]
path = "tools.json"
blake3 = "00"
# the version of tools.json

# JSON Schema
[schemas.with]
type = "object"
`

test('values change in place, in the quotes they had', () => {
  assert.equal(
    edited(
      MANIFEST,
      set('agent/entry_wasm/blake3', 'ff'),
      set('agent/name', 'post'),
      set('artifacts/tools/blake3', 'ee'),
    ),
    MANIFEST.replace('blake3 = "00" }', 'blake3 = "ff" }')

      .replace("'mailer'", "'post'")
      .replace('"00"', '"ee"'),
  )
  assert.equal(edited("a = 'x'", set('a', "it's")), 'a = "it\'s"')
  assert.equal(edited("a = 'x'", set('a', 'C:\\x')), "a = 'C:\\x'")
  assert.equal(edited('a = "x" # c', set('a', 'q"\\\n\u007f')), 'a = "q\\"\\\\\\n\\u007F" # c')
  assert.equal(edited('a = """\nx\n""" # c', set('a', 'y')), 'a = "y" # c')
  assert.equal(edited('a = [1,\n2]', set('a', true)), 'a = true')
  assert.equal(edited('a = 0x10', set('a', 1.5)), 'a = 1.5')
})

test('what has its value already keeps its spelling', () => {
  const text = 'a = "\\u0061"\nb = 0x10\nc = 1.0'
  assert.equal(edited(text, set('a', 'a'), set('b', 16), set('c', 1)), text)
})

test('missing keys go behind the last pair of their table, missing tables behind their nearest relative', () => {
  assert.equal(
    edited(
      MANIFEST,
      set('artifacts/tools/version', 1),
      set('artifacts/policy/path', 'policy.caps'),
      set('artifacts/policy/blake3', 'aa'),
      set('artifacts/files/README.md', 'bb'),
      set('artifacts/files/schemas/x.json', 'cc'),
      set('agent/entry_wasm/size', 7),
      set('ports/in', 'x'),
    ),
    `# our mailer
[agent]
name = 'mailer'   # fixed
entry_wasm = { path = "bin/mailer.wasm", blake3 = "00", size = 7 }

[artifacts.tools]
path = "tools.json"
blake3 = "00"
version = 1
# the version of tools.json

[artifacts.policy]
path = "policy.caps"
blake3 = "aa"

[artifacts.files]
"README.md" = "bb"

[artifacts.files.schemas]
"x.json" = "cc"

# JSON Schema
[schemas.with]
type = "object"

[ports]
in = "x"
`,
  )
})

test('keys with slashes and dots are one key', () => {
  const file = { path: ['f', 'schemas/x.json'], set: 'aa' }
  assert.equal(editToml(toml('[f]'), [file]), '[f]\n"schemas/x.json" = "aa"')
})

for (const [what, text, edits, result] of [
  [
    'CRLF, no final line end',
    'a = 1\r\n[t]\r\nb = 1',
    [set('t/c', 2), set('u/d', 3)],
    'a = 1\r\n[t]\r\nb = 1\r\nc = 2\r\n\r\n[u]\r\nd = 3',
  ],
  ['indented', '[t]\n  b = 1 # c\n', [set('t/c', 2)], '[t]\n  b = 1 # c\n  c = 2\n'],
  ['an indented header', '  [t.a]\n  b = 1\n', [set('t/c/d', 2)], '  [t.a]\n  b = 1\n\n  [t.c]\n  d = 2\n'],
  ['a header without pairs', '[t] # c\n\n[u]\n', [set('t/c', 2)], '[t] # c\nc = 2\n\n[u]\n'],
  ['a table that only its children name', '[t.u]\nb = 1\n', [set('t/c', 2)], '[t.u]\nb = 1\n\n[t]\nc = 2\n'],
  [
    'beside dotted keys',
    'a . "b" . c = 1\nd = 2\n',
    [set('a/b/e', 3), set('a/f', 4)],
    'a . "b" . c = 1\na . "b" . e = 3\na . f = 4\nd = 2\n',
  ],
  [
    'beside dotted keys in braces',
    'x = { a.b = 1, c = 2 }',
    [set('x/a/d', 3)],
    'x = { a.b = 1, c = 2, a.d = 3 }',
  ],
  ['below nothing in braces', 'x = {}', [set('x/a/b', 3), set('x/c', true)], 'x = { a.b = 3, c = true }'],
  [
    'the first root key',
    '# about\n\n# the table\n[t]\n',
    [set('a', 1), set('b', 2)],
    '# about\n\na = 1\nb = 2\n\n# the table\n[t]\n',
  ],
  ['a text of comments', '# about', [set('t/a', 1), set('b', 2)], '# about\nb = 2\n\n[t]\na = 1'],
  ['behind the last blank line', 'a = 1\n\n', [set('t/a', 1)], 'a = 1\n\n[t]\na = 1\n'],
  [
    'behind a table of the same family',
    '[a.b]\nx = 1\n[c]\n[[a.d]]\ny = 1\n# end\n',
    [set('a/e/z', 1)],
    '[a.b]\nx = 1\n[c]\n[[a.d]]\ny = 1\n# end\n\n[a.e]\nz = 1\n',
  ],
  [
    'a removed line, with its comment',
    'a = 1\nb = [\n 1, # x\n] # c\nc = 3\n',
    [remove('b')],
    'a = 1\nc = 3\n',
  ],
  ['the last line of a text without final line end', 'a = 1\nb = 2', [remove('b')], 'a = 1'],
  ['a table with its header', '[s]\n# about\n[t]\na = 1\n\n[u]\n', [remove('t')], '[s]\n# about\n\n[u]\n'],
  ['the only table below another', 'x = 1\n[t.u]\na = 1\nb = { c = 2 }\n', [remove('t/u')], 'x = 1\n'],
  ['the last key of a table', '[t]\na = 1\n\n[u]\n', [remove('t/a')], '[t]\n\n[u]\n'],
  ['the first of three in braces', 'x = {a = 1, b = 2, c = 3}', [remove('x/a')], 'x = {b = 2, c = 3}'],
  ['the middle of three in braces', 'x = {a = 1, b = 2, c = 3}', [remove('x/b')], 'x = {a = 1, c = 3}'],
  [
    'the last two of three in braces',
    'x = {a = 1, b = 2, c = 3}',
    [remove('x/b'), remove('x/c')],
    'x = {a = 1}',
  ],
  [
    'the outer two of three in braces',
    'x = {a = 1, b = 2, c = 3}',
    [remove('x/a'), remove('x/c')],
    'x = {b = 2}',
  ],
  ['one for another in braces', 'x = { a = 1 }', [remove('x/a'), set('x/b', 2)], 'x = { b = 2 }'],
  ['one for another in a table', '[t]\na = 1\n', [remove('t/a'), set('t/b', 2)], '[t]\nb = 2\n'],
  ['one for another in dotted keys', 't.a = 1\n', [remove('t/a'), set('t/b', 2)], 't.b = 2\n'],
  ['a zero at the very end', 'a = 1\nb = 0', [set('b', 'x')], 'a = 1\nb = "x"'],
  ['what is not there', 'a = 1\n', [remove('b'), remove('a/b'), remove('c/d')], 'a = 1\n'],
  ['the later of two edits', 'a = 1\n', [set('a', 2), remove('a'), set('a', 3)], 'a = 3\n'],
  ['nothing', 'a = 1\r\n# x', [], 'a = 1\r\n# x'],
] as const) {
  test(`in place: ${what}`, () => {
    assert.equal(edited(text, ...edits), result)
    assert.equal(edited(result, ...edits), result, 'twice is once')
  })
}

for (const [what, text, edits, seen] of [
  ['a table with a header', '[t]\na = 1', [set('t', 1)], /a table is where/],
  ['dotted keys', 't.a = 1', [set('t', 1)], /a table is where/],
  [
    'a table of several headers is removed',
    '[t]\n[t.u]\na = 1',
    [remove('t')],
    /t is written as several tables/,
  ],
  ['through a value', 'a = 1', [set('a/b', 1)], /a is no table/],
  ['through an array of tables', '[[a]]\nb = 1', [set('a/b', 1)], /a is no table/],
  ['a key and what is below it', 'a = 1', [set('b', 1), set('b/c', 1)], /could not be read/],
  ['in what is removed', 'a = { b = 1 }', [remove('a'), set('a/b', 2)], /contradict/],
  ['a value that TOML cannot hold', 'a = 1', [set('a', Number.NaN)], /could not be read/],
  ['half a character', 'a = 1', [set('a', '\ud800')], /could not be read/],
  ['an integer beyond 2^53', 'a = 1', [set('a', 2 ** 60)], /could not be read/],
  ['a key that is not allowed', 'a = 1', [set('__proto__/b', 1)], /could not be read/],
  ['nothing left', 'a = 1', [remove('a')], /could not be read/],
] as const) {
  test(`not editable: ${what}`, () => {
    const error = refusal(() => edited(text, ...edits))
    assert.match(error.message, /^Cannot edit manifest\.toml: /)
    assert.match(error.message, seen)
    assert.match(error.hint ?? '', /, then run the command again$/)
  })
}

test('a result that reads back as other values is refused', () => {
  const strange = { ...toml('a = 1'), value: { a: 1, b: 2 } } as Document
  const error = refusal(() => editToml(strange, [set('a', 2)]))
  assert.match(error.message, /other values/)
  const list = { ...json('[1]'), value: [2] } as Document
  assert.match(refusal(() => appendAllToArray(list, [], [3])).message, /other values/)
})

test('a hint proposes no lines: where the edit fails, they would make the file malformed', () => {
  const { hint } = refusal(() => edited('a = 1', set('a/x', 1), { path: ['f', 'README.md'], set: 'aa' }))
  assert.equal(hint, 'Correct that by hand, then run the command again')
})

// Random documents: a model, and one of many ways to write it.
type Model = { [key: string]: Model | string | number | boolean | number[] }
const KEYS = ['a', 'b', 'c-1', 'd e', 'x.y']
const scalar = fc.oneof(
  fc.constantFrom('', 's', "it's", 'C:\\dir', 'two\nlines', 'ä"𝄞'),
  fc.integer({ min: -99, max: 99 }),
  fc.boolean(),
  fc.constantFrom(0, 0.5, -2e30),
)
const model = fc.letrec<{ table: Model; node: Model[string] }>(tie => ({
  table: fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 4, noNullPrototype: true }),
  node: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(fc.integer(), { maxLength: 2 }) },
    { weight: 3, arbitrary: tie('table') },
  ),
})).table

const isModel = (value: unknown): value is Model =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const keyText = (key: string) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** Writes a model; `choose(n)` picks one of n ways. */
function write(root: Model, choose: (n: number) => number): string {
  const value = (node: Model[string]): string => {
    if (isModel(node)) return `{${pairs(node, []).join(', ')}}`
    if (typeof node === 'string')
      return choose(2) === 0 && !/['\n]/.test(node) ? `'${node}'` : JSON.stringify(node)
    return Array.isArray(node) ? `[${node.join(choose(2) === 0 ? ',' : ', ')}]` : String(node)
  }
  const pairs = (table: Model, prefix: string[]): string[] =>
    Object.entries(table).flatMap(([key, node]) => {
      const path = [...prefix, keyText(key)]
      if (isModel(node) && Object.keys(node).length > 0 && choose(2) === 0) return pairs(node, path)
      return [`${path.join(choose(4) === 0 ? ' . ' : '.')}${choose(3) === 0 ? '=' : ' = '}${value(node)}`]
    })
  const noise = () => ['', '', '', '# note\n', '\n', '\n# apart\n\n', '# one\n# two\n'][choose(7)] ?? ''
  const section = (table: Model, path: string[]): string => {
    const own: Model = {}
    const below: [string, Model][] = []
    for (const [key, node] of Object.entries(table)) {
      if (isModel(node) && choose(2) === 0) below.push([key, node])
      else own[key] = node
    }
    const indent = choose(4) === 0 ? '  ' : ''
    const lines = pairs(own, []).map(pair => `${noise()}${indent}${pair}${choose(4) === 0 ? ' # why' : ''}\n`)
    const implied = lines.length === 0 && below.length > 0 && choose(2) === 0
    const header = path.length === 0 || implied ? '' : `${indent}[${path.map(keyText).join('.')}]\n`
    return (
      header + lines.join('') + noise() + below.map(([key, node]) => section(node, [...path, key])).join('')
    )
  }
  let text = `# top\n${choose(2) === 0 ? '\n' : ''}${section(root, [])}`
  if (choose(3) === 0) text = text.replace(/\n$/, '')
  return choose(3) === 0 ? text.replaceAll('\n', '\r\n') : text
}

const written = fc.tuple(model, fc.infiniteStream(fc.nat(1 << 20))).map(([root, stream]) => {
  const text = write(root, n => (stream.next().value ?? 0) % n)
  return { root, text }
})

function leaves(table: Model, at: string[] = []): [string[], unknown][] {
  return Object.entries(table).flatMap(([key, node]) =>
    isModel(node) ? leaves(node, [...at, key]) : [[[...at, key], node] as [string[], unknown]],
  )
}

test('random documents read as the model they were written from, and every value is where locate says', () => {
  fc.assert(
    fc.property(written, ({ root, text }) => {
      const document = toml(text)
      assert.deepEqual(document.value, root)
      for (const [pointer, value] of leaves(root)) {
        const slice = (part: 'key' | 'value') => {
          const { start, end } = document.locate(pointer, part)
          return text.slice(start, end)
        }
        assert.deepEqual(toml(`v = ${slice('value')}`).value, { v: value })
        assert.deepEqual(toml(`${slice('key')} = 1`).value, { [String(pointer.at(-1))]: 1 })
      }
    }),
    { numRuns: upTo(75, 1000) },
  )
})

/** The model with an edit applied; undefined where the edit is not one that must work. */
function applied(root: Model, edit: TomlEdit): Model | undefined {
  const copy = structuredClone(root)
  let table = copy
  for (const key of edit.path.slice(0, -1)) {
    const next = table[key] ?? {}
    if (!isModel(next)) return undefined
    if ('remove' in edit && table[key] === undefined) return copy
    table[key] = next
    table = next
  }
  const last = edit.path.at(-1) ?? ''
  if (isModel(table[last])) return undefined
  if ('set' in edit) table[last] = edit.set
  else delete table[last]
  return copy
}

const editsOf = fc.array(
  fc.tuple(
    fc.array(fc.constantFrom(...KEYS, 'new', 'sehr neu'), { minLength: 1, maxLength: 3 }),
    fc.option(scalar, { freq: 3 }),
  ),
  { minLength: 1, maxLength: 5 },
)

const withoutEmptyTables = (value: unknown): unknown => {
  if (!isModel(value)) return value
  const members = Object.entries(value).map(([key, node]) => [key, withoutEmptyTables(node)] as const)
  return Object.fromEntries(members.filter(([, node]) => !isModel(node) || Object.keys(node).length > 0))
}

test('random edits of random documents: the values asked for, every other line as it was, twice is once', () => {
  const tried = upTo(75, 3000)
  let done = 0
  let lines = 0
  fc.assert(
    fc.property(written, editsOf, ({ root, text }, candidates) => {
      const document = toml(text)
      const edits: TomlEdit[] = []
      let expected = root
      for (const [path, value] of candidates) {
        const related = edits.some(other => path.every((key, index) => (other.path[index] ?? key) === key))
        const edit: TomlEdit = value === null ? { path, remove: true } : { path, set: value }
        const next = related ? undefined : applied(expected, edit)
        if (next === undefined) continue
        edits.push(edit)
        expected = next
      }
      const result = editToml(document, edits)
      const after = toml(result)
      assert.equal(editToml(after, edits), result)
      // Tables that only dotted keys made are gone with the last of these; the editor itself compares exactly.
      assert.deepEqual(withoutEmptyTables(after.value), withoutEmptyTables(expected))

      const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
      const onlySets = edits.every(edit => 'set' in edit)
      if (onlySets) assert.equal(result.endsWith(lineEnd), text.endsWith(lineEnd))
      if (lineEnd === '\r\n') assert.doesNotMatch(result, /[^\r]\n/)
      const touched = new Set(
        edits.map(edit => text.slice(0, document.locate(edit.path).start).split('\n').length - 1),
      )
      const resulting = result.split(lineEnd)
      let from = 0
      for (const [index, line] of text.split(lineEnd).entries()) {
        if (touched.has(index)) continue
        const at = resulting.indexOf(line, from)
        assert.ok(at !== -1, `line ${JSON.stringify(line)} is gone from ${JSON.stringify(result)}`)
        from = at + 1
        lines++
      }
      done += edits.length
    }),
    { numRuns: tried },
  )
  assert.ok(done > tried && lines > tried, `${done} edits, ${lines} lines`)
})

test('a thousand new digests cost a moment', () => {
  const files = Array.from({ length: 1000 }, (_, index) => `"f/${index}.json" = "00"\n`).join('')
  const edits: TomlEdit[] = Array.from({ length: 2000 }, (_, index) => ({
    path: ['artifacts', 'files', `f/${index}.json`],
    set: 'ff',
  }))
  const started = processorTime()
  const result = edited(`[artifacts.files]\n${files}`, ...edits)
  assert.equal(result.split('= "ff"\n').length, 2001)
  assert.ok(processorTime() - started < 10_000)
})

const real = join(import.meta.dirname, '../../../shared/real/agents/mailer/manifest.toml')
test('the real manifest', { skip: existsSync(real) ? false : '../shared is not there' }, () => {
  const text = readFileSync(real, 'utf8')
  const digest = '50b37b73a6ed84e41509cc323df9e77b5f45f7c6e85f63d74f45d12307b73d56'
  assert.equal(
    edited(text, set('agent/entry_wasm/blake3', 'ff'), set('artifacts/policy/path', 'policy.caps')),
    text
      .replace(digest, 'ff')
      .replace('version = 1\n', 'version = 1\n\n[artifacts.policy]\npath = "policy.caps"\n'),
  )
})

const TOOLS: Pointer = ['tools']
for (const [what, text, value, result] of [
  [
    'empty, two spaces, no final line end',
    '{\n  "version": 1,\n  "tools": []\n}',
    { id: 'a', n: [] },
    '{\n  "version": 1,\n  "tools": [\n    {\n      "id": "a",\n      "n": []\n    }\n  ]\n}',
  ],
  [
    'tabs and CRLF',
    '{\r\n\t"tools": [\r\n\t\t1\r\n\t]\r\n}\r\n',
    { a: 'x\ny' },
    '{\r\n\t"tools": [\r\n\t\t1,\r\n\t\t{\r\n\t\t\t"a": "x\\ny"\r\n\t\t}\r\n\t]\r\n}\r\n',
  ],
  [
    'one line',
    '{"version":1,"tools":[{"id":"a"}]}\n',
    { id: 'b' },
    '{"version":1,"tools":[{"id":"a"},{"id":"b"}]}\n',
  ],
  ['one line, empty', '{"tools":[]}', { id: 'b' }, '{"tools":[{"id":"b"}]}'],
  [
    'several on one line of many',
    '{\n  "tools": [1, 2],\n  "x": 0\n}',
    3,
    '{\n  "tools": [1, 2, 3],\n  "x": 0\n}',
  ],
  [
    'hugged by its brackets',
    '{\n    "tools": [{\n        "id": "a"\n    }]\n}',
    { id: 'b' },
    '{\n    "tools": [{\n        "id": "a"\n    }, {\n        "id": "b"\n    }]\n}',
  ],
  ['empty over two lines', '{\n  "tools": [\n  ]\n}', 1, '{\n  "tools": [\n    1\n  ]\n}'],
  ['the key is missing', '{\n  "version": 1\n}\n', 1, '{\n  "version": 1,\n  "tools": [\n    1\n  ]\n}\n'],
  ['the key is missing on one line', '{"version":1}', 1, '{"version":1,"tools":[1]}'],
  ['nothing is there', '{}', 1, '{"tools":[1]}'],
  ['nothing is there, over two lines', '{\n}\n', 1, '{\n  "tools": [\n    1\n  ]\n}\n'],
] as const) {
  test(`append: ${what}`, () => {
    assert.equal(appendAllToArray(json(text), TOOLS, [value]), result)
  })
}

test('append: what cannot be done is refused', () => {
  for (const [text, pointer, value, seen] of [
    ['{"tools":{}}', TOOLS, 1, /the value is not an array/],
    ['[]', TOOLS, 1, /the value is not an array/],
    ['{"tools":[]}', ['tools', 0, 'x'], 1, /there is no value/],
    ['{"tools":[]}', ['a', 'b'], 1, /there is no value/],
    ['{"tools":[]}', TOOLS, undefined, /cannot be written as JSON/],
    ['{"tools":[]}', TOOLS, '\ud800', /would not be readable/],
    ['{"tools":[]}', TOOLS, JSON.parse('{"__proto__":1}'), /would not be readable/],
    ['{"a":[]}', ['__proto__'], 1, /would not be readable/],
  ] as const) {
    const error = refusal(() => appendAllToArray(json(text), pointer, [value]))
    assert.match(error.message, /^Cannot append to "[\w.]+" in tools\.json: /)
    assert.match(error.message, seen)
    const proposed = /^Add this value by hand: (.*)$/.exec(error.hint ?? '')?.[1]
    // What is proposed can be read: a value that cannot be is not proposed.
    if (proposed === undefined) assert.match(seen.source, /cannot be written|would not be readable/)
    else assert.deepEqual(parseJson('by hand', Buffer.from(proposed)).ok && JSON.parse(proposed), value)
  }
  assert.deepEqual(JSON.parse(appendAllToArray(json('{"a":[[1]]}'), ['a', 0], [2])), { a: [[1, 2]] })
  assert.deepEqual(JSON.parse(appendAllToArray(json('[]'), [], [2])), [2])
})

test('append: nothing but an insertion, and in the style of JSON.stringify where the file has it', () => {
  const plain = fc
    .jsonValue({ maxDepth: 3 })
    .filter(value => parseJson('x', Buffer.from(JSON.stringify(value))).ok)
  const member = fc.array(plain, { maxLength: 3 })
  const style = fc.record({
    indent: fc.constantFrom(undefined, 2, 4, '\t'),
    newline: fc.constantFrom('\n', '\r\n'),
    end: fc.boolean(),
  })
  fc.assert(
    fc.property(
      member,
      fc.boolean(),
      fc.boolean(),
      plain,
      style,
      (tools, present, last, value, { indent, newline, end }) => {
        const base = { version: 1, ...(present && { tools }), ...(!last && present && { note: 'x' }) }
        const write = (what: unknown) =>
          JSON.stringify(what, null, indent).replaceAll('\n', newline) + (end ? newline : '')
        const text = write(base)
        const result = appendAllToArray(json(text), TOOLS, [value])
        assert.equal(
          result,
          write({ ...base, tools: [...(present ? tools : []), JSON.parse(JSON.stringify(value))] }),
        )
        let same = 0
        while (same < text.length && text[same] === result[same]) same++
        assert.ok(result.endsWith(text.slice(same)), 'every byte is kept')
      },
    ),
    { numRuns: runs(500) },
  )
})
