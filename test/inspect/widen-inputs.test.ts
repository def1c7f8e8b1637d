// An argument that leaves with a call may become narrower, never wider: what is compared, by whichever way it leaves, and that it is never
// called narrower wrongly.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { filledArguments } from '../../src/inspect/filled-arguments.ts'
import { widerInputs } from '../../src/inspect/widen.ts'
import type { JsonSchema, Tool } from '../../src/model/tools.ts'
import { gapsIn } from '../../src/schema/cover.ts'
import { TOOL } from '../support/arbitrary-caps.ts'
import { among, runs } from '../support/runs.ts'

function tool(inputSchema: JsonSchema, path = 'cmd', schemaRefs: Tool['schemaRefs'] = {}): Tool {
  const url = `https://a.example/{{input.${path}}}`
  return { ...TOOL, transport: { kind: 'http', method: 'GET', url, headers: {} }, inputSchema, schemaRefs }
}

const noFile = () => undefined
const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})
const TEXT = { type: 'string' }
const TWO = { enum: ['status', 'log'] }

/** `no`, or the words of the change. */
function wider(before: Tool, after: Tool, filesBefore = noFile, filesAfter = filesBefore): string {
  const old = filledArguments(before, filesBefore)
  const fills = filledArguments(after, filesAfter)
  const changes = [...widerInputs(old, { ...EXEC, fills })]
  return changes.length === 0 ? 'no' : (changes[0]?.message.replace(/ more values as .*/, '') ?? '')
}
const EXEC = {
  id: 't',
  kind: 'exec',
  command: '/bin/git',
  args: [],
  stdin: false,
  env: [],
  secrets: [],
  confirm: false,
  told: { description: '', words: '', schemas: '' },
} as const

test('of hundreds of arguments beside one keyword, each stands for the whole schema', () => {
  const fills = (count: number, maxLength: number) => {
    const names = Array.from({ length: count }, (_, index) => `p${index}`)
    const properties = Object.fromEntries(names.map(name => [name, { ...TEXT, maxLength: 50 }]))
    const schema = object({ ...properties, p0: { ...TEXT, maxLength } }, { maxProperties: 5 })
    const args = names.map(name => `{{input.${name}}}`)
    const all = { ...tool(schema), transport: { kind: 'exec' as const, command: '/bin/git', args } }
    // What leaves with all arguments is another comparison.
    return filledArguments(all, noFile).filter(({ path }) => path !== '')
  }
  const isFirstWithin = (count: number, maxLength: number) =>
    [...widerInputs(fills(count, 9), { ...EXEC, fills: fills(count, maxLength).slice(0, 1) })].length === 0
  assert.ok(isFirstWithin(20, 9))
  assert.ok(isFirstWithin(20, 8))
  assert.ok(!isFirstWithin(20, 10))
  assert.equal(fills(300, 9).length, 300)
  assert.ok(isFirstWithin(300, 9))
  // Shorter, and that cannot be told: only equality can.
  assert.ok(!isFirstWithin(300, 8))
})

describe('the schema of an argument', () => {
  const cases: [what: string, before: JsonSchema, after: JsonSchema, wider: string][] = [
    ['the same in other words', object({ cmd: TWO }), object({ cmd: { ...TWO, title: 'x' } }), 'no'],
    ['fewer values', object({ cmd: TWO }), object({ cmd: { const: 'log' } }), 'no'],
    ['values where any text was', object({ cmd: TEXT }), object({ cmd: TWO }), 'no'],
    ['any text where values were', object({ cmd: TWO }), object({ cmd: TEXT }), 'takes'],
    ['one value more', object({ cmd: TWO }), object({ cmd: { enum: ['log', 'push'] } }), 'takes'],
    ['anything', object({ cmd: TWO }), object({}), 'takes'],
    [
      'a shorter text',
      object({ cmd: { ...TEXT, maxLength: 9 } }),
      object({ cmd: { ...TEXT, maxLength: 8 } }),
      'no',
    ],
    [
      'a longer text',
      object({ cmd: { ...TEXT, maxLength: 8 } }),
      object({ cmd: { ...TEXT, maxLength: 9 } }),
      'may take',
    ],
    ['a pattern', object({ cmd: TEXT }), object({ cmd: { ...TEXT, pattern: '^a' } }), 'no'],
    ['no pattern', object({ cmd: { ...TEXT, pattern: '^a' } }), object({ cmd: TEXT }), 'may take'],
    [
      'another pattern',
      object({ cmd: { ...TEXT, pattern: '^a' } }),
      object({ cmd: { ...TEXT, pattern: '^ab' } }),
      'may take',
    ],
    [
      'values within a length',
      object({ cmd: { ...TEXT, maxLength: 3 } }),
      object({ cmd: { enum: ['a', '𝒳𝒳𝒳'] } }),
      'no',
    ],
    [
      'a value beyond a length',
      object({ cmd: { ...TEXT, maxLength: 3 } }),
      object({ cmd: { enum: ['a', 'abcd'] } }),
      'may take',
    ],
    [
      'another argument',
      object({ cmd: TWO, n: { type: 'integer' } }),
      object({ cmd: TWO, n: true, m: true }),
      'no',
    ],
    [
      'nullable, which is a word of others',
      object({ cmd: TEXT }),
      object({ cmd: { ...TEXT, nullable: true } }),
      'may take',
    ],
    ['a default', object({ cmd: TEXT }), object({ cmd: { ...TEXT, default: '--all' } }), 'may take'],
    [
      'a condition beside it gone',
      object({ cmd: TEXT }, { allOf: [{ properties: { cmd: TWO } }] }),
      object({ cmd: TEXT }),
      'may take',
    ],
    [
      'a condition beside it',
      object({ cmd: TEXT }),
      object({ cmd: TEXT }, { allOf: [{ properties: { cmd: TWO } }] }),
      'no',
    ],
    [
      'the same condition, and a narrower argument',
      object({ cmd: TEXT }, { not: { required: ['x'] } }),
      object({ cmd: TWO }, { not: { required: ['x'] } }),
      'no',
    ],
    ['a pattern for names gone', object({}, { patternProperties: { '^c': TWO } }), object({}), 'may take'],
    [
      'contains beside minContains',
      object({ cmd: { type: 'array', contains: TEXT } }),
      object({ cmd: { type: 'array', contains: TEXT, minContains: 0 } }),
      'may take',
    ],
  ]
  const closed = (more: object) =>
    object({ cmd: object({ a: TEXT }, { unevaluatedProperties: false, ...more }) })
  cases.push(
    [
      'allOf beside unevaluatedProperties',
      closed({}),
      closed({ allOf: [{ properties: { b: TEXT } }] }),
      'may take',
    ],
    [
      'names by pattern beside closed ones',
      closed({}),
      closed({ patternProperties: { b: TEXT } }),
      'may take',
    ],
  )
  for (const [what, before, after, expected] of cases)
    test(what, () => assert.equal(wider(tool(before), tool(after)), expected))

  test('inside an object and a list', () => {
    const at = (schema: unknown) => object({ a: object({ b: { type: 'array', items: schema } }) })
    const of = (schema: unknown) => tool(at(schema), 'a.b.0')
    assert.equal(wider(of(TEXT), of(TWO)), 'no')
    assert.equal(wider(of(TWO), of(TEXT)), 'takes')
    const first = (schema: unknown) => tool(object({ a: { prefixItems: [schema] } }), 'a.0')
    assert.equal(wider(first(TWO), first(TWO)), 'no')
    assert.equal(wider(first(TWO), first(TEXT)), 'may take')
  })

  test('behind a reference', () => {
    const ref = (cmd: unknown, name = 'in') =>
      tool(object({ cmd: { $ref: `schema:${name}` } }), 'cmd', { in: cmd as JsonSchema })
    assert.equal(wider(ref(TEXT), ref(TWO)), 'no')
    assert.equal(wider(ref(TWO), ref(TEXT)), 'takes')
    assert.equal(wider(tool(object({ cmd: TWO })), ref(TWO)), 'no')
    // Only the runtime knows what this is.
    assert.equal(wider(ref(TWO, 'own'), ref(TWO, 'own')), 'no')
    assert.equal(wider(ref(TWO, 'own'), ref(TWO, 'other')), 'may take')
    assert.equal(
      wider(tool(object({ cmd: true }, { $ref: 'schema:own' })), tool(object({ cmd: true }))),
      'may take',
    )
  })

  test('in a file of the bundle', () => {
    const of = tool(object({ cmd: { $ref: 'schemas/cmd.json' } }))
    const file = (schema: unknown) => (path: string) => (path === 'schemas/cmd.json' ? schema : undefined)
    assert.equal(wider(of, of, file(TEXT) as typeof noFile, file(TWO) as typeof noFile), 'no')
    assert.equal(wider(of, of, file(TWO) as typeof noFile, file(TEXT) as typeof noFile), 'takes')
    assert.equal(wider(of, of, noFile, noFile), 'may take', 'what cannot be read equals nothing')
  })

  test('that refers to itself', () => {
    const of = (leaf: unknown, more: object = {}) =>
      tool(
        { $defs: { n: object({ next: { $ref: '#/$defs/n' }, cmd: leaf }) }, $ref: '#/$defs/n', ...more },
        'next.cmd',
      )
    assert.equal(wider(of(TWO), of(TWO)), 'no')
    assert.equal(wider(of(TEXT), of(TWO)), 'may take')
  })

  test('that is large is the same, or not compared', () => {
    const many = (count: number) =>
      tool(object({ cmd: { enum: Array.from({ length: count }, (_, at) => `v${at}`) } }))
    assert.equal(wider(many(1000), many(999)), 'no')
    assert.equal(wider(many(5000), many(5000)), 'no')
    assert.equal(wider(many(5000), many(4999)), 'may take')
    assert.ok(JSON.stringify(filledArguments(many(100_000), noFile)).length < 500)
  })
})

describe('arguments that leave without a template', () => {
  const ways: [how: string, change: Partial<Tool>, leaves: boolean][] = [
    ['in a file', { transport: { kind: 'exec', command: '/bin/git', args: [] } }, true],
    [
      'on standard input',
      {
        transport: { kind: 'exec', command: '/bin/git', args: [] },
        rlp: { stdin: true, timeoutMs: undefined, env: [] },
      },
      true,
    ],
    ...['POST', 'PUT', 'PATCH', 'post', 'REPORT'].map((method): [string, Partial<Tool>, boolean] => [
      `as the body of ${method}`,
      { transport: { kind: 'http', method, url: 'https://a.example/', headers: {} } },
      true,
    ]),
    ...['GET', 'HEAD', 'DELETE', 'OPTIONS'].map((method): [string, Partial<Tool>, boolean] => [
      `not at all with ${method}`,
      { transport: { kind: 'http', method, url: 'https://a.example/', headers: {} } },
      false,
    ]),
  ]
  const messages = (before: Tool, after: Tool) =>
    [...widerInputs(filledArguments(before, noFile), { ...EXEC, fills: filledArguments(after, noFile) })].map(
      ({ message }) => message,
    )
  for (const [how, change, leaves] of ways) {
    test(how, () => {
      const of = (inputSchema: JsonSchema): Tool => ({ ...TOOL, ...change, inputSchema })
      const closed = (cmd: unknown, more: object = {}) =>
        of(object({ cmd }, { additionalProperties: false, ...more }))
      const said = (...list: string[]) => (leaves ? list : [])
      assert.deepEqual(messages(closed(TWO), closed(TWO)), [])
      assert.deepEqual(messages(closed(TEXT), closed(TWO)), [])
      assert.deepEqual(
        messages(closed({ enum: ['status'] }), closed(object({}))),
        said('may take more values as input.cmd of t'),
      )
      assert.deepEqual(messages(closed(TWO), closed(TEXT)), said('takes more values as input.cmd of t'))
      assert.deepEqual(
        messages(
          closed(TWO),
          of(object({ cmd: TWO, all: { type: 'boolean' } }, { additionalProperties: false })),
        ),
        said('takes more values as input.all of t'),
      )
      assert.deepEqual(
        messages(closed(TWO), of(object({ cmd: TWO }))),
        said('takes more values as input of t'),
      )
      assert.deepEqual(
        messages(closed(TWO, { required: ['cmd'] }), closed(TWO)),
        said('takes more values as input of t'),
      )
      assert.deepEqual(
        messages(closed({ ...TEXT, pattern: '^a' }), closed({ ...TEXT, pattern: '^b' })),
        said('may take more values as input.cmd of t'),
      )
    })
  }

  test('are told once, where they fill a template too', () => {
    const of = (cmd: JsonSchema): Tool => ({
      ...TOOL,
      transport: { kind: 'exec', command: '/bin/git', args: ['{{input.cmd}}'] },
      inputSchema: object({ cmd, other: cmd }, { additionalProperties: false }),
    })
    assert.deepEqual(messages(of(TEXT), of(TWO)), [])
    assert.deepEqual(messages(of(TWO), of(TEXT)), [
      'takes more values as input.cmd of t',
      'takes more values as input.other of t',
    ])
  })

  test('of which nothing was kept may be more', () => {
    const [fill] = filledArguments({ ...TOOL, inputSchema: object({ cmd: TWO }) }, noFile)
    assert.equal(fill?.path, '')
    assert.deepEqual(
      [...widerInputs([], { ...EXEC, fills: fill === undefined ? [] : [fill] })].map(
        ({ message }) => message,
      ),
      ['may take more values as input of t'],
    )
  })

  test('of many tools are kept as long as there is room, and are compared by digest after that', () => {
    const room = { characters: 100, values: 1000 }
    const one = { ...TOOL, inputSchema: object({ cmd: TWO }) }
    const kept = [1, 2, 3].map(() => filledArguments(one, noFile, room)[0]?.schema)
    assert.deepEqual([kept[0], kept[2]], [one.inputSchema, true])
    const none = () => ({ characters: 0, values: 1000 })
    const digest = filledArguments(one, noFile, none())
    const said = (fills: typeof digest) => [...widerInputs(digest, { ...EXEC, fills })].length
    assert.equal(said(filledArguments(one, noFile, none())), 0)
    assert.equal(said(filledArguments({ ...one, inputSchema: object({ cmd: TEXT }) }, noFile, none())), 1)
  })
})

test('a file that a tool refers to takes of the room too', () => {
  const content = object({ a: TEXT, b: TWO })
  const file = (path: string) => (path === 'schemas/one.json' ? content : undefined)
  const cost = (cmd: JsonSchema) => {
    const room = { characters: 100_000, values: 10_000 }
    filledArguments({ ...TOOL, inputSchema: object({ cmd }) }, file, room)
    return 10_000 - room.values
  }
  assert.ok(cost({ $ref: 'schemas/one.json' }) > cost(content))
})

test('one large schema behind many tools takes no time for each of them, and is wider in the end', () => {
  const large = object(Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, { enum: [at] }])))
  const file = (path: string) => (path === 'schemas/large.json' ? large : undefined)
  const one = { ...TOOL, inputSchema: object({ cmd: { $ref: 'schemas/large.json' } }) }
  const room = { characters: 1_000_000, values: 10_000 }
  const all = Array.from({ length: 20_000 }, () => filledArguments(one, file, room)[0]?.beside)
  assert.deepEqual([all[0], all.at(-1)], ['', 'not compared'])
})

const SCALARS: readonly unknown[] = [null, true, 0, 1, 1.5, 2, 3, '', 'a', 'b', 'ab', 'abc']
const NAMES = [[], ['a'], ['b'], ['d'], ['a', 'b'], ['a', 'c'], ['a', 'b', 'c'], ['ab', 'd']]
/** Every scalar, alone, beside others in lists, and under some names. */
const VALUES: readonly unknown[] = [
  ...SCALARS,
  [],
  ...SCALARS.flatMap((one, at) => [
    [one],
    [one, one],
    [one, SCALARS[(at + 5) % 12]],
    [one, SCALARS[(at + 1) % 12], 'a'],
  ]),
  ...SCALARS.flatMap(one => NAMES.map(names => Object.fromEntries(names.map(name => [name, one])))),
  [{}],
  [{ a: 1 }, []],
  { a: { a: 'a' } },
  { b: [], c: ['a'] },
]

describe('for all schemas', () => {
  const scalar = fc.constantFrom(...SCALARS)
  const name = fc.constantFrom('a', 'b', 'c')
  const small = fc.constantFrom(0, 1, 2, 3)
  const { schema } = fc.letrec<{ schema: unknown }>(tie => {
    const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      type: fc.oneof(
        fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string'),
        fc.uniqueArray(fc.constantFrom('null', 'object', 'array', 'number', 'string'), {
          minLength: 1,
          maxLength: 2,
        }),
      ),
      properties: fc.dictionary(name, tie('schema'), { maxKeys: 2 }),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: tie('schema'),
      items: tie('schema'),
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      const: scalar,
      minLength: small,
      maxLength: small,
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      pattern: fc.constantFrom('^a', 'b$'),
      minItems: small,
      maxItems: small,
      minProperties: small,
      maxProperties: small,
      uniqueItems: fc.boolean(),
      contains: tie('schema'),
      minContains: small,
      maxContains: small,
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), {
        minKeys: 1,
        maxKeys: 1,
      }),
      propertyNames: tie('schema'),
      unevaluatedProperties: tie('schema'),
      unevaluatedItems: tie('schema'),
      dependentRequired: fc.constant({ a: ['b'] }),
      dependentSchemas: fc.record({ a: tie('schema') }),
      not: tie('schema'),
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      if: tie('schema'),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: tie('schema'),
      else: tie('schema'),
    }
    const entries = Object.entries(keywords).map(([key, value]) => fc.tuple(fc.constant(key), value))
    return {
      schema: fc.oneof(
        { maxDepth: 2, depthSize: 'small' },
        fc.boolean(),
        fc.array(fc.oneof(...entries), { maxLength: 3 }).map(list => Object.fromEntries(list)),
      ),
    }
  })
  /** Mostly related: of unrelated schemas hardly any is within another. */
  const pair = fc
    .tuple(schema, schema, fc.nat())
    .map(([a, b, chance]): [unknown, unknown] => [a, mixed(a, b, chance)])
  const ajv = new Ajv2020({ strict: false, logger: false })
  const numRuns = runs(2500)

  /** One with a keyword less, or one more or changed, at one place in it. */
  function mixed(a: unknown, b: unknown, chance: number): unknown {
    if (!isTable(a) || !isTable(b) || chance % 11 === 0) return b
    const entries = Object.entries(a)
    const at = Math.floor(chance / 11) % (entries.length + 1)
    const [key, inner] = entries[at] ?? []
    if (key === undefined) return { ...a, ...Object.fromEntries(Object.entries(b).slice(0, 1)) }
    if (chance % 3 === 0) return Object.fromEntries(entries.filter((_, index) => index !== at))
    const next = Math.floor(chance / 7)
    const isMap = key === 'properties' || key === 'patternProperties'
    const inMap = (all: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(all).map(([name, one]) => [name, mixed(one, b, next)]))
    if (typeof inner === 'number') return { ...a, [key]: Math.max(0, inner + (chance % 2 === 0 ? 1 : -1)) }
    const isOne = isTable(inner) && !/^dependent/.test(key)
    const deeper = isOne ? (isMap ? inMap(inner) : mixed(inner, b, next)) : b[key]
    return deeper === undefined ? { ...b, ...a } : { ...a, [key]: deeper }
  }

  test('what is within another accepts nothing that the other does not', () => {
    const reached = { within: 0, accepted: 0 }
    fc.assert(
      fc.property(pair, ([wide, narrow]) => {
        if ([...gapsIn(wide, narrow, { side: 'input', areRefsSame: false })].length > 0) return
        reached.within++
        const [before, after] = [ajv.compile(wide as object), ajv.compile(narrow as object)]
        for (const one of VALUES) {
          if (!after(one)) continue
          reached.accepted++
          assert.ok(before(one), `${JSON.stringify(one)} is new`)
        }
      }),
      { numRuns, seed: 7 },
    )
    assert.ok(
      reached.within > among(300, 2500) && reached.accepted > among(1000, 2500),
      JSON.stringify(reached),
    )
  })

  test('an argument that is not wider has no value that the whole input schema did not let it have', () => {
    const reached = { within: 0, accepted: 0 }
    fc.assert(
      fc.property(pair, pair, ([before, after], [around, now]) => {
        const whole = (cmd: unknown, more: unknown) => ({
          ...(isTable(more) ? more : {}),
          type: 'object',
          properties: { ...(isTable(more) && isTable(more['properties']) ? more['properties'] : {}), cmd },
        })
        const [old, next] = [whole(before, around), whole(after, now)]
        if (wider(tool(old as JsonSchema), tool(next as JsonSchema)) !== 'no') return
        reached.within++
        const [takesOld, takesNext] = [ajv.compile(old), ajv.compile(next)]
        for (const cmd of VALUES) {
          if (!takesNext({ cmd })) continue
          reached.accepted++
          // Whether the rest of a call was complete before is not about this argument.
          takesOld({ cmd })
          const others = (takesOld.errors ?? []).filter(
            ({ keyword }) => keyword !== 'required' && keyword !== 'minProperties',
          )
          assert.deepEqual(others, [], `${JSON.stringify(cmd)} is new`)
        }
      }),
      { numRuns, seed: 11 },
    )
    assert.ok(
      reached.within > among(100, 2500) && reached.accepted > among(300, 2500),
      JSON.stringify(reached),
    )
  })
})

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
