// WebAssembly modules, right and wrong: what the walker says of them, and that it agrees with the engine wherever both have a say.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readWasm, type WasmRead } from '../../src/wasm/read.ts'
import { STUB_WASM } from '../../src/wasm/stub.ts'
import { anyText } from '../support/any-text.ts'
import { among, runs } from '../support/runs.ts'
import {
  body,
  componentOf,
  custom,
  exportOf,
  I32,
  I64,
  IMPORT_TYPES,
  importOf,
  leb,
  MAGIC,
  moduleOf,
  rawModule,
  section,
  sized,
  type,
  vec,
} from '../support/wasm.ts'
import { WASM_FIXTURES } from '../support/wasm-fixtures.ts'

interface Engine {
  validate(bytes: Uint8Array): boolean
  Module: {
    new (bytes: Uint8Array): object
    imports(module: object): { module: string; name: string; kind: string }[]
    exports(module: object): { name: string; kind: string }[]
  }
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: Engine }

/** A module with every section there is, as an engine accepts it. */
const SECTIONS: Readonly<Record<string, readonly number[]>> = {
  custom: custom('first', [1, 2, 3]),
  type: section(1, vec([type([], []), type([I32, I64], [I32])])),
  import: section(2, vec([importOf('runloop', 'notify_ready'), importOf('env', 'x', IMPORT_TYPES.global)])),
  function: section(3, vec([[0], [1]])),
  table: section(4, vec([[0x70, 0x00, 0x02]])),
  memory: section(5, vec([[0x01, 0x01, 0x02]])),
  tag: section(13, vec([[0x00, 0x00]])),
  global: section(6, vec([[I32, 0x01, 0x41, 0x07, 0x0b]])),
  export: section(7, vec([exportOf('memory', 'memory'), exportOf('_start', 'function', 1)])),
  start: section(8, [0x01]),
  element: section(9, vec([[0x00, 0x41, 0x00, 0x0b, ...vec([[0x01]])]])),
  'data count': section(12, [0x01]),
  code: section(10, vec([body(), body(0x41, 0x2a)])),
  data: section(11, vec([[0x00, 0x41, 0x00, 0x0b, ...sized('hi')]])),
}
const FULL = rawModule(...Object.values(SECTIONS))
const without = (...names: string[]) =>
  rawModule(...Object.entries(SECTIONS).flatMap(([name, bytes]) => (names.includes(name) ? [] : [bytes])))
/** A section of many entries, without arrays of as many numbers. */
const big = (id: number, count: number, entries: Uint8Array) => {
  const head = leb(count)
  return Buffer.concat([Uint8Array.from([id, ...leb(head.length + entries.length), ...head]), entries])
}
const patched = (bytes: Uint8Array, at: number, ...values: number[]) => {
  const copy = Uint8Array.from(bytes)
  copy.set(values, at)
  return copy
}

/** A program without a standard library, as rustc 1.97 and its linker made it: `notify_ready()`, then `proc_exit(http_request(0, 0))`. */
const LINKED = Buffer.from(
  `
  AGFzbQEAAAABDgNgAABgAn9/AX9gAX8AAlIDB3J1bmxvb3AMbm90aWZ5X3JlYWR5AAAHcnVubG9vcAxodHRwX3JlcXVlc3QAARZ3
  YXNpX3NuYXBzaG90X3ByZXZpZXcxCXByb2NfZXhpdAACAwIBAAUDAQAQBgkBfwFBgIDAAAsHEwIGbWVtb3J5AgAGX3N0YXJ0AAMK
  IQEfAQF/EICAgIAAQQAhACAAIAAQgYCAgAAQgoCAgAAPCwCVAQRuYW1lAAcGdC53YXNtAXEEACJfUk52Q3M0UFZSMVV1ZTNtVF8x
  dDEybm90aWZ5X3JlYWR5ASJfUk52Q3M0UFZSMVV1ZTNtVF8xdDEyaHR0cF9yZXF1ZXN0Ah5fUk52Q3M0UFZSMVV1ZTNtVF8xdDlw
  cm9jX2V4aXQDBl9zdGFydAcSAQAPX19zdGFja19wb2ludGVyAEUJcHJvZHVjZXJzAQxwcm9jZXNzZWQtYnkBBXJ1c3RjJTEuOTcu
  MC1uaWdodGx5IChlNTBhYTZmYmEgMjAyNi0wNS0xOSkAlAEPdGFyZ2V0X2ZlYXR1cmVzCCsLYnVsay1tZW1vcnkrD2J1bGstbWVt
  b3J5LW9wdCsWY2FsbC1pbmRpcmVjdC1vdmVybG9uZysKbXVsdGl2YWx1ZSsPbXV0YWJsZS1nbG9iYWxzKxNub250cmFwcGluZy1m
  cHRvaW50Kw9yZWZlcmVuY2UtdHlwZXMrCHNpZ24tZXh0`,
  'base64',
)

describe('a module that is right', () => {
  test('shows imports, exports, custom sections and start', () => {
    assert.ok(WebAssembly.validate(FULL))
    assert.deepEqual(readWasm(FULL), {
      ok: true,
      module: {
        imports: [
          { module: 'runloop', name: 'notify_ready', kind: 'function' },
          { module: 'env', name: 'x', kind: 'global' },
        ],
        exports: [
          { name: 'memory', kind: 'memory' },
          { name: '_start', kind: 'function' },
        ],
        customSections: ['first'],
        hasStart: true,
        isComponent: false,
      },
    })
  })

  test('has imports of five kinds', () => {
    const { function: ofFunction, ...others } = IMPORT_TYPES
    const imports = Object.entries({ ...others, function: ofFunction() })
    const bytes = rawModule(
      section(1, vec([type([], [])])),
      section(2, vec(imports.map(([kind, what]) => importOf('env', `a ${kind}`, what)))),
    )
    assert.deepEqual(
      moduleIn(bytes).imports,
      imports.map(([kind]) => ({ module: 'env', name: `a ${kind}`, kind })),
    )
    assertAgrees(bytes)
  })

  const types: Readonly<Record<string, readonly number[]>> = {
    'a table of external references, at most 300': [0x01, 0x6f, 0x01, 0x00, 0xac, 0x02],
    'a table of references to a type': [0x01, 0x63, 0x00, 0x00, 0x01],
    'a table of references to functions, spelled out': [0x01, 0x63, 0x70, 0x00, 0x01],
    'a shared memory': [0x02, 0x03, 0x01, 0x02],
    'a memory of 64 bits': [0x02, 0x05, 0x01, 0x80, 0x80, 0x04],
    'a memory with pages of its own size': [0x02, 0x08, 0x01, 0x00],
    'a vector': [0x03, 0x7b, 0x00],
    'a variable': [0x03, 0x7c, 0x01],
  }
  for (const [what, bytes] of Object.entries(types)) {
    test(`may import ${what}`, () => {
      const module = rawModule(
        section(1, vec([type([], [])])),
        section(2, vec([importOf('a', 'b', bytes), importOf('c', 'd')])),
      )
      assert.equal(moduleIn(module).imports.length, 2)
      assertAgrees(module)
    })
  }

  test('keeps every name as it is: empty, long, with a mark, a BOM, a NUL, twice', () => {
    const names = ['', 'x'.repeat(100_000), 'ß🜚', '\ufeffa', 'a\0b', 'same', 'same']
    const bytes = rawModule(
      section(1, vec([type([], [])])),
      section(2, vec(names.map(name => importOf(name, name)))),
    )
    assert.ok(WebAssembly.validate(bytes))
    assert.deepEqual(
      moduleIn(bytes).imports.map(({ name }) => name),
      names,
    )
    assertAgrees(bytes)
  })

  test('may pad its numbers, have empty sections, or none', () => {
    const padded = rawModule([1, ...leb(8, 5), ...leb(1, 5), ...type([], [])])
    const empty = rawModule(...[1, 2, 3, 4, 5, 6, 7, 9, 10, 11].map(id => section(id, [0])))
    for (const bytes of [padded, empty, Uint8Array.from(MAGIC), STUB_WASM]) {
      assert.ok(WebAssembly.validate(bytes))
      assert.ok(readWasm(bytes).ok)
    }
  })

  test('may have custom sections anywhere and in any number', () => {
    const parts = Object.values(SECTIONS).flatMap(part => [part, custom('note'), custom('')])
    assertAgrees(rawModule(...parts))
    const many = rawModule(...Array.from({ length: 3000 }, (_, index) => custom(`n${index}`)))
    assert.deepEqual(moduleIn(many).customSections.slice(-1), ['n999'])
    assert.equal(moduleIn(many).customSections.length, 1000)
  })

  test('may come from a linker', () => {
    assert.ok(WebAssembly.validate(LINKED))
    const { imports, exports, customSections } = moduleIn(LINKED)
    assert.deepEqual(
      imports.map(({ module, name }) => `${module}.${name}`),
      ['runloop.notify_ready', 'runloop.http_request', 'wasi_snapshot_preview1.proc_exit'],
    )
    assert.deepEqual(exports, [
      { name: 'memory', kind: 'memory' },
      { name: '_start', kind: 'function' },
    ])
    assert.deepEqual(customSections, ['name', 'producers', 'target_features'])
    assertAgrees(LINKED)
  })

  test('may be far from small', () => {
    const count = 60_000
    // As one text, which is much faster than joining small arrays: each name has five digits behind its letter.
    const named = (before: string) =>
      Buffer.from(
        Array.from({ length: count }, (_, index) => `${before}${String(index).padStart(5, '0')}\0\0`).join(
          '',
        ),
      )
    const bytes = Buffer.concat([
      rawModule(section(1, vec([type([], [])]))),
      big(2, count, named('\x01m\x06i')),
      big(3, 300_000, Buffer.alloc(300_000)),
      big(7, count, named('\x06e')),
      big(10, 300_000, Buffer.alloc(900_000, Uint8Array.of(2, 0, 0x0b))),
    ])
    const { imports, exports } = within(5_000, () => moduleIn(bytes))
    assert.equal(imports.at(-1)?.name, `i${count - 1}`)
    assert.equal(exports.at(-1)?.name, `e${count - 1}`)
    assert.equal(imports.length + exports.length, 2 * count)
  })
})

test('a component is told from a module, and not read', () => {
  const bytes = componentOf(moduleOf())
  assert.deepEqual(readWasm(bytes), {
    ok: true,
    module: { imports: [], exports: [], customSections: [], hasStart: false, isComponent: true },
  })
  assert.ok(readWasm(bytes.subarray(0, 8)).ok, 'eight bytes say so')
})

describe('a module that is wrong', () => {
  const names = Object.keys(SECTIONS)
  const offsetOf = (name: string) => {
    const before = Object.values(SECTIONS).slice(0, names.indexOf(name)).flat()
    return MAGIC.length + before.length
  }
  type Wrong = readonly [what: string, bytes: Uint8Array | readonly number[], offset: number, reason: RegExp]
  const inSection = (id: number, ...content: number[]) => rawModule(section(id, content))
  const imported = (...what: number[]) => inSection(2, 1, ...sized('m'), ...sized('n'), ...what)
  const wrong: readonly Wrong[] = [
    ['nothing', [], 0, /^the header is cut off/],
    ['other magic', [0, 0x61, 0x73, 0x6e, 1, 0, 0, 0], 3, /^it does not begin with the bytes 00 61 73 6d$/],
    ['half a header', MAGIC.slice(0, 6), 6, /^the header is cut off$/],
    ['a section without a size', [...MAGIC, 1], 9, /^the size of the type section is cut off$/],
    [
      'a section that ends too late',
      rawModule([1, 9, 0]),
      8,
      /^the type section announces 9 bytes and 1 are left$/,
    ],
    [
      'a section of 4 GiB',
      rawModule([1, ...leb(2 ** 32 - 1)]),
      8,
      /announces 4294967295 bytes and 0 are left/,
    ],
    ['a size of 33 bits', rawModule([1, 0xff, 0xff, 0xff, 0xff, 0x1f]), 9, /does not fit into 32 bits$/],
    ['a size of six bytes', rawModule([1, 0x80, 0x80, 0x80, 0x80, 0x80, 0]), 9, /does not fit into 32 bits$/],
    [
      'a number that never ends',
      rawModule([1, ...Array.from({ length: 64 }, () => 0xff)]),
      9,
      /does not fit/,
    ],
    [
      'a section twice',
      rawModule(section(1, [0]), section(1, [0])),
      11,
      /^the type section appears twice or too late$/,
    ],
    [
      'two import sections',
      rawModule(section(2, [0]), section(2, [0])),
      11,
      /^the import section appears twice/,
    ],
    [
      'types after imports',
      rawModule(section(2, [0]), section(1, [0])),
      11,
      /^the type section appears twice or/,
    ],
    ['tags after globals', rawModule(section(6, [0]), section(13, [0])), 11, /^the tag section/],
    ['a data count after code', rawModule(section(10, [0]), section(12, [0])), 11, /^the data count section/],
    [
      'content after the content',
      inSection(2, 0, 0),
      11,
      /^1 bytes follow the content of the import section$/,
    ],
    ['content after the start', inSection(8, 0, 0), 11, /^1 bytes follow the content of the start section$/],
    ['an empty custom section', inSection(0), 10, /^the length of the name of a custom section is cut off$/],
    [
      'a custom name beyond its section',
      rawModule([0, 2, 5, 97], custom('x')),
      10,
      /name of a custom section is cut/,
    ],
    [
      'a name that is not UTF-8',
      inSection(0, 2, 0xc3, 0x28),
      10,
      /^the name of a custom section is not UTF-8$/,
    ],
    ['an overlong name', imported().fill(0xc0, 12, 13), 11, /^the module of an import is not UTF-8$/],
    [
      'a surrogate in a name',
      inSection(7, 1, 3, 0xed, 0xa0, 0x80, 0, 0),
      11,
      /^the name of an export is not UTF-8$/,
    ],
    [
      'an import without a kind',
      inSection(2, 1, 1, 97, 1, 98, 0).subarray(0, -1),
      8,
      /announces 6 bytes and 5/,
    ],
    ['an import whose type is cut off', imported(2, 1, 1), 18, /^a maximum is cut off$/],
    [
      'limits of 65 bits',
      imported(2, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2),
      17,
      /into 64 bits$/,
    ],
    ['a heap type of 34 bits', imported(1, 0x63, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 0), 17, /into 33 bits$/],
    [
      'one name for two exports',
      inSection(7, 2, ...exportOf('a', 'memory'), ...exportOf('a', 'function')),
      15,
      /^two exports are called "a"$/,
    ],
    [
      'a function without a body',
      without('code', 'start', 'data count'),
      -1,
      /^2 functions are declared and 0 have a body$/,
    ],
    [
      'a body without a function',
      without('function', 'start'),
      -1,
      /^0 functions are declared and 2 have a body$/,
    ],
    [
      'a body that ends too late',
      rawModule(section(3, [1, 0]), section(10, [1, 9, 0, 0x0b])),
      16,
      /^a body is cut off$/,
    ],
    ['data without a count', without('data'), -1, /^1 data segments are declared and 0 are there$/],
    [
      'a false data count',
      patched(FULL, offsetOf('data count') + 2, 2),
      -1,
      /^2 data segments are declared and 1/,
    ],
  ]
  for (const [what, content, offset, reason] of wrong) {
    test(what, () => {
      const bytes = Uint8Array.from(content)
      assert.equal(WebAssembly.validate(bytes), false, 'the engine accepts it')
      const read = refused(bytes)
      assert.match(read.reason, reason)
      assert.equal(read.offset, offset === -1 ? bytes.length : offset)
      assert.equal(read.isUnknown, false)
    })
  }

  const unknown: readonly Wrong[] = [
    ['version 2', [0, 0x61, 0x73, 0x6d, 2, 0, 0, 0], 4, /^its version is not 1$/],
    ['layer 2', [0, 0x61, 0x73, 0x6d, 1, 0, 2, 0], 4, /^its version is not 1$/],
    ['another section', inSection(14, 0), 8, /^a section has the id 14$/],
    ['another kind of import', imported(5, 0), 15, /^an import is of kind 5$/],
    ['several imports of one module at once', imported(0x7f, 1), 15, /^an import is of kind 127$/],
    ['another kind of export', inSection(7, 1, 1, 97, 5, 0), 13, /^an export is of kind 5$/],
    ['another type', imported(3, 0x50, 0), 16, /^a type has the code 80$/],
    ['another mutability', imported(3, I32, 2), 17, /^a mutability has the flags 2$/],
    ['other limits', imported(2, 16, 1), 16, /^a limit has the flags 16$/],
    ['a longer name', rawModule(custom('x'.repeat(100_001))), 12, /has 100001 bytes$/],
    [
      'more imports',
      Buffer.concat([Uint8Array.from(MAGIC), big(2, 100_001, Buffer.alloc(500_000))]),
      12,
      /^it has 100001 imports$/,
    ],
    [
      'more exports',
      Buffer.concat([Uint8Array.from(MAGIC), big(7, 100_001, Buffer.alloc(400_000))]),
      12,
      /^it has 100001 exports$/,
    ],
  ]
  for (const [what, content, offset, reason] of unknown) {
    test(`not wrong but unknown: ${what}`, () => {
      const read = refused(Uint8Array.from(content))
      assert.match(read.reason, reason)
      assert.equal(read.offset, offset)
      assert.equal(read.isUnknown, true)
    })
  }

  test('cut off after any byte', () => {
    // Between two sections nothing is missing, except to a function without a body, or to a count without its data.
    const whole = new Set(
      ['custom', 'type', 'import', 'function', 'code', 'data'].map(name => offsetOf(name)).slice(0, 4),
    )
    whole.add(FULL.length)
    for (let length = 0; length <= FULL.length; length++) {
      const bytes = FULL.subarray(0, length)
      const read = readWasm(bytes)
      assert.equal(read.ok, whole.has(length), `${length} of ${FULL.length} bytes`)
      if (!read.ok) assert.ok(read.offset <= length)
      assertAgrees(bytes)
    }
  })

  test('with the size of a section one more or one less', () => {
    for (const name of names) {
      for (const by of [-1, 1]) {
        const at = offsetOf(name) + 1
        const bytes = patched(FULL, at, (FULL[at] ?? 0) + by)
        assert.equal(WebAssembly.validate(bytes), false, name)
        // A part that is not looked into may be cut short, as long as what follows it can still be read.
        const read = readWasm(bytes)
        assert.ok(!read.ok, `${name} ${by}`)
      }
    }
  })

  test('with a count of four thousand million in twenty bytes', () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13]) {
      const bytes = rawModule(section(id, [...leb(2 ** 32 - 1), 0, 0, 0, 0, 0]))
      const read = within(2000, () => refused(bytes))
      assert.match(read.reason, /^4294967295 .* are announced in 5 bytes$/)
      assert.equal(read.offset, 10)
    }
  })
})

test('the time grows with the bytes, not with what they claim', () => {
  const fill = (length: number, ...bytes: number[]) =>
    Buffer.alloc(length * bytes.length, Uint8Array.from(bytes))
  const hostile: Readonly<Record<string, Uint8Array>> = {
    'empty custom sections': Buffer.concat([Uint8Array.from(MAGIC), fill(350_000, 0, 1, 0)]),
    'padded numbers': Buffer.concat([
      Uint8Array.from(MAGIC),
      big(3, 200_000, fill(200_000, 0x80, 0x80, 0x80, 0x80, 0)),
    ]),
    'empty bodies': Buffer.concat([Uint8Array.from(MAGIC), big(10, 1_000_000, fill(1_000_000, 0))]),
    'continuation bytes': Buffer.concat([Uint8Array.from([...MAGIC, 1]), fill(1_000_000, 0x80)]),
    'one long name': Buffer.concat([
      Uint8Array.from(MAGIC),
      big(2, 1, Buffer.concat([Uint8Array.from(leb(1_000_000)), fill(1_000_000, 97)])),
    ]),
  }
  for (const [what, bytes] of Object.entries(hostile)) {
    assert.ok(bytes.length >= 1_000_000, what)
    within(2000, () => readWasm(bytes), what)
  }
})

describe('any bytes', () => {
  const settings = { numRuns: runs(1000), seed: 7 }
  test('are read without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void assertAgrees(bytes)),
      settings,
    )
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        bytes => void assertAgrees(Uint8Array.from([...MAGIC, ...bytes])),
      ),
      settings,
    )
  })

  test('in sections are read without an exception', () => {
    const part = fc
      .tuple(fc.nat(15), fc.uint8Array({ maxLength: 40 }))
      .map(([id, content]) => section(id, [...content]))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => void assertAgrees(rawModule(...parts))),
      settings,
    )
  })

  const modules = [FULL, LINKED, STUB_WASM, moduleOf({ data: 'text' }), ...Object.values(WASM_FIXTURES)]
  test('that were once a module are read like the engine reads them', () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom('set', 'cut', 'add') })
    let compiled = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...modules),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (module, changes) => {
          const bytes = [...module]
          for (const { at, byte, how } of changes) {
            const place = at % bytes.length
            bytes.splice(place, how === 'add' ? 0 : 1, ...(how === 'cut' ? [] : [byte]))
          }
          compiled += Number(assertAgrees(Uint8Array.from(bytes)))
        },
      ),
      { numRuns: runs(3000), seed: 7 },
    )
    assert.ok(
      compiled > among(100, 3000),
      `only ${compiled} of the changed modules compiled: the comparison says little`,
    )
  })

  const kindOf = fc.constantFrom(
    IMPORT_TYPES.function(),
    IMPORT_TYPES.table,
    IMPORT_TYPES.memory,
    IMPORT_TYPES.global,
    IMPORT_TYPES.tag,
  )
  test('of a module that was just made come out as they went in', () => {
    const name = anyText({ maxLength: 12 })
    const imports = fc.array(fc.tuple(name, name, kindOf), { maxLength: 20 })
    const exports = fc.uniqueArray(name, { maxLength: 20 })
    fc.assert(
      fc.property(imports, exports, (given, names) => {
        // One memory, for engines that know no more than one.
        let memories = 0
        const some = given.filter(([, , kind]) => kind !== IMPORT_TYPES.memory || memories++ === 0)
        const bytes = rawModule(
          section(1, vec([type([], [])])),
          section(
            2,
            vec([importOf('f', 'f'), ...some.map(([module, name, kind]) => importOf(module, name, kind))]),
          ),
          section(7, vec(names.map(name => exportOf(name, 'function')))),
        )
        assert.ok(WebAssembly.validate(bytes))
        assertAgrees(bytes)
        assert.deepEqual(
          moduleIn(bytes).imports.map(({ module, name }) => [module, name]),
          [['f', 'f'], ...some.map(([module, name]) => [module, name])],
        )
        assert.deepEqual(
          moduleIn(bytes).exports.map(({ name }) => name),
          names,
        )
      }),
      { numRuns: 100, seed: 7 },
    )
  })
})

describe('fixtures/lint/wasm', () => {
  const base = join(import.meta.dirname, '../../fixtures/lint/wasm')
  for (const [path, bytes] of Object.entries(WASM_FIXTURES)) {
    test(`${path} is what test/support/wasm-fixtures.ts makes`, () => {
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(join(base, path), bytes)
      assert.deepEqual(readFileSync(join(base, path)), Buffer.from(bytes))
    })
  }
})

function moduleIn(bytes: Uint8Array): Extract<WasmRead, { ok: true }>['module'] {
  const read = readWasm(bytes)
  assert.ok(read.ok, read.ok ? '' : `${read.reason} at ${read.offset}`)
  return read.module
}

function refused(bytes: Uint8Array): Extract<WasmRead, { ok: false }> {
  const read = readWasm(bytes)
  assert.ok(!read.ok, 'it was read')
  return read
}

/** What compiles can be read, and shows the same imports and exports. Tells whether it compiled. */
function assertAgrees(bytes: Uint8Array): boolean {
  const read = readWasm(bytes)
  if (!WebAssembly.validate(bytes)) return false
  const module = new WebAssembly.Module(bytes)
  assert.ok(read.ok, read.ok ? '' : `the engine compiles what was refused: ${read.reason} at ${read.offset}`)
  assert.deepEqual(
    read.module.imports,
    WebAssembly.Module.imports(module).map(({ module, name, kind }) => ({ module, name, kind })),
  )
  assert.deepEqual(
    read.module.exports,
    WebAssembly.Module.exports(module).map(({ name, kind }) => ({ name, kind })),
  )
  return true
}

/** Processor time, and generous: it is to catch what grows with the square, on a machine that does other things too. */
function within<T>(ms: number, work: () => T, what = 'it'): T {
  const begin = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(begin)
  const took = (user + system) / 1000
  assert.ok(took < ms, `${what} took ${Math.round(took)} ms`)
  return result
}
