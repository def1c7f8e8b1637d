// Compiling users' schemas: the judgement of ajv without its surprises, whatever the schema says.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { readySchemas } from '../../src/call/prepare-call.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { generate } from '../../src/schema/generate.ts'
import { type Link, linkSchemas, MAX_SUBSCHEMAS } from '../../src/schema/link.ts'
import { findRefs, followRef, type ResolveRef } from '../../src/schema/reference.ts'
import { type SchemaObject, subschemasOf } from '../../src/schema/walk.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { agentOf, found as foundIn } from '../support/lint-agent.ts'
import { processorTime } from '../support/processor-time.ts'
import { slice, upTo } from '../support/runs.ts'

const json = (text: string) => JSON.parse(text) as JsonSchema
const named = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]))

/** `place: message` of the first violation, or `fits`. */
async function judge(
  schema: JsonSchema,
  values: readonly unknown[],
  resolve?: ResolveRef,
): Promise<string[]> {
  const compiled = await compileSchema(schema, resolve)
  assert.ok(compiled.ok, JSON.stringify(compiled))
  return values.map(value => {
    const violation = compiled.check(value)
    return violation ? `${violation.pointer.join('/')}: ${violation.message}` : 'fits'
  })
}

/** `document place: message` of what keeps a schema from being compiled. */
async function refused(schema: JsonSchema, resolve?: ResolveRef): Promise<string[]> {
  const compiled = await compileSchema(schema, resolve)
  assert.ok(!compiled.ok, 'the schema was compiled')
  return compiled.problems.map(
    ({ document, pointer, message }) => `${document} ${pointer.join('/')}: ${message}`,
  )
}

const files =
  (documents: Readonly<Record<string, unknown>>): ResolveRef =>
  ref => {
    const key = ref.kind === 'file' ? ref.path : `schema:${ref.id}`
    return key in documents
      ? { schema: documents[key], path: ref.kind === 'file' ? ref.path : 'tools.json' }
      : undefined
  }

test('ajv is loaded when a schema is compiled, and not before', async () => {
  const script = `
    import { createRequire } from 'node:module'
    const { compileSchema } = await import('./src/schema/compile.ts')
    const { cache } = createRequire(import.meta.url)
    const count = () => Object.keys(cache).filter(path => /node_modules.ajv.dist/.test(path)).length
    const before = count()
    await compileSchema({})
    process.stdout.write(before + ' ' + (count() > 0))
  `
  const file = await compiled(script, temporary('ajv')('compiled'))
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' })
  assert.deepEqual([stdout, stderr], ['0 true', ''])
})

describe('violations', () => {
  const cases: [schema: string, value: unknown, expected: string][] = [
    ['{"type":"object","required":["a"]}', {}, ': "a" is missing'],
    ['{"type":"object"}', [], ': The value must be an object, found an array'],
    [
      '{"properties":{"a":{"items":{"type":"string"}}}}',
      { a: ['x', 5] },
      'a/1: a[1] must be a string, found a number',
    ],
    ['{"properties":{"0":{"type":"string"}}}', { 0: 1 }, '0: 0 must be a string, found a number'],
    ['{"additionalProperties":false,"title":"A title"}', { b: 1 }, ': "b" is not a key of the value'],
    ['{"unevaluatedProperties":false}', { b: 1 }, ': "b" is not a key of the value'],
    ['{"properties":{"a":false}}', { a: 1 }, 'a: a must not be there'],
    ['{"enum":["x",1,null]}', 'y', ': The value must be "x", 1 or null, found "y"'],
    ['{"const":{"a":1}}', 5, ': The value must be exactly what the schema gives, found 5'],
    [
      '{"anyOf":[{"type":"string"},{"minimum":3}]}',
      1,
      ': The value fits none of the forms that the schema allows',
    ],
    [
      '{"properties":{"a":{"oneOf":[{"type":"string"},{"minimum":3}]}}}',
      { a: 1 },
      'a: a fits none of the forms that the schema allows',
    ],
    [
      '{"if":{"type":"string"},"then":{"maxLength":2}}',
      'abc',
      ': The value must have at most 2 characters, found 3',
    ],
    ['{"uniqueItems":true}', [1, 2, 1], ': [2] repeats [0]'],
    ['{"minItems":2}', [1], ': The value must have at least 2 entries, found 1'],
    ['{"exclusiveMaximum":5}', 5, ': The value must be less than 5, found 5'],
    ['{"pattern":"^[a-z]+$"}', 'A', ': The value must match ^[a-z]+$, found "A"'],
    ['{"not":{"type":"string"}}', 'x', ': The value does not fit "not"'],
    ['{"propertyNames":{"maxLength":1}}', { ab: 1 }, ': The value does not fit "propertyNames"'],
  ]
  for (const [schema, value, expected] of cases) {
    test(`${schema} and ${JSON.stringify(value)}`, async () =>
      assert.deepEqual(await judge(json(schema), [value]), [expected]))
  }

  test('a stranger’s text is short and harmless in them', async () => {
    const evil = `\u202e\u001b31m${'x'.repeat(500)}`
    // Sixty characters of the text; what is not seen in them is written as its code.
    const short = `\\u202e\\u001b31m${'x'.repeat(55)}…`
    const rest = `\\u001b31m${'x'.repeat(56)}…`
    assert.deepEqual(await judge({ required: [evil] }, [{}]), [`: "${short}" is missing`])
    assert.deepEqual(await judge({ pattern: evil }, ['']), [`: The value must match ${short}, found ""`])
    assert.deepEqual(await judge({ const: evil }, [evil.slice(1)]), [
      `: The value must be "${short}", found "${rest}"`,
    ])
    assert.deepEqual(
      await judge({ additionalProperties: false, title: evil, properties: { a: { examples: [evil] } } }, [
        { b: 1 },
      ]),
      [': "b" is not a key of the value'],
    )
    const [many] = await judge({ enum: Array.from({ length: 1000 }, () => evil) }, [1])
    assert.ok((many ?? '').length < 1000)
  })
})

describe('what ajv would read in a way of its own', () => {
  const cases: [name: string, schema: string, values: unknown[], expected: string[]][] = [
    [
      'an "async" schema does not answer with a promise',
      '{"$async":true,"type":"string"}',
      ['x', 5],
      ['fits', ': The value must be a string, found a number'],
    ],
    [
      'an "async" schema inside',
      '{"properties":{"a":{"$async":true,"type":"string"}}}',
      [{ a: 5 }],
      ['a: a must be a string, found a number'],
    ],
    [
      '"id" means nothing',
      '{"id":"x","properties":{"id":{"id":5,"type":"string"}}}',
      [{ id: 5 }],
      ['id: id must be a string, found a number'],
    ],
    [
      'a required "constructor" is not found on the prototype',
      '{"required":["constructor","toString"]}',
      [{}, { constructor: 1, toString: 1 }],
      [': "constructor" is missing', 'fits'],
    ],
    [
      'a key called "constructor" that no form speaks of',
      '{"anyOf":[{"properties":{"a":true}}],"patternProperties":{"^x":true},"unevaluatedProperties":false}',
      [{ constructor: 1 }, { a: 1, x1: 1 }, JSON.parse('{"__proto__":1}')],
      [': "constructor" is not a key of the value', 'fits', ': "__proto__" is not a key of the value'],
    ],
    ['formats are annotations', '{"type":"string","format":"email"}', ['no mail'], ['fits']],
    ['an unknown format', '{"format":"made-up"}', ['x'], ['fits']],
    [
      'other dialects are not looked up',
      '{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}',
      [5],
      [': The value must be a string, found a number'],
    ],
    [
      '$id is no address',
      '{"$id":"https://example.com/a.json","$ref":"#/$defs/s","$defs":{"s":{"$ref":"#/$defs/t"},"t":{"type":"string"}}}',
      [5],
      [': The value must be a string, found a number'],
    ],
    [
      'nullable beside a type',
      '{"type":"string","nullable":true}',
      [null, 5],
      ['fits', ': The value must be a string, found a number'],
    ],
    ['nullable alone', '{"nullable":true}', [null], ['fits']],
    ['nullable that says nothing', '{"type":["string","null"],"nullable":false}', [null], ['fits']],
    [
      'unknown keywords',
      '{"x-own":{"$id":5,"$anchor":"!"},"discriminator":{"propertyName":"a"},"instanceof":"Date"}',
      [{}],
      ['fits'],
    ],
    [
      'names below unknown keywords',
      '{"x-a":{"$id":"same","y":{"$anchor":"!"}},"x-b":{"$id":"same"}}',
      [{}],
      ['fits'],
    ],
    [
      'names in values',
      '{"const":{"$id":"a","$anchor":"!"}}',
      [{ $id: 'a', $anchor: '!' }, {}],
      ['fits', ': The value must be exactly what the schema gives, found an object'],
    ],
    [
      'a reference to a place that is checked too',
      '{"properties":{"$id":{"type":"string"},"a":{"$ref":"#/properties/$id"},"b":{"$ref":"#/properties/c/items"},"c":{"items":{"minLength":2}}}}',
      [{ a: 5 }, { $id: 5 }, { b: 'x' }, { c: ['xy', 'x'] }, { a: 'a', $id: 'b', b: 'xy', c: ['xy'] }],
      [
        'a: a must be a string, found a number',
        '$id: $id must be a string, found a number',
        'b: b must have at least 2 characters, found 1',
        'c/1: c[1] must have at least 2 characters, found 1',
        'fits',
      ],
    ],
    [
      'a value that looks like a schema, below a dependency called "constructor"',
      '{"dependentSchemas":{"constructor":{"const":{"constructor":1,"$id":"a","$anchor":"!"}}}}',
      [{ constructor: 1, $id: 'a', $anchor: '!' }, { constructor: 2 }, {}],
      ['fits', ': The value must be exactly what the schema gives, found an object', 'fits'],
    ],
    [
      'recursion through a property',
      '{"properties":{"a":{"$ref":"#"}},"additionalProperties":false}',
      [{ a: { a: {} } }, { a: { b: 1 } }],
      ['fits', 'a: "b" is not a key of a'],
    ],
  ]
  for (const [name, schema, values, expected] of cases) {
    test(name, async () => assert.deepEqual(await judge(json(schema), values), expected))
  }

  test('the schema is left as it was', async () => {
    const schema = json(
      '{"$id":"a","id":"b","$ref":"#/$defs/a","$defs":{"a":{"const":{"a":1},"nullable":true}}}',
    )
    const before = JSON.stringify(schema)
    await judge(Object.freeze(schema), [1])
    assert.equal(JSON.stringify(schema), before)
  })
})

describe('references', () => {
  test('files and registry entries, with their own references', async () => {
    const resolve = files({
      'schemas/a.json': { $defs: { q: { $ref: 'b.json#/$defs/z' } } },
      'schemas/b.json': {
        $id: 'https://example.com/',
        $defs: { z: { $ref: '#/$defs/w' }, w: { type: 'string' } },
      },
      'schema:c.v1': { type: 'array', items: { $ref: 'schemas/a.json#/$defs/q' } },
      'schema:no.v1': false,
    })
    const schema = json(
      '{"properties":{"a":{"$ref":"schemas/a.json#/$defs/q"},"c":{"$ref":"schema:c.v1"},"d":{"$ref":"schema:no.v1"}}}',
    )
    assert.deepEqual(await judge(schema, [{ a: 5 }, { c: ['x', 5] }, { d: 1 }, { a: 'x', c: [] }], resolve), [
      'a: a must be a string, found a number',
      'c/1: c[1] must be a string, found a number',
      'd: d must not be there',
      'fits',
    ])
  })

  test('two files may refer to each other', async () => {
    const resolve = files({
      'a.json': { type: 'object', properties: { b: { $ref: 'b.json' } } },
      'b.json': { type: 'object', properties: { a: { $ref: 'a.json' } } },
    })
    assert.deepEqual(await judge({ $ref: 'a.json' }, [{ b: { a: { b: 5 } } }], resolve), [
      'b/a/b: b must be an object, found a number',
    ])
  })

  test('an entry of the runtime’s registry may be anything, and is named', async () => {
    const schema = json(
      '{"required":["a"],"properties":{"a":{"$ref":"schema:mail.v1#/x"},"b":{"$ref":"schema:mail.v1#/x","type":"string"}}}',
    )
    const compiled = await compileSchema(schema)
    assert.ok(compiled.ok)
    assert.deepEqual(compiled.unresolved, ['schema:mail.v1#/x'])
    assert.equal(compiled.check({ a: 5 }), undefined)
    assert.equal(compiled.check({ a: 5, b: 5 })?.message, 'b must be a string, found a number')
  })

  const bad: [schema: string, ...problems: string[]][] = [
    [
      '{"$ref":"https://example.com/a.json"}',
      ' $ref: The reference "https://example.com/a.json" leads out of the bundle, and nothing is fetched',
    ],
    ['{"not":{"$ref":"../a.json"}}', ' not/$ref: The reference "../a.json" leads out of the bundle'],
    ['{"$ref":"/etc/passwd"}', ' $ref: The reference "/etc/passwd" is an absolute path'],
    ['{"$ref":"missing.json"}', ' $ref: The reference "missing.json" names a file that is not there'],
    ['{"$ref":"#/$defs/a"}', ' $ref: The reference "#/$defs/a" has no target'],
    ['{"$ref":"#/constructor"}', ' $ref: The reference "#/constructor" has no target'],
    ['{"$ref":"#/__proto__/x"}', ' $ref: The reference "#/__proto__/x" has no target'],
    ['{"$ref":"#/required","required":["a"]}', ' $ref: The reference "#/required" has no target'],
    ['{"$ref":"good.json#/x"}', ' $ref: The reference "good.json#/x" has no target'],
    [
      '{"$ref":"bad.json"}',
      'bad.json type: type must be "array", "boolean", "integer", "null", "number", "object" or "string", found 5',
    ],
    ['{"$ref":"list.json"}', ' $ref: The reference "list.json" has no target'],
    ['{"$ref":"loop.json"}', 'loop.json $ref: The reference "loop.json" leads back to itself without end'],
    ['{"$ref":"#"}', ' $ref: The reference "#" leads back to itself without end'],
    [
      '{"$defs":{"a":{"not":{"if":{"$ref":"#/$defs/b"}}},"b":{"dependentSchemas":{"x":{"$ref":"#/$defs/a"}}}}}',
      ' $defs/b/dependentSchemas/x/$ref: The reference "#/$defs/a" leads back to itself without end',
    ],
    [
      '{"$ref":"#a","$anchor":"a"}',
      ' $anchor: "$anchor" names or resolves a schema, and readers differ in how',
    ],
    [
      '{"$schema":"https://example.com/mine"}',
      ' $schema: "https://example.com/mine" is no dialect that is known here',
    ],
    ['{"pattern":"("}', ' pattern: The pattern "(" is no regular expression: Unterminated group'],
    [
      '{"items":{"patternProperties":{"[":{}}}}',
      ' items/patternProperties/[: The pattern "[" is no regular expression: Unterminated character class',
    ],
    ['{"enum":[]}', ' : The schema cannot be compiled: enum must have non-empty array'],
  ]
  const resolve = files({
    'good.json': {},
    'bad.json': { type: 5 },
    'list.json': [],
    'loop.json': { $ref: 'loop.json' },
  })
  for (const [schema, ...problems] of bad) {
    test(`${schema} is refused`, async () => assert.deepEqual(await refused(json(schema), resolve), problems))
  }
})

describe('hostile schemas and values', () => {
  const soon = async (most: number, work: () => Promise<unknown>) => {
    const start = processorTime()
    await work()
    assert.ok(processorTime() - start < most, `took ${processorTime() - start} ms`)
  }

  test('references that double at every step', async () => {
    const schema = {
      $ref: '#/$defs/p0',
      $defs: {
        ...named(40, index => ({
          allOf: [{ $ref: `#/$defs/p${index + 1}` }, { $ref: `#/$defs/p${index + 1}` }],
        })),
        p40: {},
      },
    }
    await soon(1000, async () =>
      assert.match((await refused(schema))[0] ?? '', /makes more than 10000 subschemas judge one value$/),
    )
  })

  /** A schema whose weight is `count`, and which is one long expression or one deep block to a compiler that does not look out. */
  const wide: Record<string, (count: number) => JsonSchema> = {
    properties: count => ({ properties: named(count - 1, () => ({ type: 'string' })) }),
    'unevaluatedProperties beside properties': count => ({
      unevaluatedProperties: false,
      properties: named(count - 2, () => ({ type: 'string' })),
    }),
    'unevaluatedProperties around a reference': count => ({
      unevaluatedProperties: { type: 'string' },
      allOf: [{ $ref: '#/$defs/a' }],
      $defs: { a: { properties: named(count - 4, () => ({ type: 'string' })) } },
    }),
    'unevaluatedProperties around forms': count => ({
      unevaluatedProperties: false,
      anyOf: Array.from({ length: count / 2 - 1 }, (_, index) => ({ properties: { [`p${index}`]: true } })),
    }),
    'patternProperties beside additionalProperties': count => ({
      additionalProperties: false,
      patternProperties: named(count - 2, () => ({ type: 'string' })),
    }),
    'dependentRequired in the last property': count => ({
      properties: {
        ...named(count / 2 - 2, () => ({ type: 'string' })),
        z: { dependentRequired: { a: Object.keys(named(count / 2 - 1, () => 0)) } },
      },
    }),
    'lists in the last property': count => ({
      properties: {
        ...named(count - 2, () => ({ type: 'string' })),
        z: { enum: Object.keys(named(199, () => 0)), required: Object.keys(named(199, () => 0)) },
      },
    }),
    oneOf: count => ({
      oneOf: Array.from({ length: count - 1 }, (_, index) => ({ required: [`p${index}`] })),
    }),
    prefixItems: count => ({
      unevaluatedItems: false,
      prefixItems: Array.from({ length: count - 2 }, () => ({ type: 'string' })),
    }),
    dependentSchemas: count => ({ dependentSchemas: named(count - 1, () => ({ type: 'string' })) }),
  }
  for (const [name, make] of Object.entries(wide)) {
    test(`lint refuses what compiling refuses: ${name}`, async () => {
      const tooLarge = (lines: readonly string[]) => lines.filter(line => line.startsWith('too-large'))
      const most = make(MAX_SUBSCHEMAS)
      assert.deepEqual(tooLarge(foundIn(agentOf({ result: most }))), [])
      assert.deepEqual(linkSchemas(most, 'tools.json', () => undefined).problems, [])
      const more = make(MAX_SUBSCHEMAS + 2)
      assert.equal(tooLarge(foundIn(agentOf({ result: more }))).length, 1)
      assert.deepEqual(await refused(more), [
        ' : The schema is too large: more than 600 subschemas or 100000 values',
      ])
    })
  }

  // ajv takes a while for each. In every run some of them, and below twice as many of two that need the most of the stack.
  for (const [name, make] of slice(Object.entries(wide), 3)) {
    test(`as many subschemas as may be compile: ${name}`, async () => {
      const compiled = await compileSchema(make(MAX_SUBSCHEMAS))
      assert.ok(compiled.ok, JSON.stringify(compiled).slice(0, 300))
      for (const count of [MAX_SUBSCHEMAS - 3, MAX_SUBSCHEMAS]) {
        // A value that only the last of them refuses or accepts: every block of the code is reached.
        for (const last of [5, 'x'])
          assert.notEqual(compiled.check({ ...named(count, () => 'x'), z: last })?.keyword, 'depth')
      }
    })
  }

  // Those that need the most of the stack, each in its own way.
  const deepest = [
    'properties',
    // As long an expression as the next one; ajv takes three times as long for it.
    'dependentRequired in the last property',
    'unevaluatedProperties beside properties',
  ]
  for (const name of slice(deepest, 2)) {
    const make = wide[name] ?? assert.fail()
    test(`twice as many would not overflow the stack: ${name}`, async () => {
      const schema = make(2 * MAX_SUBSCHEMAS)
      const document = { label: '', path: 'tools.json', schema, subschemas: subschemasOf(schema) }
      const links = new Map<SchemaObject, Link>()
      for (const found of findRefs(document.subschemas)) {
        const target = followRef(found.ref, document, '', () => undefined)
        assert.equal(target.is, 'found')
        if (target.is === 'found')
          links.set(found.holder, { document, found, target: { ...target, document } })
      }
      const { validate } = await generate({ documents: [document], links, problems: [] })
      assert.equal(typeof validate({}), 'boolean')
    })
  }

  test('a call is refused in the same words', async () => {
    const ready = async (count: number) => {
      const [tool = assert.fail()] = agentOf({ result: wide['properties']?.(count) }).tools?.tools ?? []
      return readySchemas(tool, () => undefined)
    }
    assert.equal((await ready(MAX_SUBSCHEMAS)).ok, true)
    assert.deepEqual(await ready(MAX_SUBSCHEMAS + 1), {
      ok: false,
      problem:
        'cannot be called: its result_schema cannot be used: The schema is too large: more than 600 subschemas or 100000 values',
    })
  })

  test('a subschema that is referred to often is compiled once', async () => {
    const count = MAX_SUBSCHEMAS / 2 - 1
    const schema = {
      properties: named(count, () => ({ $ref: '#/$defs/a' })),
      $defs: { a: { properties: named(count, () => ({ type: 'string' })) } },
    }
    await soon(5000, async () => {
      const last = `p${count - 1}`
      assert.deepEqual(await judge(schema, [{ [last]: { [last]: 5 } }, { [last]: { [last]: 'x' } }]), [
        `${last}/${last}: ${last} must be a string, found a number`,
        'fits',
      ])
    })
  })

  test('more is too large', async () => {
    const large = [': The schema is too large: more than 600 subschemas or 100000 values']
    const found = async (schema: JsonSchema) => (await refused(schema)).map(line => line.trim())
    await soon(3000, async () => {
      assert.deepEqual(await found({ properties: named(MAX_SUBSCHEMAS, () => ({})) }), large)
      assert.deepEqual(await found({ properties: named(20_000, () => ({})) }), large)
      assert.deepEqual(await found({ enum: Array.from({ length: 110_000 }, (_, index) => index) }), large)
      assert.deepEqual(await found({ dependentRequired: { a: Object.keys(named(1000, () => 0)) } }), large)
      const each = files(named(200, () => ({ properties: named(10, () => ({})) })))
      const [spread] = await refused(
        { allOf: Array.from({ length: 200 }, (_, index) => ({ $ref: `p${index}` })) },
        each,
      )
      assert.match(spread ?? '', /^p[0-9]+ : The schema is too large/)
    })
  })

  test('a huge enum and a huge required list are compiled', async () => {
    const words = Array.from({ length: 10_000 }, (_, index) => ({ index }))
    assert.deepEqual(await judge({ enum: words }, [{ index: 9_999 }, 5]), [
      'fits',
      ': The value must be one of those that the schema gives, found 5',
    ])
    assert.deepEqual(await judge({ required: Object.keys(named(20_000, () => 0)) }, [{}]), [
      ': "p0" is missing',
    ])
  })

  test('deep schemas', async () => {
    let deep: JsonSchema = { type: 'string' }
    for (let level = 0; level < 30; level++) deep = { properties: { a: deep } }
    let value: unknown = 5
    for (let level = 0; level < 30; level++) value = { a: value }
    assert.deepEqual(await judge(deep, [value]), [`${'a/'.repeat(29)}a: a must be a string, found a number`])
    for (let level = 0; level < 1000; level++) deep = { items: deep }
    assert.deepEqual(await refused(deep), [' : The schema has more than 64 levels of nesting'])
  })

  test('a value deeper than the stack does not throw', async () => {
    let value: unknown = {}
    for (let level = 0; level < 200_000; level++) value = { a: value }
    assert.deepEqual(await judge({ properties: { a: { $ref: '#' } } }, [value]), [
      ': The value nests too deeply to be checked',
    ])
  })

  test('the number of errors in a value does not matter', async () => {
    const schema = json(
      '{"items":{"anyOf":[{"type":"string"},{"type":"object","required":["a","b"]}],"properties":{"c":{"type":"string"}}}}',
    )
    const compiled = await compileSchema(schema)
    assert.ok(compiled.ok)
    const value = Array.from({ length: 1_000_000 }, () => ({ c: 1 }))
    await soon(2000, async () =>
      assert.equal(compiled.check(value)?.message, '[0] fits none of the forms that the schema allows'),
    )
  })
})

test('references are rewritten without a change of meaning', async () => {
  // Each is compiled twice, by us and by ajv alone.
  const tried = upTo(40, 700)
  const document = {
    $defs: { q: { type: ['string', 'object'] }, d0: { type: 'number' } },
    minProperties: 1,
  }
  const values = [
    null,
    true,
    0,
    2.5,
    '',
    'ab',
    [],
    [1, 'a'],
    {},
    { a: 1 },
    { a: 'x', b: { a: 1 } },
    [{ a: [] }],
  ]
  const leaf = fc.constantFrom<unknown>(
    true,
    false,
    ...['string', 'object', 'array', ['number', 'null']].map(type => ({ type })),
    ...['#/$defs/d0', '#/$defs/d1', '#/$defs/d1/properties/a', '#', '#/$defs/z', 'doc', 'doc#/$defs/q'].map(
      $ref => ({ $ref }),
    ),
    { minLength: 1 },
    { required: ['a'] },
    { const: { a: 1 } },
  )
  let schema = leaf
  for (let level = 0; level < 2; level++) {
    const inner = schema
    const list = fc.array(inner, { minLength: 1, maxLength: 2 })
    const map = fc.dictionary(fc.constantFrom('a', 'b', '$ref', 'id'), inner, {
      maxKeys: 2,
      noNullPrototype: true,
    })
    const one = fc.constantFrom(
      'additionalProperties',
      'items',
      'not',
      'if',
      'then',
      'else',
      'unevaluatedProperties',
      'contains',
      'propertyNames',
    )
    const keyword = fc.oneof(
      fc.tuple(one, inner),
      fc.tuple(fc.constantFrom('anyOf', 'allOf', 'oneOf', 'prefixItems'), list),
      fc.tuple(fc.constantFrom('properties', 'dependentSchemas'), map),
    )
    const composed = fc
      .tuple(leaf, fc.array(keyword, { maxLength: 3 }))
      .map(([base, keywords]) => ({ ...(base as object), ...Object.fromEntries(keywords) }))
    schema = fc.oneof(leaf, composed)
  }
  let compared = 0
  const property = fc.asyncProperty(schema, schema, schema, schema, async (a, d0, d1, z) => {
    const root = {
      allOf: [{ $ref: '#/$defs/d0' }, a],
      $defs: { d0, d1, z },
    } as JsonSchema
    const compiled = await compileSchema(root, files({ doc: document }))
    if (!compiled.ok) {
      for (const { message } of compiled.problems)
        assert.match(message, /without end|has no target|judge one value/)
      return
    }
    const plain = new Ajv2020({
      strict: false,
      logger: false,
      meta: false,
      validateSchema: false,
      ownProperties: true,
    })
    plain.addSchema(document, 'doc')
    const validate = plain.compile(root as object)
    for (const value of values)
      assert.equal(compiled.check(value) === undefined, validate(value), JSON.stringify([root, value]))
    compared++
  })
  await fc.assert(property, { numRuns: tried, seed: 20 })
  assert.ok(compared > tried / 7, `${compared} of ${tried} were compared`)
})
