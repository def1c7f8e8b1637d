// Users' schemas: where subschemas and references are, what references name, the meta-schema, and compiling without a surprise.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { JsonSchema } from '../../src/model/tools.ts'
import { checkJsonSchema } from '../../src/schema/check.ts'
import { dialectOf, outsideDialect } from '../../src/schema/dialect.ts'
import { checkPattern } from '../../src/schema/pattern.ts'
import { classifyRef, findRefs, followRef } from '../../src/schema/reference.ts'
import { subschemasOf } from '../../src/schema/walk.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, runs } from '../support/runs.ts'

/** As text, because of `then` and `$ref`, and because schemas come as text. */
const json = (text: string) => JSON.parse(text) as JsonSchema
const named = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]))
const nested = (depth: number): JsonSchema => (depth === 0 ? { type: 'string' } : { not: nested(depth - 1) })

describe('walking', () => {
  const places = (schema: unknown) => subschemasOf(schema).map(({ pointer }) => pointer.join('/'))

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

  test('a reference makes nothing a schema', () => {
    assert.deepEqual(places(json('{"items":{"$ref":"#/x/a"},"x":{"a":{"not":{}}}}')), ['', 'items'])
  })

  test('wide and deep schemas are walked to their end', () => {
    assert.equal(subschemasOf({ properties: named(5_000, () => ({})) }).length, 5_001)
    let deep: JsonSchema = true
    for (let level = 0; level < 1_000; level++) deep = { items: deep }
    assert.equal(subschemasOf(deep).length, 1_001)
  })
})

describe('references', () => {
  const found = (schema: unknown) =>
    findRefs(subschemasOf(schema)).map(({ pointer, ref }) => `${pointer.join('/')} = ${ref}`)

  test('a property called $ref is no reference', () => {
    const schema = json(
      '{"properties":{"$ref":{"type":"string"},"a":{"$ref":"#/$defs/a"}},"$defs":{"$ref":{},"a":{"$dynamicRef":"#n"}},"const":{"$ref":"x"},"items":{"$ref":5}}',
    )
    assert.deepEqual(found(schema), ['properties/a/$ref = #/$defs/a'])
  })

  const classified: [ref: string, from: string, expected: unknown][] = [
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
    ['', '', { is: 'invalid', why: 'is empty' }],
    ['x/../b.json', '', { kind: 'file', path: 'b.json', fragment: '#' }],
    [
      'https://example.com/a.json',
      '',
      { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' },
    ],
    ['HTTP://example.com/', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['//example.com/a.json', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['file:///etc/passwd', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['urn:uuid:1', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['SCHEMA:a', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['javascript:alert(1)', '', { is: 'remote', why: 'leads out of the bundle, and nothing is fetched' }],
    ['/etc/passwd', '', { is: 'invalid', why: 'is an absolute path' }],
    ['C:\\a.json', '', { is: 'invalid', why: 'is an absolute path' }],
    ['../a.json', '', { is: 'invalid', why: 'leads out of the bundle' }],
    ['../../a.json', 'schemas/a.json', { is: 'invalid', why: 'leads out of the bundle' }],
    ['a/../../b.json', '', { is: 'invalid', why: 'leads out of the bundle' }],
    [
      'a\\b.json',
      '',
      { is: 'invalid', why: 'names a path that has a backslash; bundles use / on every system' },
    ],
    [
      '%2e%2e/a.json',
      '',
      {
        is: 'invalid',
        why: 'names a path that has a character other than letters, digits and . _ @ + -',
      },
    ],
    [
      'a.json?x',
      '',
      {
        is: 'invalid',
        why: 'names a path that has a character other than letters, digits and . _ @ + -',
      },
    ],
    ['a//b.json', '', { is: 'invalid', why: 'names a path that has an empty segment' }],
    ['.', '', { is: 'invalid', why: 'names a path that is empty' }],
    ['.hidden.json', '', { is: 'invalid', why: 'names a path that has a segment that begins with a dot' }],
    ['schema:', '', { is: 'invalid', why: 'has an id that is empty' }],
    ['schema:../../secret', '', { is: 'invalid', why: 'has an id that has a ".." segment' }],
  ]
  for (const [ref, from, expected] of classified) {
    test(`${JSON.stringify(ref)} in ${from || 'a file at the top'}`, () => {
      const { fix, ...found } = { fix: '', ...classifyRef(ref, from) }
      assert.deepEqual(found, expected)
      assert.equal(fix !== '', 'is' in found)
    })
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
          if ('is' in ref) return
          if (ref.kind === 'file')
            assert.match(ref.path, /^[A-Za-z0-9_][A-Za-z0-9._@+-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._@+-]*)*$/)
          if (ref.kind === 'registry') assert.match(ref.id, /^[A-Za-z0-9_][A-Za-z0-9._@+/-]*$/)
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  const document = json(
    '{"properties":{"b/c":{"type":"string"},"~":true,"%":{},"é":{},"":{"$defs":{"":{}}}},"allOf":[{},{"items":false}],"title":"x","x":{"y":{}},"enum":[{}],"dependencies":{"a":["b"],"c":{}}}',
  )
  const resolved: [ref: string, place: string | undefined][] = [
    ['#', ''],
    ['#/properties/b~1c', 'properties|b/c'],
    ['#/properties/b~1c/type', undefined],
    ['#/properties/~0', 'properties|~'],
    ['#/properties/%7E0', 'properties|~'],
    ['#/properties/%25', 'properties|%'],
    ['#/properties/%C3%A9', 'properties|é'],
    ['#/properties/', 'properties|'],
    ['#/properties//$defs/', 'properties||$defs|'],
    ['#/%70roperties/~0', 'properties|~'],
    ['#/allOf/0', 'allOf|0'],
    ['#/allOf/1/items', 'allOf|1|items'],
    ['#/dependencies/c', 'dependencies|c'],
    ['#/dependencies/a', undefined],
    ['#/allOf', undefined],
    ['#/properties', undefined],
    ['#/allOf/00', undefined],
    ['#/allOf/-', undefined],
    ['#/allOf/2', undefined],
    ['#/allOf/length', undefined],
    ['#/title', undefined],
    ['#/title/0', undefined],
    ['#/x', undefined],
    ['#/x/y', undefined],
    ['#/enum/0', undefined],
    ['#/properties/~2', undefined],
    ['#/properties/%', undefined],
    ['#/properties/%E9', undefined],
    ['#/missing', undefined],
    ['#/constructor', undefined],
    ['#/__proto__', undefined],
    ['#/properties/toString', undefined],
    ['#name', undefined],
    ['#%', undefined],
    ['##', undefined],
  ]
  for (const [ref, place] of resolved) {
    test(`${ref} finds ${place ?? 'nothing'}`, () => {
      const target = followRef(ref, { schema: document }, '', () => assert.fail('it is in the document'))
      assert.equal(target.is, place === undefined ? 'missing' : 'found')
      if (target.is !== 'found') return
      assert.equal(target.pointer.join('|'), place)
      let value: unknown = document
      for (const step of target.pointer) value = (value as Record<string, unknown>)[step]
      assert.equal(target.schema, value)
    })
  }

  test('an $id at the root changes no target', () => {
    const schema = json('{"$id":"https://a.example/b/","$defs":{"s":{}},"not":{"$ref":"#/$defs/s"}}')
    const found = followRef('#/$defs/s', { schema }, '', () => undefined)
    assert.equal(found.is, 'found')
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
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'unknown'],
    [{ $schema: 'http://json-schema.org/draft-03/schema#' }, 'unknown'],
    [{ $schema: 'http://json-schema.org/schema#' }, 'unknown'],
    [{ $schema: 'https://json-schema.org.evil.example/draft/2020-12/schema' }, 'unknown'],
    [{ $schema: 7 }, 'unknown'],
    [{ $schema: { toString: 1 } }, 'unknown'],
  ]
  for (const [schema, dialect] of dialects) {
    test(`${JSON.stringify(schema)} is ${dialect}`, () => assert.equal(dialectOf(schema), dialect))
  }

  const DRAFT_07 = '"$schema":"http://json-schema.org/draft-07/schema#"'
  const kept: [what: string, schema: string][] = [
    ['nothing', '{}'],
    [
      '$schema and $id at the root',
      `{${DRAFT_07},"$id":"https://a.example/","$ref":"#/$defs/a","$defs":{"a":{}}}`,
    ],
    ['$id beside an id of a schema', '{"$id":"a","items":{"$ref":"schema:b"}}'],
    ['names of properties', '{"properties":{"$id":{},"$schema":{},"$anchor":{},"$dynamicRef":{}}}'],
    ['names in values', '{"const":{"$id":"a"},"enum":[{"$anchor":"a"}],"x-a":{"$dynamicRef":"#"}}'],
    ['a path', '{"$ref":"schemas/a.json#/$defs/b"}'],
    [
      'annotations beside $ref in draft-07',
      `{${DRAFT_07},"$ref":"#/$defs/a","title":"x","x-b":1,"$defs":{"a":{}}}`,
    ],
    ['a judgement beside $ref in 2020-12', '{"$ref":"#/$defs/a","type":"string","$defs":{"a":{}}}'],
    [
      'a judgement beside $ref in 2019-09',
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","$ref":"#/$defs/a","type":"string"}',
    ],
  ]
  for (const [what, text] of kept)
    test(`${what}: in the dialect`, () =>
      assert.deepEqual(outsideDialect(subschemasOf(JSON.parse(text))), []))
  const refused: [schema: string, ...places: string[]][] = [
    ...[
      '$anchor',
      '$dynamicAnchor',
      '$dynamicRef',
      '$recursiveAnchor',
      '$recursiveRef',
      '$vocabulary',
    ].flatMap((keyword): [string, string][] => [
      [`{"${keyword}":"#a"}`, keyword],
      [`{"items":{"${keyword}":5}}`, `items/${keyword}`],
    ]),
    ['{"items":{"$id":"a"}}', 'items/$id'],
    ['{"items":{"$id":5}}', 'items/$id'],
    ['{"items":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}', 'items/$schema'],
    ['{"$id":"https://a.example/","items":{"$ref":"schemas/b.json"}}', '$id'],
    ['{"$id":"https://a.example/","items":{"$ref":"../b.json"}}', '$id'],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}', '$schema'],
    ['{"$schema":5}', '$schema'],
    [`{${DRAFT_07},"items":[{}]}`, 'items'],
    ['{"$schema":"https://json-schema.org/draft/2019-09/schema","not":{"items":[]}}', 'not/items'],
    [`{${DRAFT_07},"not":{"$ref":"#","minimum":1}}`, 'not/$ref'],
    [`{${DRAFT_07},"not":{"$ref":"#","nullable":true}}`, 'not/$ref'],
    [`{${DRAFT_07.replace('07', '06')},"not":{"$ref":"#","minimum":1}}`, 'not/$ref'],
  ]
  for (const [text, ...places] of refused)
    test(`${text} is outside the dialect`, () => {
      const found = outsideDialect(subschemasOf(JSON.parse(text)))
      assert.deepEqual(
        found.map(({ pointer }) => pointer.join('/')),
        places,
      )
    })
  test('the advice for a name is a plain $ref', () => {
    for (const text of ['{"$anchor":"a"}', '{"not":{"$id":"a"}}', '{"$dynamicRef":"#a"}'])
      assert.match(outsideDialect(subschemasOf(JSON.parse(text)))[0]?.fix ?? '', /^Write a plain \$ref/)
  })

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
