// The lint rules about JSON Schemas at their limits: what passes can be compiled, and no schema or pattern keeps them busy.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compileSchema } from '../src/format/json-schema.ts'
import { isPlainPattern } from '../src/format/plain-pattern.ts'
import { checkPattern } from '../src/format/schema-pattern.ts'
import { isSchemaFile, resolverIn } from '../src/format/schema-resolve.ts'
import { judgePatterns } from '../src/format/slow-pattern.ts'
import { lint } from '../src/lint.ts'
import { prepareLint } from '../src/lint-prepare.ts'
import type { Agent } from '../src/model/agent.ts'
import type { JsonSchema } from '../src/model/tools.ts'
import { MAX_LINKS } from '../src/rules/schema-graph.ts'
import { agentOf, CLOSED, found, messages, named, SCHEMA_RULES } from './support/schema-agent.ts'

const ROOT = join(import.meta.dirname, '..')
const ACCEPTED_BY = SCHEMA_RULES.filter(({ scope }) => scope === 'bundle')

const isAccepted = (agent: Agent) => ACCEPTED_BY.every(rule => [...rule.check(agent)].length === 0)

/** Compiles every schema of an agent as a runtime would, and judges some values with it. */
async function compileAll(agent: Agent): Promise<number> {
  const fileAt = (path: string) => (isSchemaFile(path) ? agent.documents.get(path)?.value : undefined)
  const schemas = (agent.tools?.tools ?? []).flatMap(tool =>
    [tool.inputSchema, tool.resultSchema, ...Object.values(tool.schemaRefs)].map(
      schema => [schema, resolverIn(tool.schemaRefs, fileAt), 'tools.json'] as const,
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
  const refs = [...good.split(' '), ...(wild ? odd.split(' ') : [])].flatMap($ref => [
    { $ref },
    ...(wild ? [{ $dynamicRef: $ref }] : []),
  ])
  const keyword = (name: string, ...values: unknown[]) => values.map(value => ({ [name]: value }))
  const names = [
    ...keyword('$id', 'https://e.example/x.json', 'urn:a'),
    ...keyword('$anchor', 'n', 'm'),
    ...keyword('$dynamicAnchor', 'n'),
  ]
  const dialects = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#']
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
    ...keyword('$schema', ...dialects),
    ...keyword('multipleOf', 0.1, 1e9),
    { $comment: 'x', $async: true, format: 'email' },
    { format: 'none', discriminator: { propertyName: 'a' }, $recursiveRef: '#' },
    { dependentRequired: { a: ['b'] }, dependencies: { a: ['b'] } },
    { minContains: 5, maxContains: 1, uniqueItems: true },
    { contentMediaType: 'text/plain', unevaluatedProperties: false },
    ...(wild ? names : []),
  ]
  const bad = [
    { type: 5 },
    { enum: [] },
    { pattern: '(' },
    { patternProperties: { '[': {} } },
    { items: [{}] },
    { $schema: 'https://e.example/' },
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
  return fc.tuple(schema, schema, schema, schema, schema).map(([root, d0, d1, a, y]) => ({
    ...(typeof root === 'object' ? root : {}),
    $defs: { d0: typeof d0 === 'object' && wild ? { ...d0, $anchor: 'n' } : d0, d1 },
    properties: { a },
    x: { y },
  }))
}

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
      numRuns: 1500,
      seed: 7,
    })
    const [least, most] = wild ? [20, 700] : [250, 1300]
    assert.ok(accepted > least && accepted < most, `${accepted} of 1500 were accepted`)
  })
}
