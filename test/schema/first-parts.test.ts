// The first parts of reading schemas: our own schemas say yes exactly where they have nothing to explain, and a plain schema of a tool is one in
// which no rule finds anything.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { mutateJson } from '../../scripts/torture/mutate/json.ts'
import { Random } from '../../scripts/torture/random.ts'
import { WORDS } from '../../scripts/torture/targets/words.ts'
import { parseJson } from '../../src/json/parse.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { RULES } from '../../src/lint/rules/index.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { referencesFrom } from '../../src/lint/rules/schema-refs.ts'
import { schemasOf } from '../../src/lint/rules/schemas.ts'
import { recordSchemas } from '../../src/schema/generated/records.js'
import { ownSchemas } from '../../src/schema/generated/schemas.js'
import { fitsOwn, type OwnSchema, ownErrors } from '../../src/schema/own-errors.ts'
import { acceptSchema } from '../../src/schema/plain-schema.ts'
import { hasTwins, twinsIn } from '../../src/schema/unique-items.ts'
import { type FirstPart, holds, holdsAround, withoutFirstParts } from '../support/first-parts.ts'
import { agentOf } from '../support/lint-agent.ts'
import { ROOT } from '../support/lint-fixtures.ts'
import { runs } from '../support/runs.ts'

const texts = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.json'))
  .map(name => readFileSync(join(ROOT, 'fixtures', name), 'utf8'))
  .filter(text => text.length < 10_000)
const values = texts.flatMap(text => {
  try {
    return [JSON.parse(text) as unknown]
  } catch {
    return []
  }
})

/** What is called `input_schema` and the like, wherever it is. */
function schemasIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    ...(/^(?:input|result)_schema$/.test(key) && typeof member === 'object' ? [member] : []),
    ...schemasIn(member),
  ])
}

const toolSchemas = [...new Set(values.flatMap(schemasIn).map(one => JSON.stringify(one)))]
const SOUND = RULES.filter(({ scope, id }) => scope === 'bundle' && id.startsWith('schema/'))

const PLAIN: FirstPart = {
  name: 'a plain schema',
  corpus: toolSchemas,
  words: [
    ...WORDS.schema,
    '"nullable"',
    '"x-note"',
    '"$schema"',
    '"$id"',
    '"dependentRequired"',
    '"pattern"',
    '[]',
    '-1',
    '1.5',
  ],
  first(text) {
    const accepted = acceptSchema(asJson(text))
    return accepted && { values: accepted.values, weight: accepted.weight }
  },
  strict(text) {
    const agent = agentOf({ result: asJson(text) })
    const [, schema] = schemasOf(agent)
    assert.ok(schema)
    const { isSound, values, weight } = schema
    const isPlain = isSound && referencesFrom(agent, schema).length === 0
    return isPlain && lintAgent(agent, UNPREPARED, SOUND).length === 0 ? { values, weight } : undefined
  },
}

/** Undefined for a text that strict reading refuses: a schema comes from a text that it has accepted. */
function asJson(text: string): unknown {
  const parsed = parseJson('x', Buffer.from(text))
  return parsed.ok ? parsed.document.value : undefined
}

/** Schemas in schemas, each in one way. */
const levels = (count: number, open: string, close: string) =>
  `${open.repeat(count)}true${close.repeat(count)}`
const WAYS = [
  ['{"not":', '}'],
  ['{"anyOf":[', ']}'],
  ['{"properties":{"a":', '}}'],
] as const

describe('a plain schema is accepted', () => {
  for (const text of [
    'true',
    'false',
    '{}',
    '{"type":"object","properties":{"a":{"type":["string","null"],"minLength":1},"b":true},"required":["a"],"additionalProperties":false}',
    '{"type":"array","items":{"type":"integer","minimum":0,"maximum":9.5,"multipleOf":0.5},"minItems":0,"maxItems":3,"uniqueItems":true}',
    '{"prefixItems":[{"const":1}],"anyOf":[{"enum":["a",1,null,true]}],"oneOf":[{}],"allOf":[{}],"not":false}',
    '{"if":{"minProperties":1},"then":{"maxProperties":2},"else":{"exclusiveMinimum":0,"exclusiveMaximum":2}}',
    '{"title":"A","description":"b","default":null,"examples":[1,"a"],"deprecated":true,"readOnly":false,"writeOnly":true,"format":"date"}',
    '{"required":[],"default":[1],"properties":{"constructor":{"maxLength":2}}}',
    ...WAYS.map(([open, close]) => levels(30, open, close)),
  ])
    test(text.slice(0, 100), () => assert.ok(holds(PLAIN, text)))
})

describe('nothing is said of', () => {
  for (const text of [
    // Of what refers, names, or has a dialect.
    '{"$ref":"#"}',
    '{"$id":"a"}',
    '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
    '{"$anchor":"a"}',
    '{"$dynamicRef":"#"}',
    '{"$defs":{"a":{}}}',
    '{"definitions":{"a":{}}}',
    // Of patterns.
    '{"pattern":"a"}',
    '{"patternProperties":{"a":true}}',
    // Of what counts as several subschemas, or is read in different ways.
    '{"dependentRequired":{"a":["b"]}}',
    '{"dependencies":{"a":["b"]}}',
    '{"nullable":true}',
    '{"x-note":1}',
    '{"unknown":1}',
    '{"constructor":1}',
    '{"items":[{}]}',
    // Of values that the meta-schema refuses.
    '{"type":"text"}',
    '{"type":[]}',
    '{"type":["string","string"]}',
    '{"type":[1]}',
    '{"enum":1}',
    '{"enum":[]}',
    '{"minimum":"1"}',
    '{"multipleOf":0}',
    '{"minLength":-1}',
    '{"minLength":1.5}',
    '{"maxItems":-1}',
    '{"minProperties":null}',
    '{"uniqueItems":1}',
    '{"required":"a"}',
    '{"required":["a","a"]}',
    '{"required":[1]}',
    '{"title":1}',
    '{"description":null}',
    '{"examples":1}',
    '{"deprecated":"yes"}',
    '{"format":1}',
    '{"properties":[]}',
    '{"properties":{"a":1}}',
    '{"properties":{"a":null}}',
    '{"additionalProperties":"no"}',
    '{"items":1}',
    '{"items":null}',
    '{"prefixItems":{}}',
    '{"prefixItems":[]}',
    '{"allOf":[1]}',
    '{"anyOf":[]}',
    '{"oneOf":1}',
    '{"not":[]}',
    '{"if":1}',
    '{"properties":{"a":{"items":{"anyOf":[{"not":{"type":"text"}}]}}}}',
    // Of what is no schema.
    '[]',
    '1',
    'null',
    // Of values in values, which are counted elsewhere.
    '{"default":{"a":1}}',
    '{"const":[[1]]}',
    '{"enum":[{}]}',
    '{"examples":[[]]}',
  ])
    test(text, () => assert.equal(PLAIN.first(text), undefined))

  test('31 levels of schemas', () => {
    for (const [open, close] of WAYS) assert.equal(PLAIN.first(levels(31, open, close)), undefined)
  })

  test('601 subschemas', () => {
    const of = (count: number) => JSON.stringify({ anyOf: Array.from({ length: count }, () => ({})) })
    assert.ok(holds(PLAIN, of(599)))
    assert.equal(PLAIN.first(of(600)), undefined)
    const named = (count: number) =>
      JSON.stringify({
        properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, true])),
      })
    assert.ok(holds(PLAIN, named(599)))
    assert.equal(PLAIN.first(named(600)), undefined)
  })

  test('more values than a schema may have', () => {
    const of = (count: number) => JSON.stringify({ enum: Array.from({ length: count }, (_, n) => n) })
    assert.ok(holds(PLAIN, of(99_999)))
    assert.equal(PLAIN.first(of(100_000)), undefined)
  })
})

test('what is accepted, no rule finds anything in, over schemas a few changes away', () => {
  const { plain, near } = holdsAround(PLAIN, runs(8000))
  assert.ok(plain > PLAIN.corpus.length / 2, `${plain} of ${PLAIN.corpus.length}`)
  assert.ok(near > runs(8000) / 20, `${near} accepted`)
})

test('a member of a prototype counts nowhere', () => {
  const plain = '{"properties":{"a":{"type":"string"}}}'
  const before = PLAIN.first(plain)
  Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true })
  let after: unknown
  try {
    after = PLAIN.first(plain)
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
  assert.ok(before)
  assert.deepEqual(after, before)
})

test('a keyword of the meta-schema is accepted only if it is one of these', () => {
  const LISTED =
    'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties required title description default examples deprecated readOnly writeOnly format properties additionalProperties items prefixItems allOf anyOf oneOf not if then else'.split(
      ' ',
    )
  const tried = [true, 1, 'a', ['a'], [{}], {}, 'string', null]
  const accepted = Object.keys(ownSchemas.meta.properties ?? {}).filter(keyword =>
    tried.some(value => acceptSchema({ [keyword]: value }) !== undefined),
  )
  assert.deepEqual(accepted.sort(), LISTED.sort())
})

test('a list has twins exactly where the search finds some, also of objects, and of many', () => {
  const item = fc.constantFrom<unknown>(
    0,
    -0,
    1,
    '1',
    'a',
    null,
    true,
    {},
    { a: 1 },
    { a: '1' },
    [],
    [1],
    ['a'],
  )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), fc.constantFrom(0, 11, 12, 13, 20), (list, more) => {
      // Copies: two equal objects are two.
      const all = [
        ...list.map(one => structuredClone(one)),
        ...Array.from({ length: more }, (_, index) => `t${index}`),
      ]
      assert.equal(hasTwins(all), twinsIn(all) !== undefined)
    }),
    { numRuns: runs(1000) },
  )
})

describe('a schema of ours fits exactly where it has no errors', () => {
  const { meta, manifest, policy, 'tools.v1': tools } = ownSchemas
  const ours: readonly [name: string, schema: OwnSchema, words: readonly string[]][] = [
    ['meta', meta, WORDS.schema],
    ['manifest', manifest, WORDS.tools],
    ['policy', policy, WORDS.tools],
    ['tools.v1', tools, WORDS.tools],
    ...Object.entries(recordSchemas()).map(
      ([name, schema]) => [name, schema, WORDS.interfaces] as [string, OwnSchema, readonly string[]],
    ),
  ]
  for (const [name, schema, words] of ours)
    test(name, () => {
      let misfits = 0
      const agree = (value: unknown) => {
        const errors = withoutFirstParts(() => ownErrors(value, schema, schema, 1))
        const fits = fitsOwn(value, schema, schema)
        assert.equal(fits, errors.length === 0, JSON.stringify(value))
        if (!fits) misfits++
      }
      const corpus = name === 'meta' ? toolSchemas.map(asJson) : values
      for (const value of corpus) agree(value)
      const fitting = () => corpus.map(value => fitsOwn(value, schema, schema))
      const before = fitting()
      Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true })
      let after: boolean[] = []
      try {
        after = fitting()
      } finally {
        Reflect.deleteProperty(Object.prototype, 'polluted')
      }
      assert.deepEqual(after, before)
      for (let index = 0; index < runs(3000); index++) {
        const random = new Random(name, index)
        const value = asJson(mutateJson(random, random.pick(corpus), words).toString())
        if (value !== undefined) agree(value)
      }
      assert.ok(misfits > 0)
    })
})
