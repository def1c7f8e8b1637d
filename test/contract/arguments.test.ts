// Arguments: coerced into what the schema declares, then validated, and passed on in their own bytes when nothing had to change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serialize } from '../../src/contract/envelope.ts'
import { coerce, preflight } from '../../src/contract/preflight.ts'
import { validate } from '../../src/contract/validate.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { among, runs } from '../support/runs.ts'

/** A schema with one field `x`. */
const withX = (schema: JsonSchema, more: object = {}): JsonSchema => ({
  type: 'object',
  properties: { x: schema },
  ...more,
})
const coerceX = (schema: JsonSchema, x: unknown): unknown =>
  (coerce({ x }, withX(schema)) as { x?: unknown }).x
const messageOf = (value: unknown, schema: JsonSchema): string | undefined => {
  const made = validate(value, schema)
  return made.valid ? undefined : made.message
}
const refusal = (text: string, schema: JsonSchema | undefined, options = {}) => {
  const made = preflight('t', text, schema, options)
  return made.ok ? undefined : made.failure
}

test('texts become the declared scalar only where that is exact', () => {
  const rows: [string, unknown, unknown][] = [
    ['integer', '15', 15],
    ['integer', '+15', 15],
    ['integer', '-0', 0],
    ['integer', '30.0', 30],
    ['integer', '1e3', 1000],
    ['integer', '0x10', 16],
    ['integer', '-0x10', -16],
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '9007199254740993', '9007199254740993'],
    ['integer', '1.5', '1.5'],
    ['integer', '0.99999999999999999', '0.99999999999999999'],
    ['integer', '0.99999999999999999e0', '0.99999999999999999e0'],
    ['integer', ' 15', ' 15'],
    ['integer', '', ''],
    ['number', '3.14', 3.14],
    ['number', '.5', 0.5],
    ['number', '5.', 5],
    ['number', '1e300', 1e300],
    ['number', '1e999', '1e999'],
    ['number', '123456789012345678901', '123456789012345678901'],
    ['number', 'nan', 'nan'],
    ['number', 'inf', 'inf'],
    ['number', 'Infinity', 'Infinity'],
    ['number', '0x1p4', '0x1p4'],
    ['number', '0x', '0x'],
    ['number', '1_000', '1_000'],
    ['number', '１', '１'],
    ['boolean', ' YES ', true],
    ['boolean', '0', false],
    ['boolean', 1, 1],
    ['boolean', 'on', 'on'],
    ['date', '5', '5'],
  ]
  for (const [type, given, wanted] of rows) {
    const made = coerceX({ type }, given)
    assert.ok(Object.is(made, wanted), `${type} ${JSON.stringify(given)}: ${JSON.stringify(made)}`)
  }
})

test('numbers in words of other languages are no numbers', () => {
  for (const word of ['nan', 'inf', 'Infinity', '0x1p4', '0x1.8p1', '1e999', '１'])
    assert.equal(messageOf({ x: word }, withX({ type: 'number' })), "Property 'x' must be a number", word)
})

test('null: as a text only where it can mean nothing else, as a value only where it is admitted', () => {
  assert.equal(coerceX({ type: ['integer', 'null'] }, 'null'), null)
  assert.equal(coerceX({ type: 'string', nullable: true, enum: ['a'] }, 'null'), null)
  assert.equal(coerceX({ enum: ['null', null] }, 'null'), 'null')
  assert.equal(coerceX({ type: ['string', 'null'] }, 'null'), 'null')
  assert.equal(coerceX({ type: 'string' }, 'null'), 'null')
  const required = { required: ['x'] }
  assert.equal(messageOf({ x: null }, withX({ type: 'string', nullable: true }, required)), undefined)
  assert.equal(messageOf({ x: null }, withX({ type: ['string', 'null'] }, required)), undefined)
  assert.equal(messageOf({ x: null }, withX({ enum: ['a', null] }, required)), undefined)
  assert.equal(messageOf({ x: null }, withX({ type: 'string' }, required)), 'Missing required property: x')
  assert.equal(
    messageOf({}, withX({ type: 'string', nullable: true }, required)),
    'Missing required property: x',
  )
})

test('lengths count characters, not code units', () => {
  const schema = withX({ type: 'string', minLength: 2, maxLength: 3 })
  assert.equal(messageOf({ x: '😀' }, schema), "Property 'x' must contain at least 2 characters (got 1).")
  assert.equal(messageOf({ x: '😀😀😀' }, schema), undefined)
  assert.equal(messageOf({ x: 'abcd' }, schema), "Property 'x' must contain at most 3 characters (got 4).")
})

test('numbers in messages are written as the contract writes them', () => {
  const got = (x: number) =>
    /got (.*)\)/.exec(messageOf({ x }, withX({ type: 'number', minimum: 1e30 })) ?? '')?.[1]
  assert.deepEqual([0, -1.5, 0.0001, 0.00001, -1.25e-7, 2 ** 54, 2 ** 55, 1e21].map(got), [
    '0.0',
    '-1.5',
    '0.0001',
    '1e-05',
    '-1.25e-07',
    '18014398509481984.0',
    '3.602879701896397e+16',
    '1e+21',
  ])
})

test('what the schema wants is in `expected`', () => {
  const wanted = (schema: JsonSchema, x: unknown) => refusal(JSON.stringify({ x }), withX(schema))?.expected
  assert.equal(wanted({ type: 'string' }, 1), 'a string')
  assert.equal(wanted({ type: 'integer', minimum: 1, maximum: 6 }, 7), 'an integer from 1 to 6')
  assert.equal(wanted({ type: 'number', minimum: 0 }, -1), 'a number >= 0')
  assert.equal(wanted({ type: 'array', items: { type: 'integer' } }, 'x'), 'an array of integers')
  assert.equal(wanted({ type: 'string', enum: ['a', 'b'] }, 'c'), 'one of "a", "b"')
  assert.equal(wanted({ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, 'q'), 'an integer or a boolean')
  assert.equal(wanted({ anyOf: [{ type: 'integer' }, { minLength: 3 }] }, 'q'), undefined)
})

test('required in the order of the schema, then unknown keys, then values in the order in which they were sent', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['b', 'a'],
    additionalProperties: false,
  }
  assert.equal(messageOf({}, schema), 'Missing required property: b')
  assert.equal(messageOf({ z: 1, b: 1 }, schema), 'Missing required property: a')
  assert.equal(messageOf({ z: 1, b: 1, a: 1 }, schema), 'Unexpected property `z`. Allowed: a, b')
  assert.equal(messageOf({ b: 1, a: 1 }, schema), "Property 'b' must be a string")
})

test('coercing keeps what is right, by identity, and twice is once', () => {
  fc.assert(
    fc.property(schemas, fc.jsonValue(), fc.boolean(), (schema, value, rescueKeys) => {
      const once = coerce(value, schema, { rescueKeys })
      assert.equal(coerce(once, schema, { rescueKeys }), once)
    }),
    { numRuns: runs(500), seed: 4 },
  )
})

test('the bytes stay when nothing has to change, and else are compact and sorted', () => {
  let changes = 0
  fc.assert(
    fc.property(pairs, fc.constantFrom(0, 2), ([schema, value], indent) => {
      const text = JSON.stringify(value, null, indent)
      const made = preflight('t', text, schema)
      if (!made.ok) {
        assert.ok(['invalid_args', 'unavailable'].includes(made.failure.kind))
        return
      }
      assert.equal(made.text, made.changed ? serialize(made.value) : text)
      if (made.changed) changes++
      // What passed passes again, unchanged.
      assert.deepEqual(preflight('t', made.text, schema), { ...made, changed: false })
    }),
    { numRuns: runs(500), seed: 5 },
  )
  assert.ok(changes > among(20, 500), `only ${changes} changes`)
})

const scalars: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
  ...['string', 'integer', 'number', 'boolean'].map(type => ({ type })),
  { type: 'string', enum: ['a', 'B'] },
  { type: ['integer', 'null'] },
  { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  true,
  {},
)
const keys = fc.constantFrom(
  'a',
  'b',
  'properties',
  'arguments',
  'path',
  'fooBar',
  '__proto__',
  'constructor',
)
const { schemas } = fc.letrec<{ schemas: JsonSchema }>(tie => ({
  schemas: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalars,
    fc.record({ type: fc.constant('array'), items: tie('schemas') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(keys, tie('schemas')),
      required: fc.constantFrom<string[]>([], [], ['a']),
      additionalProperties: fc.boolean(),
    }),
  ),
}))

/** A schema, and a value that may fit it. */
const pairs = schemas
  .filter(schema => typeof schema === 'object' && schema['type'] === 'object')
  .chain(schema => fc.tuple(fc.constant(schema), valuesFor(schema)))

/** Values near a schema: right ones, and right ones written as text. */
function valuesFor(schema: JsonSchema): fc.Arbitrary<unknown> {
  const {
    type,
    properties = {},
    items,
  } = (typeof schema === 'object' ? schema : {}) as {
    type?: unknown
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
  }
  if (type === 'object') {
    const fields = Object.entries(properties).filter(([name]) => name !== '__proto__')
    const made = fc.record(Object.fromEntries(fields.map(([name, field]) => [name, valuesFor(field)])), {
      requiredKeys: [],
    })
    return fc.oneof(
      made,
      made.map(value => JSON.stringify(value)),
      made.map(properties => ({ properties })),
    )
  }
  if (type === 'array' && items !== undefined) {
    const made = fc.array(valuesFor(items), { maxLength: 3 })
    return fc.oneof(
      made,
      made.map(value => JSON.stringify(value)),
    )
  }
  const near: Readonly<Record<string, readonly unknown[]>> = {
    string: ['', 'a', 'A', 'b', null],
    integer: ['1', '-2.0', 3, 1.5],
    number: ['1.50', 2, ''],
    boolean: ['YES', false, 1],
  }
  return fc.constantFrom<unknown>(...(near[String(type)] ?? ['null', null, '1', [], {}]))
}

test('text that is no JSON object', () => {
  const schema = withX({ type: 'string' })
  for (const text of ['', 'x', '5', 'null', '"{}"', '{"x":', "{'x': 1}"]) {
    const made = preflight('t', text, schema)
    assert.ok(made.ok && made.text === text && !made.changed, text)
    assert.equal(refusal(text, schema, { objectOnly: true })?.kind, 'invalid_args', text)
  }
  assert.equal(refusal('[]', schema)?.message, 'Arguments must be an object')
  assert.match(
    refusal('[]', undefined, { objectOnly: true })?.message ?? '',
    /^Arguments could not be parsed/,
  )
})

test('JSON that two readers could understand differently never passes, with or without a schema', () => {
  const rows: [string, string][] = [
    ['{"x":1,"x":2}', 'The key "x" appears twice in one object (at character 8)'],
    ['{"x":1,"\\u0078":2}', 'The key "x" appears twice in one object (at character 8)'],
    ['{"__proto__":{"x":1}}', 'The key "__proto__" is not allowed (at character 2)'],
    ['{"x":9007199254740993}', 'An integer beyond 2^53-1 is not read alike everywhere (at character 6)'],
    ['{"x":1e999}', 'The number is too large to hold (at character 6)'],
    ['{"x":"\\ud800"}', 'A surrogate without its other half is no character (at character 7)'],
    ['{"x":"\ud800"}', 'A surrogate without its other half is no character'],
    ['['.repeat(100_000), 'More than 64 levels of nesting (at character 65)'],
    [
      `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'More than 64 levels of nesting (at character 69)',
    ],
  ]
  assert.equal(refusal('{"x":[1]}', withX({})), undefined)
  for (const [text, why] of rows) {
    for (const schema of [undefined, withX({})]) {
      const made = refusal(text, schema)
      assert.equal(made?.kind, 'invalid_args', text.slice(0, 40))
      assert.equal(made.message, `Arguments could not be read: ${why}`)
    }
  }
})

test('the same inside a text stays text, and fits no array or object', () => {
  for (const bomb of [
    '['.repeat(100_000),
    '[1,2e999]',
    '[{"a":1,"a":2}]',
    '[9007199254740993]',
    '["\\ud800"]',
  ]) {
    assert.equal(coerceX({ type: 'array' }, bomb), bomb)
    assert.equal(messageOf({ x: bomb }, withX({ type: 'array' })), "Property 'x' must be an array")
  }
  assert.equal(coerceX({ type: 'object' }, '{"__proto__":1}'), '{"__proto__":1}')
  assert.deepEqual(coerceX({ type: 'array' }, ' [1] '), [1])
})

test('names of the prototype are names like others', () => {
  const schema = withX({ type: 'string' }, { additionalProperties: false })
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf'])
    assert.equal(
      refusal(JSON.stringify({ [name]: 1 }), schema)?.message,
      `Unexpected property \`${name}\`. Allowed: x`,
    )
  assert.equal(
    messageOf({}, withX({}, { required: ['constructor'] })),
    'Missing required property: constructor',
  )
  const polluted = coerce(
    JSON.parse('{"properties":{"__proto__":{"y":1},"x":"a"}}'),
    withX({ type: 'string' }),
  ) as object
  assert.deepEqual(Object.keys(polluted).sort(), ['__proto__', 'x'])
  assert.equal('y' in polluted, false)
  assert.equal(({} as { y?: unknown }).y, undefined)
})

test('long texts cost no more than their length, and messages stay short', () => {
  const long = 'a'.repeat(2_000_000)
  assert.deepEqual(
    refusal(JSON.stringify({ x: long }), withX({ type: 'integer' }))?.message,
    "Property 'x' must be an integer",
  )
  for (const type of ['integer', 'number', 'boolean', 'array', 'object']) {
    for (const x of ['a'.repeat(60_000), '1'.repeat(60_000), `[${'['.repeat(60_000)}`, ' '.repeat(60_000)]) {
      const made = preflight('t', JSON.stringify({ x }), withX({ type }))
      if (!made.ok) assert.ok(serialize(made.failure).length < 1_000, type)
    }
  }
  const name = refusal(JSON.stringify({ [long]: 1 }), withX({}, { additionalProperties: false }))
  assert.equal(name?.field, `${'a'.repeat(200)}…`)
  assert.ok(serialize(name).length < 1_000)
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name${index}`, {}]))
  const closed = refusal('{"y":1}', { type: 'object', properties: many, additionalProperties: false })
  assert.match(closed?.message ?? '', /, … \(\d+ more\)$/)
})

test('patterns are followed, and one that cannot be followed is the schema’s fault', () => {
  const slow = withX({ type: 'string', pattern: '^(a+)+$' })
  assert.equal(messageOf({ x: 'aaa' }, slow), undefined)
  assert.equal(
    messageOf({ x: `${'a'.repeat(50_000)}!` }, slow),
    "Property 'x' does not match required pattern `^(a+)+$`.",
  )
  const back = refusal('{"x":"aa"}', withX({ type: 'string', pattern: '(a)\\1' }))
  assert.deepEqual(
    { kind: back?.kind, retryable: back?.retryable, message: back?.message },
    {
      kind: 'unavailable',
      retryable: false,
      message: "Property 'x' cannot be checked against its pattern `(a)\\1`: it refers back to a group",
    },
  )
  // A branch that cannot be judged does not count as one that does not fit.
  const branch = withX({ anyOf: [{ type: 'integer' }, { type: 'string', pattern: '(a)\\1' }] })
  assert.equal(refusal('{"x":"aa"}', branch)?.kind, 'unavailable')
  // What is no regular expression judges nothing.
  for (const pattern of ['(', '[', '\\', 'a{2,1}', 'x'.repeat(6_000)])
    assert.equal(messageOf({ x: 'q' }, withX({ type: 'string', pattern })), undefined, pattern.slice(0, 10))
})

test('a schema may be nonsense', () => {
  const bad: unknown[] = [null, 5, 'x', [], { type: 5 }, { properties: [] }, { required: 'x' }, { enum: 'x' }]
  for (const keyword of [
    'properties',
    'required',
    'enum',
    'items',
    'anyOf',
    'oneOf',
    'pattern',
    'minimum',
    'minLength',
    'nullable',
  ])
    for (const value of [null, 5, 'x', [], [5], {}, { x: 5 }])
      bad.push({ type: 'object', properties: { x: { [keyword]: value } } })
  for (const schema of bad) {
    for (const text of ['{"x":"a"}', '{"x":[1]}', '{"x":null}', '[]'])
      preflight('t', text, schema as JsonSchema)
  }
  assert.equal(messageOf({}, 'x' as unknown as JsonSchema), 'Schema must be an object')
  assert.equal(messageOf({ x: 1 }, withX(false)), "Property 'x' is not allowed")
  assert.equal(messageOf({ x: 1 }, true), undefined)
})

test('references are not followed: nothing there is changed or judged, whatever it refers to', () => {
  const cyclic: JsonSchema = {
    type: 'object',
    properties: { x: { $ref: '#' }, y: { $ref: '#/properties/y' } },
    $defs: {},
  }
  const text = '{ "x": {"x": "1"}, "y": "true" }'
  assert.deepEqual(preflight('t', text, cyclic), {
    ok: true,
    text,
    value: { x: { x: '1' }, y: 'true' },
    changed: false,
  })
})

test('a schema that holds itself, or far too many branches, is refused and not followed', () => {
  const looped: Record<string, unknown> = { type: 'object' }
  looped['properties'] = { x: looped }
  assert.equal(messageOf({ x: { x: { x: {} } } }, looped), undefined)
  let deep: unknown = {}
  for (let level = 0; level < 30_000; level++) deep = { x: deep }
  assert.equal(messageOf(deep, looped), 'Arguments are nested too deeply to be checked')
  coerce(deep, looped)
  let branches: JsonSchema = { type: 'string' }
  for (let level = 0; level < 30_000; level++) branches = { anyOf: [branches] }
  assert.equal(messageOf({ x: 1 }, withX(branches)), 'Arguments are nested too deeply to be checked')
  let shared: JsonSchema = { type: 'string' }
  for (let level = 0; level < 60; level++) shared = { anyOf: [shared, shared] }
  assert.equal(messageOf({ x: 1 }, withX(shared)), 'Arguments are too large to be checked')
})

test('values that are no JSON do no harm', () => {
  const loop: { x?: unknown } = {}
  loop.x = loop
  for (const value of [
    loop,
    { x: 1n },
    { x: undefined },
    { x: () => 0 },
    { x: Symbol('s') },
    new Map(),
    { properties: loop },
  ]) {
    for (const schema of [withX({ enum: ['a'] }), withX({ type: 'object' }), withX({ type: 'integer' })]) {
      coerce(value, schema)
      validate(value, schema)
    }
  }
  assert.match(messageOf(loop, withX({ enum: ['a'] })) ?? '', /^Property 'x' must be one of/)
})

test('keys are rescued only when asked, only when one can be meant, and never over a right one', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { chartType: { type: 'string' }, path: { type: 'string' }, count: { type: 'integer' } },
  }
  const rescue = (value: unknown) => coerce(value, schema, { rescueKeys: true })
  assert.deepEqual(rescue({ CHART_TYPE: 'bar', 'co-unt': '2' }), { chartType: 'bar', count: 2 })
  assert.deepEqual(rescue({ chart_type: 'a', 'chart-type': 'b' }), { chart_type: 'a', 'chart-type': 'b' })
  assert.deepEqual(rescue({ chart_type: 'a', chartType: 'b' }), { chart_type: 'a', chartType: 'b' })
  assert.deepEqual(rescue({ file: 'a', filename: 'b' }), { file: 'a', filename: 'b' })
  assert.deepEqual(rescue({ Path: 'a', filename: 'b' }), { path: 'a', filename: 'b' })
  assert.deepEqual(rescue({ arguments: '{"properties":{"file_path":"a","count":"1"}}' }), {
    arguments: '{"properties":{"file_path":"a","count":"1"}}',
  })
  assert.deepEqual(rescue({ arguments: '{"count":"1","filepath":"a"}' }), { count: 1, path: 'a' })
  assert.deepEqual(coerce({ chart_type: 'bar' }, schema), { chart_type: 'bar' })
})

test('what a caller could not read itself', () => {
  const sentinel = { _error: 'invalid_tool_arguments', _message: 5, _field: null }
  assert.deepEqual(refusal(JSON.stringify(sentinel), undefined), {
    ok: false,
    kind: 'invalid_args',
    message: 'Arguments could not be parsed as JSON. Pass an object literal, e.g. `{"path": "foo.txt"}`.',
    retryable: true,
    tool: 't',
  })
  assert.equal(refusal('{"_error":"something else"}', undefined), undefined)
})
