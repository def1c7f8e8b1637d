// What is kept of the arguments of a tool: which schema each has, which keywords beside it, and where the room for schemas ends.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { argumentsIn, besideValue, filledArguments, type Room } from '../../src/inspect/filled-arguments.ts'
import { acceptedBy, inTemplates } from '../../src/inspect/permission-lines.ts'
import { NOT_COMPARED } from '../../src/model/permissions.ts'
import type { JsonSchema, Tool } from '../../src/model/tools.ts'
import { TOOL } from '../support/arbitrary-caps.ts'

const TEXT = { type: 'string' }

describe('a step into a schema', () => {
  const at = (schema: unknown, ...path: string[]) => {
    const { schema: found, beside } = argumentsIn(schema)(path)
    return [found, ...beside.map(besideValue)]
  }
  const object = (more: object = {}) => ({ type: 'object', properties: { a: TEXT }, ...more })
  const list = (more: object = {}) => ({ type: 'array', items: TEXT, ...more })

  test('of a plain object is its property, else what others may be', () => {
    assert.deepEqual(at(object(), 'a'), [TEXT])
    assert.deepEqual(at(object(), 'b'), [true])
    assert.deepEqual(at(object({ additionalProperties: false }), 'b'), [false])
    assert.deepEqual(at(object({ required: ['a'], minProperties: 1, title: 'x' }), 'a'), [TEXT])
    assert.deepEqual(at({ type: 'object' }, 'a'), [true])
    assert.deepEqual(at(object(), 'toString'), [true])
  })

  test('of an object with other keywords is its property beside them', () => {
    const schema = object({ maxProperties: 3 })
    assert.deepEqual(at(schema, 'a'), [TEXT, { ...schema, properties: { a: true } }])
    assert.deepEqual(at(schema, 'b'), [true, schema])
    assert.deepEqual(at({ maxProperties: 3 }, 'a'), [true, { maxProperties: 3 }])
  })

  test('of a plain list is its item, by a number alone', () => {
    assert.deepEqual(at(list(), '0'), [TEXT])
    assert.deepEqual(at(list({ minItems: 1 }), '12'), [TEXT])
    assert.deepEqual(at({ type: 'array' }, '0'), [true])
    const unique = list({ uniqueItems: true })
    assert.deepEqual(at(unique, '0'), [true, unique])
    assert.deepEqual(at(list(), 'a'), [true, list()])
  })

  test('of what may be a list or an object is a number in neither, and a name in the object', () => {
    const both = { type: ['object', 'array'], properties: { 0: TEXT, a: TEXT } }
    assert.deepEqual(at(both, '0'), [true, both])
    assert.deepEqual(at(both, 'a'), [TEXT])
    const open = { properties: { 0: TEXT, a: TEXT } }
    assert.deepEqual(at(open, '0'), [true, open])
    assert.deepEqual(at(open, 'a'), [TEXT])
    const other = { type: ['object', 'null'], properties: { 0: TEXT } }
    assert.deepEqual(at(other, '0'), [TEXT])
    assert.deepEqual(at({ type: 'string' }, 'a'), [true, { type: 'string' }])
  })

  test('leads further, and ends at what is no object', () => {
    assert.deepEqual(at(object({ properties: { a: list() } }), 'a', '0'), [TEXT])
    assert.deepEqual(at(true, 'a', 'b'), [true])
    assert.deepEqual(at(false, 'a'), [false])
    const inner = object({ maxProperties: 1 })
    const outer = object({ properties: { o: inner }, minProperties: 1, maxProperties: 2 })
    assert.deepEqual(at(outer, 'o', 'a'), [
      TEXT,
      { ...outer, properties: { o: true } },
      { ...inner, properties: { a: true } },
    ])
  })
})

describe('what a schema accepts, in a few words', () => {
  test('is a type, a list, or any value', () => {
    assert.equal(acceptedBy({ type: 'string', title: 'x' }), 'any string')
    assert.equal(acceptedBy({ minLength: 1 }), 'any value')
    assert.equal(acceptedBy({ type: 'integer', minimum: 1, title: 'x' }), 'any integer within its schema')
    assert.equal(acceptedBy({ const: 'x' }), '"x"')
    assert.equal(acceptedBy('no schema'), 'any value')
  })

  test('is told of arguments with a name alone', () => {
    const fills = ['', 'a'].map(path => ({ path, schema: true, beside: '' }))
    assert.deepEqual(inTemplates(fills), [fills[1]])
  })
})

describe('the room for schemas', () => {
  const tool = (inputSchema: unknown, ...paths: string[]): Tool => ({
    ...TOOL,
    inputSchema: inputSchema as JsonSchema,
    transport: {
      kind: 'http',
      method: 'GET',
      url: `https://a.example/${paths.map(path => `{{input.${path}}}`).join('/')}`,
      headers: {},
    },
  })
  const fills = (one: Tool, room?: Partial<Room>) =>
    filledArguments(one, () => undefined, { characters: 1_000_000, values: 1_000_000, ...room })
  const object = (properties: object) => ({ type: 'object', properties })
  const DIGEST = /^[0-9a-f]{64}$/

  test('keeps nothing of a tool whose arguments stay', () => {
    assert.deepEqual(fills(tool(object({ a: TEXT }))), [])
  })

  test('keeps the schema of each argument that leaves, in the order of their names', () => {
    const made = fills(tool(object({ b: TEXT, a: { type: 'null' } }), 'b', 'a', 'c'))
    assert.deepEqual(made, [
      { path: 'a', schema: { type: 'null' }, beside: '' },
      { path: 'b', schema: TEXT, beside: '' },
      { path: 'c', schema: true, beside: '' },
    ])
    const [beside] = fills(tool({ ...object({ a: TEXT }), maxProperties: 1 }, 'a'))
    assert.deepEqual(beside?.schema, TEXT)
    assert.match(beside?.beside ?? '', DIGEST)
  })

  test('keeps a digest of more values than two thousand, and of longer texts than a hundred thousand characters', () => {
    const kept = (schema: object) => fills(tool(object({ a: schema }), 'a'))[0]
    const values = (count: number) => ({ enum: Array.from({ length: count }, (_, at) => at) })
    assert.deepEqual(kept(values(1990))?.schema, values(1990))
    assert.equal(kept(values(2010))?.schema, true)
    assert.match(kept(values(2010))?.beside ?? '', DIGEST)
    const text = (length: number) => ({ const: 'x'.repeat(length - '{"const":""}'.length) })
    assert.deepEqual(kept(text(100_000))?.schema, text(100_000))
    assert.equal(kept(text(100_001))?.schema, true)
    assert.notEqual(kept(text(100_001))?.beside, kept(text(100_002))?.beside)
  })

  test('is used up to its last character', () => {
    const one = tool(object({ a: TEXT }), 'a')
    const { length } = JSON.stringify(TEXT)
    const room = { characters: length, values: 1000 }
    assert.deepEqual(filledArguments(one, () => undefined, room)[0]?.schema, TEXT)
    assert.equal(room.characters, 0)
    assert.equal(
      filledArguments(one, () => undefined, { characters: length - 1, values: 1000 })[0]?.schema,
      true,
    )
  })

  test('that is used up compares nothing', () => {
    const one = tool(object({ a: TEXT, b: TEXT }), 'a', 'b')
    for (const values of [0, -1])
      assert.deepEqual(
        fills(one, { values }),
        ['a', 'b'].map(path => ({ path, schema: true, beside: NOT_COMPARED })),
      )
    // It ends between two arguments of one tool.
    const beside = Array.from({ length: 60 }, (_, at) =>
      fills(one, { values: at }).map(({ beside }) => beside),
    )
    assert.ok(beside.some(([first, second]) => first === '' && second === NOT_COMPARED))
    assert.deepEqual(beside.at(-1), ['', ''])
  })

  test('compares a schema that cannot be used with nothing, and a recursive one as a whole', () => {
    const bad = { type: 'object', properties: { a: { $ref: '#/nowhere' } } }
    const [first] = fills(tool(bad, 'a'))
    assert.equal(first?.schema, true)
    assert.ok(first?.beside === NOT_COMPARED || DIGEST.test(first?.beside ?? ''))
    const loop = {
      $defs: { n: { type: 'object', properties: { n: { $ref: '#/$defs/n' } } } },
      $ref: '#/$defs/n',
    }
    const whole = fills(tool(loop, 'n', 'n.n'))
    assert.deepEqual([whole[0]?.schema, whole[1]?.schema], [true, true])
    assert.match(whole[0]?.beside ?? '', DIGEST)
    assert.equal(whole[0]?.beside, whole[1]?.beside)
  })
})
