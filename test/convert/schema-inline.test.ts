// References of a schema put in their places: what is accepted stays the same, and nothing grows or goes round without end.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonSchema } from '../../src/model/tools.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { extent } from '../../src/schema/extent.ts'
import { type Inlined, inlineSchema, MAX_INLINED_VALUES } from '../../src/schema/inline.ts'
import { findRefs, resolverIn } from '../../src/schema/reference.ts'
import { subschemasOf } from '../../src/schema/walk.ts'
import { upTo } from '../support/runs.ts'

const FILES: Readonly<Record<string, JsonSchema>> = {
  'schemas/address.json': {
    type: 'object',
    properties: { street: { $ref: '#/$defs/line' }, zip: { $ref: 'parts/zip.json' } },
    $defs: { line: { type: 'string', maxLength: 80 } },
  },
  'schemas/parts/zip.json': { type: 'string', pattern: '^[0-9]{5}$' },
  'schemas/person.v1.json': {
    type: 'object',
    properties: { name: { type: 'string' }, friends: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
  },
}
const resolve = resolverIn(
  {
    'mail.v1': { type: 'string', minLength: 3 },
    zip: 'parts/zip',
    'parts/zip': 'schema:parts/zip',
    again: 'mail.v1',
  },
  path => FILES[path],
)

function inline(schema: JsonSchema): Inlined {
  const inlined = inlineSchema(schema, resolve)
  assert.ok(!('problem' in inlined), 'problem' in inlined ? inlined.problem.message : '')
  return inlined
}

test('an alias leads to an id of the bundle or the registry, not to another entry of the tool', () => {
  assert.deepEqual(inline({ $ref: 'schema:again' }), { schema: {}, kept: [], open: ['schema:again'] })
})

describe('what a reference becomes', () => {
  const cases: [what: string, schema: JsonSchema, inlined: JsonSchema][] = [
    ['an id of schema_refs', { $ref: 'schema:mail.v1' }, { type: 'string', minLength: 3 }],
    ['an alias of an id', { $ref: 'schema:zip' }, { type: 'string', pattern: '^[0-9]{5}$' }],
    ['an id that is its own alias', { $ref: 'schema:parts/zip' }, { type: 'string', pattern: '^[0-9]{5}$' }],
    [
      'remarks beside it win',
      { $ref: 'schema:mail.v1', description: 'mine' },
      { type: 'string', minLength: 3, description: 'mine' },
    ],
    [
      'a judgement beside it stays one',
      { $ref: 'schema:mail.v1', maxLength: 9 },
      { maxLength: 9, allOf: [{ type: 'string', minLength: 3 }] },
    ],
    [
      'a file, and what that refers to',
      { properties: { home: { $ref: 'schemas/address.json' } } },
      {
        properties: {
          home: {
            type: 'object',
            properties: {
              street: { type: 'string', maxLength: 80 },
              zip: { type: 'string', pattern: '^[0-9]{5}$' },
            },
          },
        },
      },
    ],
    [
      'a pointer into another document',
      { $ref: 'schemas/address.json#/$defs/line' },
      { type: 'string', maxLength: 80 },
    ],
    [
      'a schema with an id',
      { $id: 'urn:x', $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'integer' } } },
      { type: 'integer' },
    ],
    ['true', { properties: { a: { $ref: '#/$defs/any' } }, $defs: { any: true } }, { properties: { a: {} } }],
    [
      'false',
      { properties: { a: { $ref: '#/$defs/none' } }, $defs: { none: false } },
      { properties: { a: { not: {} } } },
    ],
    [
      'a property that is called $ref is no reference',
      { properties: { $ref: { type: 'string' } } },
      { properties: { $ref: { type: 'string' } } },
    ],
    ['values are no schemas', { enum: [{ $ref: '#/nowhere' }] }, { enum: [{ $ref: '#/nowhere' }] }],
  ]
  for (const [what, schema, expected] of cases) {
    test(what, () => assert.deepEqual(inline(schema), { schema: expected, kept: [], open: [] }))
  }

  test('an entry of the runtime’s registry is named, and anything fits', () => {
    assert.deepEqual(inline({ properties: { a: { $ref: 'schema:nowhere.v1', title: 'A' } } }), {
      schema: { properties: { a: { title: 'A' } } },
      kept: [],
      open: ['schema:nowhere.v1'],
    })
  })
})

describe('circles', () => {
  test('to the root stay', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
    assert.deepEqual(inline(tree), { schema: tree, kept: [], open: [] })
  })

  test('to a definition keep that definition', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
    assert.deepEqual(
      inline({ properties: { a: { $ref: '#/$defs/node' }, b: { $ref: '#/$defs/node' } }, $defs: { node } }),
      {
        schema: { properties: { a: { $ref: '#/$defs/node' }, b: { $ref: '#/$defs/node' } }, $defs: { node } },
        kept: ['node'],
        open: [],
      },
    )
  })

  test('the root is put in its place all the same: readers look for a type there', () => {
    const { schema, kept } = inline({ $ref: 'schema:person.v1' })
    assert.deepEqual(kept, ['person.v1'])
    assert.equal((schema as { type?: unknown }).type, 'object')
    assert.deepEqual(
      findRefs(subschemasOf(schema)).map(({ ref }) => ref),
      ['#/$defs/person.v1', '#/$defs/person.v1'],
    )
  })

  test('two definitions of one name are told apart', () => {
    const loop = (ref: string) => ({ type: 'object', properties: { x: { $ref: ref } } })
    const schema = {
      properties: {
        a: { $ref: '#/$defs/n' },
        b: { $ref: '#/properties/c/$defs/n' },
        c: { $defs: { n: loop('#/properties/c/$defs/n') } },
      },
      $defs: { n: loop('#/$defs/n') },
    }
    const { kept, schema: made } = inline(schema)
    assert.deepEqual(kept, ['n', 'n_2'])
    assert.deepEqual((made as { $defs: unknown }).$defs, { n: loop('#/$defs/n'), n_2: loop('#/$defs/n_2') })
  })

  test('without end are refused, as validation refuses them', () => {
    const problem = inlineSchema({ allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#' } } }, resolve)
    assert.ok('problem' in problem)
    assert.match(problem.problem.message, /leads back to itself without end/)
  })
})

describe('what would grow without measure keeps its definitions', () => {
  const doubling = (count: number): JsonSchema => {
    const defs: Record<string, JsonSchema> = { d0: { type: 'string' } }
    for (let at = 1; at <= count; at++) {
      const $ref = `#/$defs/d${at - 1}`
      defs[`d${at}`] = { type: 'object', properties: { a: { $ref }, b: { $ref } } }
    }
    return { properties: { top: { $ref: `#/$defs/d${count}` } }, $defs: defs }
  }

  test('2^40 leaves', () => {
    const { schema, kept } = inline(doubling(40))
    assert.equal(kept.length, 41)
    assert.ok(extent(schema).values < 500)
  })

  test('a few leaves are put in their places', () => {
    const { schema, kept } = inline(doubling(5))
    assert.deepEqual(kept, [])
    assert.equal(findRefs(subschemasOf(schema)).length, 0)
    assert.ok(extent(schema).values < MAX_INLINED_VALUES)
  })

  test('a long text that is referred to often', () => {
    const schema = {
      properties: Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`p${at}`, { $ref: '#/$defs/long' }]),
      ),
      $defs: { long: { type: 'string', description: 'x'.repeat(100_000) } },
    }
    const { schema: made, kept } = inline(schema)
    assert.deepEqual(kept, ['long'])
    assert.ok(JSON.stringify(made).length < 120_000)
  })

  test('a chain that would nest deeply', () => {
    const defs: Record<string, JsonSchema> = { d0: { type: 'string' } }
    for (let at = 1; at <= 250; at++) defs[`d${at}`] = { properties: { x: { $ref: `#/$defs/d${at - 1}` } } }
    const { schema, kept } = inline({ $ref: '#/$defs/d250', $defs: defs })
    assert.equal(kept.length, 250)
    assert.ok(extent(schema).depth < 10)
  })
})

test('names that mean something to JavaScript are names', () => {
  const schema = JSON.parse(
    '{"properties":{"constructor":{"$ref":"#/$defs/toString"}},"$defs":{"toString":{"type":"integer"},"__proto__":{"type":"null"}}}',
  )
  assert.deepEqual(inline(schema).schema, { properties: { constructor: { type: 'integer' } } })
  const held = inline(
    JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
  ).schema
  assert.equal(
    JSON.stringify(held),
    '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  )
  assert.equal(Object.getPrototypeOf((held as { properties: object }).properties), Object.prototype)
})

/** Schemas with references in all directions, circles among them. */
const refs = fc.constantFrom(
  ...[
    '#',
    '#/$defs/a',
    '#/$defs/b',
    '#/$defs/c',
    'schema:mail.v1',
    'schemas/address.json',
    'schema:person.v1',
    'schema:gone.v1',
  ],
)
const schemas = fc.letrec<{ schema: Record<string, unknown> }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'object', 'array', 'null'),
        description: fc.constant('d'),
      },
      { requiredKeys: [] },
    ),
    fc.record(
      { $ref: refs, description: fc.constant('r'), type: fc.constantFrom('string', 'object') },
      { requiredKeys: ['$ref'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('schema'), { maxKeys: 2 }),
        required: fc.constantFrom([], ['x'], ['y']),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      },
      { requiredKeys: [] },
    ),
    fc.record({ items: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), minProperties: fc.nat(2) }),
  ),
}))
const rooted = fc
  .tuple(
    schemas.schema,
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), schemas.schema, { minKeys: 3, maxKeys: 3 }),
  )
  .map(([root, $defs]): JsonSchema => ({ ...root, $defs }))
const values = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('abc', 'a', 7, null),
    fc.dictionary(fc.constantFrom('x', 'y', 'z', 'name', 'street', 'friends', 'zip'), tie('value'), {
      maxKeys: 3,
    }),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value

test('the inlined schema judges every value as the original does', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(rooted, fc.array(values, { minLength: 5, maxLength: 5 }), async (schema, samples) => {
      const before = await compileSchema(schema, resolve)
      const inlined = inlineSchema(schema, resolve)
      // What cannot be used is refused by both.
      assert.equal('problem' in inlined, !before.ok)
      if ('problem' in inlined || !before.ok) return
      assert.deepEqual(new Set(inlined.open), new Set(before.unresolved))
      for (const { ref } of findRefs(subschemasOf(inlined.schema)))
        assert.match(ref, /^#(?:\/\$defs\/[A-Za-z0-9._-]+)?$/)
      const after = await compileSchema(inlined.schema)
      assert.ok(after.ok)
      for (const value of samples) {
        assert.equal(
          after.check(value) === undefined,
          before.check(value) === undefined,
          JSON.stringify(value),
        )
        compared++
      }
    }),
    { numRuns: upTo(60, 150) },
  )
  assert.ok(compared > upTo(80, 200), `only ${compared} values were compared`)
})
