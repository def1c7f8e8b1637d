// Users' schemas: where subschemas and references are, what references name, the meta-schema, and compiling without a surprise.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { checkJsonSchema } from '../../src/format/schema/check.ts'
import {
  checkPattern,
  classifyRef,
  dialectOf,
  findRefs,
  resolveLocal,
  walkSchemas,
} from '../../src/format/schema/compile.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, runs } from '../support/runs.ts'

/** As text, because of `then` and `$ref`, and because schemas come as text. */
const json = (text: string) => JSON.parse(text) as JsonSchema
const named = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]))
const nested = (depth: number): JsonSchema => (depth === 0 ? { type: 'string' } : { not: nested(depth - 1) })

describe('walking', () => {
  const places = (schema: unknown) => [...walkSchemas(schema)].map(({ pointer }) => pointer.join('/'))

  test('every keyword that holds schemas is entered', () => {
    const one =
      'additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains contentSchema not if then else'
    for (const keyword of one.split(' ')) assert.deepEqual(places({ [keyword]: true }), ['', keyword])
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
      assert.deepEqual(places({ [keyword]: [{}, false] }), ['', `${keyword}/0`, `${keyword}/1`])
    }
    for (const keyword of [
      'properties',
      'patternProperties',
      '$defs',
      'definitions',
      'dependentSchemas',
      'dependencies',
    ]) {
      assert.deepEqual(places({ [keyword]: { a: {}, type: true } }), ['', `${keyword}/a`, `${keyword}/type`])
    }
  })

  test('data and unknown keywords are not', () => {
    assert.deepEqual(
      places(
        json(
          '{"enum":[{"not":{}}],"const":{"not":{}},"default":{},"examples":[{}],"x-own":{},"required":["a"],"dependencies":{"a":["b"]}}',
        ),
      ),
      [''],
    )
  })

  test('what should be a schema and is not is passed over', () => {
    assert.deepEqual(
      places(json('{"items":5,"allOf":{"a":{}},"properties":[{}],"not":null,"anyOf":[1,{}]}')),
      ['', 'anyOf/1'],
    )
    assert.deepEqual(places(5), [])
    assert.deepEqual(places(false), [''])
  })

  test('the place that a reference makes a schema is entered once', () => {
    const schema = json(
      '{"items":{"$ref":"#/x/a"},"not":{"$ref":"#/x/a"},"x":{"a":{"items":{"$ref":"#/x/a/items"}},"b":{"items":{}}},"contains":{"$ref":"#/x/missing"}}',
    )
    assert.deepEqual(places(schema), ['', 'items', 'not', 'contains', 'x/a', 'x/a/items'])
  })

  test('and also when an inner part of it was found first', () => {
    const schema = json(
      '{"not":{"$ref":"#/x/a/items"},"items":{"$ref":"#/x/a"},"x":{"a":{"items":{"type":"string"}}}}',
    )
    assert.deepEqual(places(schema).sort(), ['', 'items', 'not', 'x/a', 'x/a/items'])
  })

  test('the nearest $id is where local references start', () => {
    const found = [...walkSchemas(json('{"$defs":{"a":{"$id":"a.json","items":{}},"b":{}}}'))]
    assert.deepEqual(
      found.map(({ pointer, resourceAt }) => [pointer.join('/'), resourceAt.join('/')]),
      [
        ['', ''],
        ['$defs/a', '$defs/a'],
        ['$defs/a/items', '$defs/a'],
        ['$defs/b', ''],
      ],
    )
  })

  test('wide and deep schemas are walked to their end', () => {
    assert.equal([...walkSchemas({ properties: named(5_000, () => ({})) })].length, 5_001)
    let deep: JsonSchema = true
    for (let level = 0; level < 1_000; level++) deep = { items: deep }
    assert.equal([...walkSchemas(deep)].length, 1_001)
  })
})

describe('references', () => {
  const found = (schema: unknown) =>
    [...findRefs(schema)].map(({ pointer, ref }) => `${pointer.join('/')} = ${ref}`)

  test('a property called $ref is no reference', () => {
    const schema = json(
      '{"properties":{"$ref":{"type":"string"},"a":{"$ref":"#/$defs/a"}},"$defs":{"$dynamicRef":{},"a":{"$dynamicRef":"#n"}},"const":{"$ref":"x"},"items":{"$ref":5}}',
    )
    assert.deepEqual(found(schema), ['properties/a/$ref = #/$defs/a', '$defs/a/$dynamicRef = #n'])
  })

  const classified: [ref: string, from: string, expected: unknown][] = [
    ['', '', { kind: 'local', fragment: '#' }],
    ['#', '', { kind: 'local', fragment: '#' }],
    ['#/$defs/a', '', { kind: 'local', fragment: '#/$defs/a' }],
    ['#anchor', '', { kind: 'local', fragment: '#anchor' }],
    ['schema:mail.send.request.v1', '', { kind: 'registry', id: 'mail.send.request.v1', fragment: '#' }],
    ['schema:mail/send.v1#/a', '', { kind: 'registry', id: 'mail/send.v1', fragment: '#/a' }],
    ['schemas/a.json', '', { kind: 'file', path: 'schemas/a.json', fragment: '#' }],
    [
      'schemas/a.json#/$defs/b',
      'tools.json',
      { kind: 'file', path: 'schemas/a.json', fragment: '#/$defs/b' },
    ],
    ['b.json', 'schemas/a.json', { kind: 'file', path: 'schemas/b.json', fragment: '#' }],
    ['./b.json', 'schemas/a.json', { kind: 'file', path: 'schemas/b.json', fragment: '#' }],
    ['../tools.json', 'schemas/a.json', { kind: 'file', path: 'tools.json', fragment: '#' }],
    ['x/../b.json', '', { kind: 'file', path: 'b.json', fragment: '#' }],
    ['https://example.com/a.json', '', { kind: 'remote' }],
    ['HTTP://example.com/', '', { kind: 'remote' }],
    ['//example.com/a.json', '', { kind: 'remote' }],
    ['file:///etc/passwd', '', { kind: 'remote' }],
    ['urn:uuid:1', '', { kind: 'remote' }],
    ['SCHEMA:a', '', { kind: 'remote' }],
    ['javascript:alert(1)', '', { kind: 'remote' }],
    ['/etc/passwd', '', { kind: 'invalid', reason: 'is an absolute path' }],
    ['C:\\a.json', '', { kind: 'invalid', reason: 'is an absolute path' }],
    ['../a.json', '', { kind: 'invalid', reason: 'leads out of the bundle' }],
    ['../../a.json', 'schemas/a.json', { kind: 'invalid', reason: 'leads out of the bundle' }],
    ['a/../../b.json', '', { kind: 'invalid', reason: 'leads out of the bundle' }],
    [
      'a\\b.json',
      '',
      { kind: 'invalid', reason: 'names a path that has a backslash; bundles use / on every system' },
    ],
    [
      '%2e%2e/a.json',
      '',
      {
        kind: 'invalid',
        reason: 'names a path that has a character other than letters, digits and . _ @ + -',
      },
    ],
    [
      'a.json?x',
      '',
      {
        kind: 'invalid',
        reason: 'names a path that has a character other than letters, digits and . _ @ + -',
      },
    ],
    ['a//b.json', '', { kind: 'invalid', reason: 'names a path that has an empty segment' }],
    ['.', '', { kind: 'invalid', reason: 'names a path that is empty' }],
    [
      '.hidden.json',
      '',
      { kind: 'invalid', reason: 'names a path that has a segment that begins with a dot' },
    ],
    ['schema:', '', { kind: 'invalid', reason: 'has an id that is empty' }],
    ['schema:../../secret', '', { kind: 'invalid', reason: 'has an id that has a ".." segment' }],
  ]
  for (const [ref, from, expected] of classified) {
    test(`${JSON.stringify(ref)} in ${from || 'a file at the top'}`, () =>
      assert.deepEqual(classifyRef(ref, from), expected))
  }

  test('no reference names a file outside the bundle', () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      '/',
      '\\',
      '%2e',
      ':',
      '#',
      '?',
      'schema',
      '//',
      'é',
      '\0',
    )
    fc.assert(
      fc.property(
        fc.array(part),
        fc.constantFrom('', 'a.json', 'schemas/a.json', 'schemas/x/a.json'),
        (parts, from) => {
          const ref = classifyRef(parts.join(parts.length % 2 ? '/' : ''), from)
          if (ref.kind === 'file')
            assert.match(ref.path, /^[A-Za-z0-9_][A-Za-z0-9._@+-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._@+-]*)*$/)
          if (ref.kind === 'registry') assert.match(ref.id, /^[A-Za-z0-9_][A-Za-z0-9._@+/-]*$/)
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  const document = json(
    '{"a":{"b/c":{"type":"string"},"~":true,"%":{},"é":{},"":{"":{}}},"list":[{},5],"text":"x","$defs":{"n":{"$anchor":"name","$defs":{"r":{"$id":"r.json","$anchor":"inner"}}},"d":{"$dynamicAnchor":"dyn"}}}',
  )
  const resolved: [ref: string, place: string | undefined][] = [
    ['#', ''],
    ['', ''],
    ['#/a', 'a'],
    ['#/a/b~1c', 'a|b/c'],
    ['#/a/b~1c/type', undefined],
    ['#/a/~0', 'a|~'],
    ['#/a/%7E0', 'a|~'],
    ['#/a/%25', 'a|%'],
    ['#/a/%C3%A9', 'a|é'],
    ['#/a//', 'a||'],
    ['#/list/0', 'list|0'],
    ['#/list/1', undefined],
    ['#/list', undefined],
    ['#/list/00', undefined],
    ['#/list/-', undefined],
    ['#/list/2', undefined],
    ['#/list/length', undefined],
    ['#/text', undefined],
    ['#/text/0', undefined],
    ['#/a/~2', undefined],
    ['#/a/%', undefined],
    ['#/a/%E9', undefined],
    ['#/missing', undefined],
    ['#/constructor', undefined],
    ['#/__proto__', undefined],
    ['#/a/toString', undefined],
    ['#name', '$defs|n'],
    ['#dyn', '$defs|d'],
    ['#inner', undefined],
    ['#Name', undefined],
    ['#a', undefined],
    ['#%', undefined],
  ]
  for (const [ref, place] of resolved) {
    test(`${ref || 'the empty reference'} finds ${place ?? 'nothing'}`, () => {
      const target = resolveLocal(document, ref)
      assert.equal(target?.pointer.join('|'), place)
      let value: unknown = document
      for (const step of target?.pointer ?? []) value = (value as Record<string, unknown>)[step]
      if (target) assert.equal(target.schema, value)
    })
  }

  test('inside a schema with an $id, references start there', () => {
    const schema = json(
      '{"$defs":{"r":{"$id":"r.json","$defs":{"s":{}},"items":{"$ref":"#/$defs/s"}}},"not":{"$ref":"#/$defs/s"}}',
    )
    const targets = [...findRefs(schema)].map(
      ({ resource, ref }) => resolveLocal(resource, ref) !== undefined,
    )
    assert.deepEqual(targets, [true, false])
  })

  test('many references to anchors cost one search', () => {
    const schema = {
      properties: named(5_000, index => ({ $ref: `#a${index}` })),
      $defs: named(5_000, index => ({ $anchor: `a${index}` })),
    }
    const start = processorTime()
    for (const { resource, ref } of findRefs(schema)) assert.ok(resolveLocal(resource, ref))
    assert.ok(processorTime() - start < 2000)
  })
})

describe('dialects and patterns', () => {
  const dialects: [schema: unknown, dialect: string][] = [
    [{}, '2020-12'],
    [true, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema' }, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema#' }, '2020-12'],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, '2019-09'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/draft-07/schema' }, 'draft-07'],
    [{ $schema: 'http://json-schema.org/draft-06/schema#' }, 'draft-06'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'draft-04'],
    [{ $schema: 'http://json-schema.org/draft-03/schema#' }, 'unknown'],
    [{ $schema: 'http://json-schema.org/schema#' }, 'unknown'],
    [{ $schema: 'https://json-schema.org.evil.example/draft/2020-12/schema' }, 'unknown'],
    [{ $schema: 7 }, 'unknown'],
    [{ $schema: { toString: 1 } }, 'unknown'],
  ]
  for (const [schema, dialect] of dialects) {
    test(`${JSON.stringify(schema)} is ${dialect}`, () => assert.equal(dialectOf(schema), dialect))
  }

  for (const pattern of ['', '^a+$', '\\p{L}', '[\\u{1F600}]', '(?<year>[0-9]{4})', '^(?!x)']) {
    test(`${pattern || 'the empty pattern'} is a pattern`, () =>
      assert.equal(checkPattern(pattern), undefined))
  }
  const broken: [pattern: string, reason: string][] = [
    ['(', 'Unterminated group'],
    ['[', 'Unterminated character class'],
    ['a**', 'Nothing to repeat'],
    ['\\-', 'Invalid escape'],
    ['(?i)a', 'Invalid group'],
    ['\\Z', 'Invalid escape'],
    ['a:b(', 'Unterminated group'],
  ]
  for (const [pattern, reason] of broken) {
    test(`${pattern} is invalid`, () => {
      assert.equal(
        checkPattern(pattern),
        `The pattern ${JSON.stringify(pattern)} is no regular expression: ${reason}`,
      )
    })
  }
  test('a long pattern is short in the message', () => {
    assert.ok((checkPattern(`${'a'.repeat(1e6)}(\u202e`) ?? '').length < 200)
  })
})

describe('the meta-schema', () => {
  const lines = (schema: unknown) =>
    checkJsonSchema(schema).map(({ pointer, message }) => `${pointer.join('/')}: ${message}`)

  const good = [
    'true',
    'false',
    '{}',
    '{"type":["string","null"],"minLength":0,"pattern":"("}',
    '{"properties":{"type":{"enum":[]},"$ref":{}},"required":[]}',
    '{"if":true,"then":{},"else":false,"dependentRequired":{"a":["b"]}}',
    '{"dependencies":{"a":["b"],"c":{"type":"object"},"d":true},"definitions":{"a":{}}}',
    '{"$schema":"x","$id":"a#","$anchor":"_a.b-c","$vocabulary":{"a":true},"$comment":""}',
    '{"unknown":{"type":5},"x-own":[],"format":"made-up","default":null,"examples":[1],"deprecated":true}',
    '{"prefixItems":[{}],"items":false,"unevaluatedItems":{"contains":{"maxContains":0}},"contentSchema":{}}',
  ]
  for (const text of good) test(`${text} is a schema`, () => assert.deepEqual(lines(JSON.parse(text)), []))

  const bad: [text: string, ...problems: string[]][] = [
    ['5', ': The schema must be an object, true or false, found a number'],
    ['null', ': The schema must be an object, true or false, found null'],
    [
      '{"type":"strng"}',
      'type: type must be "array", "boolean", "integer", "null", "number", "object" or "string", found "strng"',
    ],
    [
      '{"type":5}',
      'type: type must be "array", "boolean", "integer", "null", "number", "object" or "string", found 5',
    ],
    ['{"type":[]}', 'type: type must not be empty'],
    [
      '{"type":["string","any"]}',
      'type/1: type[1] must be "array", "boolean", "integer", "null", "number", "object" or "string", found "any"',
    ],
    ['{"type":["string","string"]}', 'type: type[1] repeats type[0]'],
    ['{"properties":{"a":5}}', 'properties/a: a must be an object, true or false, found a number'],
    ['{"properties":[]}', 'properties: properties must be an object, found an array'],
    [
      '{"$defs":{"a":{"not":{"anyOf":[{"minLength":"3"}]}}}}',
      '$defs/a/not/anyOf/0/minLength: minLength must be a whole number, found a string',
    ],
    ['{"items":[{}]}', 'items: items must be an object, true or false, found an array'],
    ['{"required":"a"}', 'required: required must be an array of strings, found a string'],
    ['{"required":["a","b","a"]}', 'required: required[2] repeats required[0]'],
    ['{"required":true}', 'required: required must be an array of strings, found true'],
    ['{"allOf":[]}', 'allOf: allOf must not be empty'],
    ['{"multipleOf":0}', 'multipleOf: multipleOf must be more than 0, found 0'],
    ['{"minItems":-1}', 'minItems: minItems must be at least 0, found -1'],
    ['{"maxLength":1.5}', 'maxLength: maxLength must be a whole number, found 1.5'],
    ['{"enum":{}}', 'enum: enum must be an array, found an object'],
    ['{"pattern":5}', 'pattern: pattern must be a string, found a number'],
    ['{"$id":"a#b"}', '$id: $id must be a URI without a fragment, found "a#b"'],
    [
      '{"$anchor":"1a"}',
      '$anchor: $anchor must be letters, digits, "-", "_" and "." that begin with a letter or "_", found "1a"',
    ],
    ['{"dependencies":{"a":5}}', 'dependencies/a: a must be an object, true or false, found a number'],
    ['{"dependencies":{"a":["b","b"]}}', 'dependencies/a: a[1] repeats a[0]'],
    ['{"exclusiveMinimum":true}', 'exclusiveMinimum: exclusiveMinimum must be a number, found true'],
  ]
  for (const [text, ...problems] of bad) {
    test(`${text} is invalid`, () => assert.deepEqual(lines(JSON.parse(text)), problems))
  }

  test('it judges as the published one does', () => {
    const published = new Ajv2020({ strict: false, logger: false, validateFormats: false })
    const keywords =
      'type properties items prefixItems allOf anyOf not if $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs definitions dependencies enum const required minLength maximum multipleOf pattern uniqueItems dependentRequired dependentSchemas title default deprecated readOnly examples format contentSchema contentEncoding unevaluatedItems $recursiveAnchor $recursiveRef patternProperties propertyNames minItems maxContains'
    const object = (keys: string[], value: fc.Arbitrary<unknown>) =>
      fc
        .array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 3 })
        .map(entries => Object.fromEntries(entries))
    const leaf = fc.constantFrom<unknown>(
      ...[null, true, 0, -1, 1.5, 'a', 'a#b', '#', '', 'string', '1', ['string', 'null'], ['a', 'b'], {}, []],
    )
    let value = leaf
    for (let level = 0; level < 3; level++) {
      const named = object(['a', '$ref', '$id', 'type', 'x'], value)
      value = fc.oneof(leaf, fc.array(value, { maxLength: 2 }), named, object(keywords.split(' '), value))
    }
    const schema = object(keywords.split(' '), value)
    let valid = 0
    const check = (value: unknown): void => {
      const expected = published.validateSchema(value as Record<string, unknown>) === true
      assert.equal(checkJsonSchema(value).length === 0, expected)
      if (expected) valid++
    }
    fc.assert(fc.property(schema, check), { numRuns: runs(3000), seed: 20 })
    assert.ok(valid > among(300, 3000) && valid < runs(3000) * 0.9, `${valid} were valid`)
  })

  test('hostile schemas are judged soon, with few words', () => {
    const start = processorTime()
    assert.deepEqual(lines({ properties: named(3_000, () => ({ type: 'string' })) }), [])
    assert.deepEqual(lines({ enum: Array.from({ length: 50_000 }, (_, index) => index) }), [])
    assert.deepEqual(lines({ required: Array.from({ length: 30_000 }, (_, index) => `p${index}`) }), [])
    assert.deepEqual(lines(nested(63)), [])
    assert.deepEqual(lines(nested(64)), [': The schema has more than 64 levels of nesting'])
    let deep: JsonSchema = true
    for (let level = 0; level < 100_000; level++) deep = { not: deep }
    assert.deepEqual(lines(deep), [': The schema has more than 64 levels of nesting'])
    const wide = lines({ properties: named(9_000, () => ({ minLength: 'x' })) })
    assert.deepEqual([wide.length, wide.at(-1)], [101, ': 8900 more problems are not listed'])
    const wider = lines({ properties: named(12_000, () => 5) })
    assert.deepEqual([wider.length, wider.at(-1)], [101, ': At least 9900 more problems are not listed'])
    // Different values in a list that must not repeat: comparing each with each would take minutes.
    assert.equal(lines({ type: Array.from({ length: 15_000 }, (_, index) => index) }).length, 101)
    assert.ok(processorTime() - start < 5000)
  })
})
