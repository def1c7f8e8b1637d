// The lint rules about JSON Schemas at their limits: what passes can be compiled, and no schema or pattern keeps them busy. More schemas are
// compiled, and more tools share schemas, in `.ci/run`.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { preferNative } from '../../src/bundle/blake3.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { MAX_LEVELS } from '../../src/lint/rules/schema-graph.ts'
import type { Agent } from '../../src/model/agent.ts'
import type { JsonSchema } from '../../src/model/tools.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { checkPattern } from '../../src/schema/pattern.ts'
import { isSchemaFile, resolverIn } from '../../src/schema/reference.ts'
import { isPlainPattern } from '../../src/text/match-pattern.ts'
import { compiled } from '../support/compile.ts'
import { temporary } from '../support/folder.ts'
import { agentOf, CLOSED, found, messages, named, problemsOf, SCHEMA_RULES } from '../support/lint-agent.ts'
import { processorTime } from '../support/processor-time.ts'
import { among, IN_CI, runs, upTo } from '../support/runs.ts'

const ROOT = join(import.meta.dirname, '../..')
const folderFor = temporary('schema-limits')
// Some of the agents here are megabytes.
await preferNative()
const ACCEPTED_BY = SCHEMA_RULES.filter(({ scope }) => scope === 'bundle')

const isAccepted = (agent: Agent) => ACCEPTED_BY.every(rule => problemsOf(rule, agent).length === 0)

/** Compiles every schema of an agent as a runtime would, and judges some values with it. */
async function compileAll(agent: Agent): Promise<number> {
  const fileAt = (path: string) => (isSchemaFile(path) ? agent.documents.get(path)?.value : undefined)
  const schemas = (agent.tools?.tools ?? []).flatMap(tool =>
    [tool.inputSchema, tool.resultSchema, ...Object.values(tool.schemaRefs)].flatMap(schema =>
      typeof schema === 'string'
        ? []
        : [[schema, resolverIn(tool.schemaRefs, fileAt), 'tools.json'] as const],
    ),
  )
  const files = [...agent.documents.keys()].filter(isSchemaFile)
  const all = [
    ...schemas,
    ...files.map(path => [fileAt(path) as JsonSchema, resolverIn({}, fileAt), path] as const),
  ]
  for (const [schema, resolve, path] of all) {
    const compiled = await compileSchema(schema, resolve, path)
    assert.ok(compiled.ok, JSON.stringify([schema, compiled]))
    for (const value of [null, 'x', 5, [1], {}, { a: { b: [] }, b: 'y' }]) compiled.check(value)
  }
  return all.length
}

/** Schemas of every kind. `wild` ones are mostly refused, and what is left then is worth a look. */
function schemas(wild: boolean): fc.Arbitrary<unknown> {
  const good =
    '#/$defs/d0 #/$defs/d1 schema:a.v1 schema:none.v1 schemas/x.json schemas/x.json#/$defs/d1 schema:y'
  const odd =
    '# #n #/x/y #/x/y/items #/properties/a schemas/x.json#/x/y #missing https://e.example/ /abs ../up.json schemas/none.json #/enum/0 #/default tools.json x.json'
  const refs = [...good.split(' '), ...(wild ? odd.split(' ') : [])].map($ref => ({ $ref }))
  const keyword = (name: string, ...values: unknown[]) => values.map(value => ({ [name]: value }))
  const plain = [
    ...keyword('type', 'string', 'object', 'integer', ['array', 'null'], ['string', 'boolean']),
    ...keyword('enum', ['a', 1, null], [{ $ref: '#' }]),
    ...keyword('const', 1, { $id: 'x' }, []),
    ...keyword('pattern', '^a', '\\p{L}+$'),
    ...keyword('required', [], ['a'], ['constructor', 'toString']),
    ...keyword('nullable', true, false),
    ...keyword('id', 'x', 5),
    ...keyword('default', { $ref: '#' }, 5),
    ...keyword('x-own', { $id: 5, $ref: '#/nowhere' }),
    ...keyword('multipleOf', 0.1, 1e9),
    { $comment: 'x', $async: true, format: 'email' },
    { format: 'none', discriminator: { propertyName: 'a' } },
    { dependentRequired: { a: ['b'] }, dependencies: { a: ['b'] } },
    { minContains: 5, maxContains: 1, uniqueItems: true },
    { contentMediaType: 'text/plain', unevaluatedProperties: false },
  ]
  const bad = [
    { type: 5 },
    { enum: [] },
    { pattern: '(' },
    { patternProperties: { '[': {} } },
    { items: [{}] },
    { $schema: 'https://e.example/' },
    { $id: 'urn:a' },
    { $anchor: 'n' },
    { $dynamicRef: '#/$defs/d0' },
    { required: ['a', 'a'] },
    { properties: { a: 5 } },
    { $ref: 5 },
  ]
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(true, false, {}) },
    {
      weight: 12,
      arbitrary: fc
        .array(fc.constantFrom(...plain), { maxLength: 3 })
        .map(parts => Object.assign({}, ...parts)),
    },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...refs) },
    { weight: wild ? 1 : 0, arbitrary: fc.constantFrom<unknown>(...bad) },
  )
  let schema: fc.Arbitrary<unknown> = leaf
  for (let level = 0; level < 2; level++) {
    const inner = schema
    const list = fc.array(inner, { minLength: 1, maxLength: 2 })
    const map = fc.dictionary(fc.constantFrom('a', 'b', '$ref', '$id', 'constructor'), inner, {
      maxKeys: 2,
      noNullPrototype: true,
    })
    const single =
      'additionalProperties items not if then else unevaluatedItems contains propertyNames contentSchema'.split(
        ' ',
      )
    const holder = fc.oneof(
      fc.tuple(fc.constantFrom(...single), inner),
      fc.tuple(fc.constantFrom('anyOf', 'allOf', 'oneOf', 'prefixItems'), list),
      fc.tuple(fc.constantFrom('properties', 'dependentSchemas', 'definitions', 'dependencies'), map),
    )
    const composed = fc.tuple(leaf, fc.array(holder, { maxLength: 3 })).map(([base, holders]) => ({
      ...(typeof base === 'object' ? base : {}),
      ...Object.fromEntries(holders),
    }))
    schema = fc.oneof({ weight: 1, arbitrary: leaf }, { weight: 2, arbitrary: composed })
  }
  return schema
}

/** A root in which most local references find something. */
function roots(wild: boolean): fc.Arbitrary<Record<string, unknown>> {
  const schema = schemas(wild)
  const names = fc.constantFrom(
    {},
    { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    { $schema: 'http://json-schema.org/draft-07/schema#' },
    { $id: 'https://e.example/x.json' },
  )
  return fc.tuple(names, schema, schema, schema, schema, schema).map(([name, root, d0, d1, a, y]) => ({
    ...name,
    ...(typeof root === 'object' ? root : {}),
    $defs: { d0, d1 },
    properties: { a },
    x: { y },
  }))
}

/** Each one is compiled some six times, which takes a while. */
const MADE = upTo(30, 250)

for (const wild of [false, true]) {
  test(`whatever lint accepts, ajv compiles: ${wild ? 'wild' : 'mostly sound'} schemas`, async () => {
    let accepted = 0
    const root = roots(wild)
    // Where all are any, one of them is mostly refused.
    const other = fc.oneof(fc.constant({ $defs: { d0: {}, d1: { type: 'string' } }, x: { y: true } }), root)
    const check = async (input: unknown, a: unknown, x: unknown, y: unknown, own: boolean) => {
      const refs = own ? { 'a.v1': a } : {}
      const agent = agentOf({ input, refs, files: { 'schemas/x.json': x, 'schemas/y.json': y } })
      if (!isAccepted(agent)) return
      accepted++
      await compileAll(agent)
    }
    await fc.assert(fc.asyncProperty(root, other, other, other, fc.boolean(), check), {
      numRuns: MADE,
      seed: 7,
    })
    const [least, most] = wild ? [0.02, 0.6] : [0.16, 0.86]
    const isAsMany = accepted > least * MADE && accepted < most * MADE
    assert.ok(isAsMany, `${accepted} of ${MADE} were accepted`)
  })
}

/** What the rules find, and that they find it soon; one rule's findings are as many as lint takes. */
function foundSoon(agent: Agent): string[] {
  const start = processorTime()
  const rules = new Map<string, number>()
  // That a schema is long is advice, and no limit.
  for (const { rule } of lintAgent(agent, UNPREPARED, SCHEMA_RULES))
    if (rule !== 'schema/long-inline') rules.set(rule, (rules.get(rule) ?? 0) + 1)
  const took = processorTime() - start
  assert.ok(took < 5000, `took ${took} ms`)
  return [...rules].map(([rule, count]) => `${rule.slice('schema/'.length)} ${count}`).sort()
}

describe('references in circles', () => {
  const inPlace: [name: string, schema: unknown][] = [
    ['itself', { $ref: '#' }],
    ['allOf', { allOf: [{ $ref: '#' }] }],
    ['anyOf', { anyOf: [{ type: 'string' }, { $ref: '#' }] }],
    ['oneOf', { oneOf: [{ $ref: '#' }] }],
    ['not', { not: { $ref: '#' } }],
    ['if', { if: { $ref: '#' } }],
    ['then', JSON.parse('{"if":true,"then":{"$ref":"#"}}')],
    ['else', { if: true, else: { $ref: '#' } }],
    ['dependentSchemas', { dependentSchemas: { a: { $ref: '#' } } }],
    ['dependencies', { dependencies: { a: { $ref: '#' } } }],
    ['two', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['a part without a reference to it', { type: 'object', $defs: { a: { $ref: '#/$defs/a' } } }],
    ['a file', { $ref: 'schemas/loop.json' }],
    ['two files', { $ref: 'schemas/there.json' }],
    ['an id', { $ref: 'schema:loop' }],
    ['an own id', { $ref: 'schema:own' }],
  ]
  for (const [name, result] of inPlace) {
    test(`by way of ${name}`, () => {
      const files = {
        'schemas/loop.json': { not: { $ref: 'loop.json' } },
        'schemas/there.json': { $ref: 'back.json' },
        'schemas/back.json': { allOf: [{ $ref: 'schema:there' }] },
      }
      const used = /file|id/.test(name) ? files : {}
      const agent = agentOf({ result, files: used, refs: { own: { anyOf: [{ $ref: 'schema:own' }] } } })
      const lines = found(agent).filter(line => !/^(?:unused|idle-keyword)/.test(line))
      assert.ok(lines.length > 0)
      for (const line of lines) assert.match(line, /^endless /)
    })
  }

  const where =
    'properties/a items additionalProperties patternProperties/a prefixItems/0 contains propertyNames unevaluatedItems'
  for (const place of where.split(' ')) {
    test(`not by way of ${place}, where the value ends it`, () => {
      const [keyword = '', name] = place.split('/')
      const inner = { $ref: '#' }
      const value = name === undefined ? inner : name === '0' ? [inner] : { [name]: inner }
      assert.deepEqual(found(agentOf({ result: { [keyword]: value } })), [])
    })
  }
})

describe('hostile schemas', () => {
  const result = { type: 'object' }
  test('wide, deep and large ones', () => {
    assert.deepEqual(foundSoon(agentOf({ result: { properties: named(2_000, () => ({})) } })), [
      'too-large 1',
    ])
    assert.deepEqual(foundSoon(agentOf({ result: { anyOf: Array.from({ length: 2_000 }, () => true) } })), [
      'too-large 1',
    ])
    assert.deepEqual(
      foundSoon(agentOf({ result: { enum: Array.from({ length: 90_000 }, (_, index) => index) } })),
      [],
    )
    assert.deepEqual(
      foundSoon(agentOf({ result: { enum: Array.from({ length: 110_000 }, (_, index) => index) } })),
      ['too-large 1'],
    )
    assert.deepEqual(foundSoon(agentOf({ result: { required: Object.keys(named(90_000, () => 0)) } })), [])
    assert.deepEqual(
      foundSoon(agentOf({ result: { dependentRequired: { a: Object.keys(named(2_000, () => 0)) } } })),
      ['too-large 1'],
    )
    let deep: unknown = { type: 'string' }
    // Strict JSON has 64 levels, three of which are above the schema.
    for (let level = 0; level < 59; level++) deep = { not: deep }
    assert.deepEqual(foundSoon(agentOf({ result: deep })), [])
  })

  test('references that double at every step, in a file and across files', () => {
    const twice = (to: string) => ({ allOf: [{ $ref: to }, { $ref: to }] })
    const $defs = { ...named(40, index => twice(`#/$defs/p${index + 1}`)), p40: {} }
    assert.deepEqual(foundSoon(agentOf({ result: { $ref: '#/$defs/p0', $defs } })), ['endless 1'])
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`schemas/p${index}.json`, twice(`p${index + 1}.json`)]),
    )
    const agent = agentOf({
      result: { $ref: 'schemas/p0.json' },
      files: { ...files, 'schemas/p40.json': true },
    })
    // One for where it becomes too much, and one for what is below and too much by itself.
    assert.deepEqual(foundSoon(agent), ['empty 1', 'endless 2'])
  })

  test('long rows of references, which would overflow the stack of a compiler', async () => {
    const row = (length: number) => ({
      $ref: '#/$defs/p0',
      $defs: {
        ...named(length, index => ({ properties: { a: { $ref: `#/$defs/p${index + 1}` } } })),
        [`p${length}`]: {},
      },
    })
    const accepted = agentOf({ result: row(MAX_LEVELS / 2) })
    assert.deepEqual(foundSoon(accepted), [])
    await compileAll(accepted)
    assert.deepEqual(foundSoon(agentOf({ result: row(MAX_LEVELS / 2 + 1) })), ['too-large 1'])
    const deep = (length: number) => ({
      $ref: '#/$defs/p0',
      $defs: {
        ...named(length, index =>
          Array.from({ length: 24 }).reduce<object>(schema => ({ patternProperties: { a: schema } }), {
            $ref: `#/$defs/p${index + 1}`,
          }),
        ),
        [`p${length}`]: { type: 'string' },
      },
    })
    const deepest = agentOf({ result: deep(MAX_LEVELS / 25) })
    assert.deepEqual(foundSoon(deepest), [])
    await compileAll(deepest)
    assert.deepEqual(foundSoon(agentOf({ result: deep(MAX_LEVELS / 25 + 1) })), ['too-large 1'])
    const leaves = {
      items: { anyOf: Array.from({ length: 290 }, (_, index) => ({ $ref: `#/$defs/p${index}` })) },
      $defs: named(290, () => ({ type: 'string' })),
    }
    assert.deepEqual(foundSoon(agentOf({ result: leaves })), [])
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [
        `schemas/p${index}.json`,
        { items: { $ref: `p${index + 1}.json` } },
      ]),
    )
    const lines = foundSoon(
      agentOf({
        result: { $ref: 'schemas/p0.json' },
        files: { ...files, 'schemas/p150.json': { type: 'string' } },
      }),
    )
    // A file that another leads to is two levels, so from one of the last 101 files they are not too many.
    assert.deepEqual(lines, [`too-large ${150 - MAX_LEVELS / 2}`])
  })

  test('many tools that share two large files', () => {
    const large = { type: 'object', properties: named(290, () => ({ type: 'string' })) }
    const files = { 'schemas/a.json': large, 'schemas/b.json': { ...large, not: { $ref: 'a.json' } } }
    const more = Array.from({ length: upTo(500, 10_000) }, () => ({ $ref: 'schemas/b.json' }))
    assert.deepEqual(foundSoon(agentOf({ result, files, more })), ['no-description 1', 'open-object 1'])
  })

  test('many tools that reach many files each', () => {
    const files = Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [
        `schemas/p${index}.json`,
        { properties: named(5, to => ({ $ref: `p${(index * 7 + to * 13) % 90}.json` })) },
      ]),
    )
    // Each follows 450 references and reads a few values, some 464 steps; two million are made in all, so 4,314 of these fit.
    const more = Array.from({ length: 4_400 }, (_, index) => ({
      ...CLOSED,
      not: { $ref: `schemas/p${index % 90}.json` },
    }))
    const agent = agentOf({ result, files, more })
    assert.deepEqual(foundSoon(agent), ['too-large 86'])
    assert.match(messages(agent, 'too-large')[0] ?? '', /refer to each other too often/)
  })

  test('more mistakes than anybody reads', () => {
    const wrong = {
      properties: named(580, index => ({ $ref: `#/$defs/p${index}`, requried: [] })),
      $defs: named(9, () => ({})),
    }
    const more = [wrong, wrong]
    const lines = foundSoon(agentOf({ result, more }))
    assert.deepEqual(lines, [
      'no-description 1',
      'not-object 1',
      'open-object 1',
      'ref-missing 1001',
      'unknown-keyword 2',
    ])
  })

  test('keys of their own, each another one', () => {
    const own = Object.fromEntries(
      Array.from({ length: upTo(5_000, 45_000) }, (_, index) => [`keyword${index}`, 0]),
    )
    assert.deepEqual(foundSoon(agentOf({ result: own })), [])
  })

  test('all schemas of an agent together', () => {
    const large = { const: Array.from({ length: 99_000 }, () => 0) }
    const agent = agentOf({ result, more: Array.from({ length: 12 }, () => ({ ...CLOSED, not: large })) })
    assert.deepEqual(foundSoon(agent), ['too-large 1'])
    assert.match(messages(agent, 'too-large')[0] ?? '', /^All schemas before and with this one/)
  })

  test('many small tools, in little memory', async () => {
    // What is kept for each pair of tools would need more.
    const [tools, mebibytes] = IN_CI ? [5_000, 128] : [800, 20]
    const script = `
      const { agentOf, SCHEMA_RULES } = await import('./test/support/lint-agent.ts')
      const { lintAgent } = await import('./src/lint/lint.ts')
      const { UNPREPARED } = await import('./src/lint/rules/rule.ts')
      const input = JSON.parse('{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"},"c":{"$ref":"schema:x"}}}}}')
      const agent = agentOf({ more: Array.from({ length: ${tools} }, () => input), files: { 'schemas/x.json': {} } })
      const before = process.cpuUsage()
      const found = lintAgent(agent, UNPREPARED, SCHEMA_RULES)
      const { user, system } = process.cpuUsage(before)
      process.stdout.write(found.length + ' ' + (user + system < 20_000_000))
    `
    const node = [`--max-old-space-size=${mebibytes}`, await compiled(script, folderFor('memory'))]
    const { stdout, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' })
    assert.match(`${stdout}${stderr}`, /^[0-9]+ true$/)
  })
})

describe('patterns', () => {
  const plain: [pattern: string, isPlain: boolean][] = [
    ['', true],
    ['^[a-z0-9-]+$', true],
    ['^[A-Z]{2,5}-[0-9]{1,6}$', true],
    ['^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}$', true],
    ['^(?:now|later)$', true],
    ['^(?<year>[0-9]{4})-\\d{2}$', true],
    ['^\\p{Lu}.*$', true],
    ['\\S', true],
    ['^a{1,500}$', true],
    ['^[)*]+\\)\\*$', true],
    ['a+', false],
    ['^a+b+$', false],
    ['^(?:ab)+$', false],
    ['^a|b+$', false],
    ['^(?=a)b$', false],
    ['^(?<!a)b$', false],
    ['^(a)\\1$', false],
    ['^(?<n>a)\\k<n>$', false],
    ['^a{1,99}b{1,99}$', false],
    ['^(?:a{1,9}){1,9}$', false],
  ]
  for (const [pattern, expected] of plain) {
    test(`${pattern || 'the empty one'} is ${expected ? '' : 'not '}plain`, () => {
      assert.equal(checkPattern(pattern), undefined)
      assert.equal(isPlainPattern(pattern), expected)
    })
  }

  test('plain ones are fast', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '\\w',
      '(?:a|ab)',
      '(a?)',
      'a?',
      'a*',
      '.+',
      'b{2}',
      'a{1,3}',
      '|',
      '^',
      '$',
    )
    const texts = [
      'a'.repeat(20_000),
      `${'a'.repeat(20_000)}!`,
      'ab'.repeat(10_000),
      `${'b'.repeat(20_000)}c`,
    ]
    let tried = 0
    const check = (atoms: readonly string[]): void => {
      const pattern = atoms.join('')
      if (checkPattern(pattern) !== undefined || !isPlainPattern(pattern)) return
      tried++
      const compiled = new RegExp(pattern, 'u')
      const start = processorTime()
      for (const text of texts) compiled.test(text)
      assert.ok(processorTime() - start < 1500, pattern)
    }
    fc.assert(fc.property(fc.array(atom, { maxLength: 6 }), check), { numRuns: runs(400), seed: 5 })
    assert.ok(tried > among(100, 400), `only ${tried} were plain`)
  })

  test('one that could end the program is refused', async () => {
    const nested = (depth: number) => `^${'(?='.repeat(depth)}a${')'.repeat(depth)}`
    const agent = agentOf({ result: { pattern: nested(2000) } })
    assert.deepEqual(messages(agent, 'pattern'), [
      `The pattern "^${'(?='.repeat(19)}(?…" has more than 5000 characters: Write it in a simpler way, or list the values as enum`,
    ])
    assert.match(
      messages(agentOf({ result: { pattern: nested(1249) } }), 'pattern').join(),
      /100 deep: Write /,
    )
    const deepest = agentOf({ result: { pattern: nested(100) } })
    assert.deepEqual(messages(deepest, 'pattern'), [])
    await compileAll(deepest)
  })

  test('one that can only be tried is refused', () => {
    const agent = agentOf({ result: { patternProperties: { '^(a|b)\\1$': true } } })
    assert.deepEqual(messages(agent, 'pattern'), [
      'The pattern "^(a|b)\\\\1$" cannot be followed in time that only grows with the text: it refers back to a group: Write it in a simpler way, or list the values as enum',
    ])
  })

  const repeated: readonly string[] = [
    ...['^(a+)+$', '^(\\w+\\s?)*$', '(.*a){20}', '(?:x+x+)+y', '^(?:(a|b{2,})c)*$', '(?=(?:a*b)*)c'],
    // No text keeps a matcher busy with these two. Lint looks at the form alone.
    ...['^[a-z0-9]+(?:-[a-z0-9]+)*$', '(?:a{0,12}b)+'],
  ]
  const unrepeated: readonly string[] = [
    ...[
      '^[a-z]+$',
      '^(?:\\d{1,3}\\.){3}\\d{1,3}$',
      '^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$',
      '(a+)?b',
      '(?:ab?)+',
    ],
    ...['(?:a{20}b)+', '^\\d+\\.\\d+\\.\\d+$', '^(a|aa)+$', 'a.*b.*c', '[(a+)+]', '\\(a+\\)+'],
  ]
  test('a repeated group that holds a repetition is said', () => {
    const said = (schema: unknown) => messages(agentOf({ result: schema }), 'slow-pattern')
    for (const pattern of repeated) assert.equal(said({ type: 'string', pattern }).length, 1, pattern)
    for (const pattern of unrepeated) assert.deepEqual(said({ type: 'string', pattern }), [], pattern)
    assert.deepEqual(said({ patternProperties: { '^(a+)+$': { pattern: '^(b+)+$' } } }), [
      'The pattern "^(a+)+$" repeats a group that holds a repetition, which can keep other matchers busy for hours: Repeat the group or what is in it, not both',
      'The pattern "^(b+)+$" repeats a group that holds a repetition, which can keep other matchers busy for hours: Repeat the group or what is in it, not both',
    ])
  })

  test('what is an error already gets no advice', () => {
    const agent = agentOf({
      result: { properties: { a: { pattern: '^(.+)+\\1$' }, b: { pattern: '(a+)+(' } } },
    })
    assert.deepEqual(messages(agent, 'slow-pattern'), [])
    assert.equal(messages(agent, 'pattern').length, 2, 'and it is said why')
  })

  test('the longest and deepest pattern takes lint no time', () => {
    const deep = `${'('.repeat(99)}a+${')*'.repeat(99)}`
    const long = '(a+)+'.repeat(1000)
    const start = processorTime()
    for (const pattern of [deep, long])
      assert.equal(messages(agentOf({ result: { pattern } }), 'slow-pattern').length, 1)
    assert.ok(processorTime() - start < 1000, `took ${processorTime() - start} ms`)
  })
})

describe('real tools', () => {
  const base = join(ROOT, '../shared/real/tools')
  const skip = !existsSync(base) && 'the tools are not here'
  for (const [file, count] of [
    ['mcp/github.tools-list.json', 30],
    ['mcp/alfresco.tools-list.json', 10],
    ['agentcli/goagent.tools.json', 28],
  ] as const) {
    test(`${file}: advice, no errors, and all of it compiles`, { skip }, async () => {
      const { tools } = JSON.parse(readFileSync(join(base, file), 'utf8')) as {
        tools: Record<string, unknown>[]
      }
      const agent = agentOf({ more: tools.map(({ inputSchema, schema }) => inputSchema ?? schema) })
      assert.equal(tools.length, count)
      const severities = new Set(lintAgent(agent, UNPREPARED, SCHEMA_RULES).map(({ severity }) => severity))
      assert.equal(severities.has('error'), false)
      await compileAll(agent)
    })
  }
})
