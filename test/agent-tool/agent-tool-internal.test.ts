// What is internal never reaches a model (Agent Tool, a MUST): model schemas made of schemas with marks at every depth, in every keyword.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { modelSchema } from '../../src/agent-tool/model-schema.ts'
import { RlpError } from '../../src/model/error.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { checkJsonSchema } from '../../src/schema/check.ts'
import { findRefs, followRef } from '../../src/schema/reference.ts'
import { subschemasOf } from '../../src/schema/walk.ts'
import { upTo } from '../support/runs.ts'

const INTERNAL = { type: 'string', visibility: 'internal', mutation_source: 'hook' } as const
const TEXT = { type: 'string' } as const

describe('a model’s schema', () => {
  const table: readonly (readonly [what: string, schema: JsonSchema, shown: JsonSchema])[] = [
    [
      'a field, and where it is required',
      {
        type: 'object',
        properties: { to: TEXT, user: INTERNAL },
        required: ['to', 'user'],
        additionalProperties: false,
      },
      { type: 'object', properties: { to: TEXT }, required: ['to'], additionalProperties: false },
    ],
    [
      'in an object of a list in a branch',
      { anyOf: [{ items: { properties: { a: TEXT, user: INTERNAL }, required: ['user'] } }, TEXT] },
      { anyOf: [{ items: { properties: { a: TEXT }, required: [] } }, TEXT] },
    ],
    [
      'required beside the branch that describes it',
      { allOf: [{ properties: { user: INTERNAL } }, { required: ['user', 'to'] }], required: ['user'] },
      { allOf: [{ properties: {} }, { required: ['to'] }], required: [] },
    ],
    [
      'beside a reference, with its definition',
      {
        properties: { to: { $ref: '#/$defs/name' }, user: { ...INTERNAL, $ref: '#/$defs/who' } },
        $defs: { name: TEXT, who: { $ref: '#/$defs/id' }, id: TEXT },
      },
      { properties: { to: { $ref: '#/$defs/name' } }, $defs: { name: TEXT } },
    ],
    [
      'a definition of which only a part is used',
      {
        properties: { to: { $ref: '#/$defs/mail/properties/to' }, user: INTERNAL },
        definitions: { unused: TEXT },
        $defs: { mail: { properties: { to: { $ref: '#/$defs/name' } } }, name: TEXT },
      },
      {
        properties: { to: { $ref: '#/$defs/mail/properties/to' } },
        definitions: {},
        $defs: { mail: { properties: { to: { $ref: '#/$defs/name' } } }, name: TEXT },
      },
    ],
    [
      'a definition that only an internal field refers to',
      {
        properties: { to: TEXT, user: { ...INTERNAL, $ref: '#/$defs/user' } },
        $defs: { user: { properties: { token: TEXT } } },
      },
      { properties: { to: TEXT }, $defs: {} },
    ],
    [
      'a field of a definition',
      {
        properties: { home: { $ref: '#/$defs/address' } },
        $defs: { address: { properties: { street: TEXT, user: INTERNAL }, required: ['street', 'user'] } },
      },
      {
        properties: { home: { $ref: '#/$defs/address' } },
        $defs: { address: { properties: { street: TEXT }, required: ['street'] } },
      },
    ],
    [
      'the same name in an object that properties alone tell apart',
      { properties: { id: TEXT, box: { properties: { id: INTERNAL } } }, required: ['id'] },
      { properties: { id: TEXT, box: { properties: {} } }, required: ['id'] },
    ],
    [
      'the same name where it may be the same object',
      {
        properties: { id: INTERNAL, box: { items: { properties: { id: TEXT } } } },
        anyOf: [{ properties: { id: TEXT, to: TEXT } }],
      },
      { properties: { box: { items: { properties: {} } } }, anyOf: [{ properties: { to: TEXT } }] },
    ],
    [
      'a mark behind a reference, and the same name beside it',
      {
        properties: { box: { $ref: '#/$defs/box', properties: { key: TEXT, a: TEXT } } },
        $defs: { box: { properties: { key: INTERNAL } } },
      },
      {
        properties: { box: { $ref: '#/$defs/box', properties: { a: TEXT } } },
        $defs: { box: { properties: {} } },
      },
    ],
    [
      'conditions',
      {
        properties: { to: TEXT, user: INTERNAL },
        if: { properties: { user: { const: 'root' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['user', 'to'] },
        dependentRequired: { to: ['user'], user: ['to'] },
        dependentSchemas: { user: { required: ['to'] } },
        minProperties: 2,
      },
      {
        properties: { to: TEXT },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['to'] },
      },
    ],
    [
      'values, names and foreign keywords that mention it',
      {
        properties: { to: { ...TEXT, enum: ['user', 'a'] }, user: INTERNAL },
        default: { to: 'a', user: 'root' },
        examples: [{ to: 'a' }],
        propertyNames: { enum: ['to', 'user'] },
        'x-order': ['to', 'user'],
        'x-form': { hidden: INTERNAL },
        'x-title': 'Mail',
      },
      { properties: { to: { ...TEXT, enum: ['user', 'a'] } }, examples: [{ to: 'a' }], 'x-title': 'Mail' },
    ],
    [
      'a place that only references make a schema',
      {
        properties: { to: { $ref: '#/components/name' }, user: { ...INTERNAL, $ref: '#/components/who' } },
        components: { name: { $ref: '#/$defs/name' }, who: TEXT },
        $defs: { name: TEXT, unused: TEXT },
      },
      {
        properties: { to: { $ref: '#/components/name' } },
        components: { name: { $ref: '#/$defs/name' }, who: TEXT },
        $defs: { name: TEXT },
      },
    ],
    [
      'in a schema that contains itself',
      { properties: { next: { $ref: '#' }, a: TEXT, user: INTERNAL }, required: ['next', 'user'] },
      { properties: { next: { $ref: '#' }, a: TEXT }, required: ['next'] },
    ],
  ]
  for (const [what, schema, shown] of table) {
    test(what, () => {
      const before = JSON.stringify(schema)
      assert.deepEqual(modelSchema(schema).schema, shown)
      assert.equal(JSON.stringify(schema), before, 'what was given is not changed')
    })
  }

  const field = { properties: { a: TEXT } }
  const refused: readonly (readonly [what: string, schema: JsonSchema, sound: JsonSchema])[] = [
    ['the whole schema', { ...INTERNAL, ...field }, { ...TEXT, ...field }],
    ['a definition', { ...field, $defs: { who: INTERNAL } }, { ...field, $defs: { who: TEXT } }],
    ['a branch', { ...field, anyOf: [INTERNAL, TEXT] }, { ...field, anyOf: [TEXT, TEXT] }],
    ['elements', { ...field, items: INTERNAL }, { ...field, items: TEXT }],
    [
      'any other field',
      { ...field, additionalProperties: INTERNAL },
      { ...field, additionalProperties: TEXT },
    ],
    [
      'elements of a field called properties',
      { properties: { properties: { items: INTERNAL } } },
      { properties: { properties: { items: TEXT } } },
    ],
    [
      'what a reference leads to',
      { properties: { a: { $ref: '#/properties/b' }, b: INTERNAL } },
      { properties: { a: { $ref: '#/properties/b' }, b: TEXT } },
    ],
    [
      'the name of a part that references make a schema',
      { properties: { a: { $ref: '#/components/b' }, b: INTERNAL }, components: { b: TEXT } },
      { properties: { a: { $ref: '#/components/b' }, b: TEXT }, components: { b: TEXT } },
    ],
  ]
  for (const [what, schema, sound] of refused) {
    test(`${what}: refused as internal, because nothing says what is left`, () => {
      assert.equal(modelSchema(sound).schema, sound)
      assert.throws(() => modelSchema(schema), { code: 'LINT_FAILED' })
    })
  }

  test('of a runtime with a mark at no property is refused', () => {
    const runtime = { properties: { a: { $ref: '#/$defs/who' } }, $defs: { who: TEXT } }
    assert.equal(modelSchema(field, { runtime }).schema, field)
    const marked = { ...runtime, $defs: { who: INTERNAL } }
    assert.throws(() => modelSchema(field, { runtime: marked }), { code: 'LINT_FAILED' })
  })

  test('without anything internal is the same', () => {
    for (const schema of [
      true,
      {},
      { properties: { visibility: { const: 'internal' } }, default: { visibility: 'internal' } },
      { properties: { a: { visibility: 'public' } } },
    ]) {
      assert.equal(modelSchema(schema).schema, schema)
    }
  })

  test('leaves out what the runtime’s schema marks, and what a record lists', () => {
    const schema = {
      properties: {
        to: TEXT,
        user: TEXT,
        box: { allOf: [{ properties: { key: TEXT, a: TEXT } }] },
        trace: TEXT,
      },
      required: ['user', 'trace'],
    }
    const runtime = {
      properties: {
        user: INTERNAL,
        box: { $ref: '#/$defs/box' },
      },
      $defs: { box: { properties: { key: INTERNAL } } },
    }
    assert.deepEqual(modelSchema(schema, { runtime, listed: ['trace', 'other'] }), {
      schema: { properties: { to: TEXT, box: { allOf: [{ properties: { a: TEXT } }] } }, required: [] },
      removed: ['key', 'other', 'trace', 'user'],
    })
    assert.equal(modelSchema(schema, { listed: ['other'] }).schema, schema)
  })

  test('of more levels than a file may have is refused', () => {
    let deep: JsonSchema = INTERNAL
    for (let level = 0; level < 100; level++) deep = { not: deep }
    assert.throws(() => modelSchema(deep), { code: 'LIMIT_EXCEEDED' })
    assert.throws(() => modelSchema(true, { runtime: deep }), { code: 'LIMIT_EXCEEDED' })
  })

  test('of more parts than anybody looks into is refused', () => {
    const many = Array<JsonSchema>(100_000).fill(true)
    assert.throws(() => modelSchema({ anyOf: many }), { code: 'LIMIT_EXCEEDED' })
    assert.equal(modelSchema({ anyOf: many.slice(2) }).removed.length, 0)
  })

  test('takes no longer for schemas in which everything refers to everything', () => {
    const names = Array.from({ length: 25 }, (_, index) => `f${index}`)
    const mark = (name: string) => (name === 'f7' ? INTERNAL : {})
    const defs = Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          properties: Object.fromEntries(
            names.map(other => [other, { $ref: `#/$defs/${other}`, ...mark(other) }]),
          ),
          index,
        },
      ]),
    )
    const schema = { $ref: '#/$defs/f0', $defs: defs }
    const { schema: shown } = modelSchema(schema, { runtime: schema })
    assert.doesNotMatch(JSON.stringify(shown), /"f7"|internal/)
  })
})

/** Undefined if it is refused. */
function shownOf(schema: JsonSchema): JsonSchema | undefined {
  try {
    return modelSchema(schema).schema
  } catch (error) {
    assert.ok(error instanceof RlpError && error.code === 'LINT_FAILED')
    return undefined
  }
}

const SPEAKING: ((name: string) => object)[] = [
  name => ({ required: ['a', name] }),
  name => ({ dependentRequired: { a: [name], [name]: ['a'] } }),
  name => ({ dependentSchemas: { [name]: { required: [name] } } }),
  name => ({ examples: [{ [name]: 1 }], default: { a: { [name]: 1 } } }),
  name => ({ 'x-own': [name], 'x-other': { [name]: 1 } }),
  name => ({ propertyNames: { enum: ['a', name] } }),
  name => ({ if: { properties: { [name]: { const: 1 } } } }),
]

const keyword = (name: string, value: fc.Arbitrary<unknown>) => value.map(value => ({ [name]: value }))

/** Schemas whose internal fields have names of their own, `hidden…`, so that any trace of one can be found. */
const schemas = fc.letrec<{ schema: JsonSchema; object: JsonSchema; marked: JsonSchema }>(tie => {
  const inner = fc.oneof(
    { maxDepth: 3, depthIdentifier: 'schema' },
    fc.constantFrom<JsonSchema>(
      { type: 'string' },
      { $ref: '#/$defs/a' },
      { $ref: '#/$defs/b' },
      { $ref: '#' },
    ),
    { weight: 12, arbitrary: tie('object') },
    { weight: 1, arbitrary: tie('marked') },
  )
  const list = fc.array(inner, { minLength: 1, maxLength: 2 })
  const named = fc.dictionary(fc.constantFrom('a', 'b', 'c'), inner, { maxKeys: 2 })
  const names = fc.subarray(['a', 'b'])
  /** An internal field, and everything that can speak of it: in one object, or in two that are joined. */
  const hidden = fc
    .tuple(fc.constantFrom('hidden1', 'hidden2'), tie('marked'), named, fc.subarray(SPEAKING), fc.boolean())
    .map(([name, marked, shown, speaking, isJoined]): JsonSchema => {
      const said = Object.assign({}, ...speaking.map(speak => speak(name)))
      const properties = { ...shown, [name]: marked }
      return isJoined ? { allOf: [{ properties }, said] } : { properties, ...said }
    })
  return {
    schema: inner,
    marked: fc
      .oneof({ maxDepth: 3, depthIdentifier: 'marked' }, fc.constant<JsonSchema>({}), tie('object'))
      .map(schema => ({ ...(schema as object), visibility: 'internal', title: 'hidden' })),
    // A few keywords each: with all of them a schema has thousands of parts.
    object: fc.oneof(
      hidden,
      fc
        .array(
          fc.oneof(
            { weight: 4, arbitrary: keyword('properties', named) },
            keyword('required', names),
            ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map(name => keyword(name, list)),
            ...['items', 'additionalProperties', 'not', 'if', 'then'].map(name => keyword(name, inner)),
            ...['patternProperties', '$defs', 'dependentSchemas'].map(name => keyword(name, named)),
          ),
          { maxLength: 3 },
        )
        .map(parts => Object.assign({}, ...parts)),
    ),
  }
})

describe('whatever the schema', () => {
  const root = fc
    .tuple(schemas.object, schemas.schema, schemas.schema)
    .map(([object, a, b]) => ({ ...(object as object), $defs: { a, b } }))

  test('nothing internal is left, and what is left is a schema whose references find something', () => {
    const tried = upTo(75, 400)
    let changed = 0
    let refused = 0
    fc.assert(
      fc.property(root, schema => {
        const shown = shownOf(schema)
        if (shown === undefined) return void refused++
        if (shown !== schema) changed++
        const text = JSON.stringify(shown)
        assert.doesNotMatch(text, /visibility|hidden/)
        assert.deepEqual(checkJsonSchema(shown), [])
        for (const { ref } of findRefs(subschemasOf(shown)))
          assert.equal(
            followRef(ref, { schema: shown }, '', () => undefined).is,
            'found',
            `${ref} in ${text}`,
          )
        assert.deepEqual(modelSchema(shown).schema, shown)
      }),
      { numRuns: tried },
    )
    assert.ok(changed > tried / 8, `only ${changed} schemas had anything internal`)
    assert.ok(refused > 0 && refused < tried / 2, `${refused} schemas were refused`)
  })
})
