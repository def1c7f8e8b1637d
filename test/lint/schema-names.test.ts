// What names a schema, or resolves a reference in a way of its own: lint, the compiler of schemas and a call refuse it in the same words.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { linkSchemas } from '../../src/schema/link.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

/** What lint and the compiler of schemas say about one schema. */
function said(schema: object): { lint: string[]; link: string[] } {
  const files = { 'schemas/x.json': JSON.stringify(schema), 'schemas/y.json': '{"type":"string"}' }
  const findings = lintAgent(read(memoryFiles(agentTree({ files })), 'mini'), UNPREPARED)
  return {
    lint: findings.flatMap(({ rule, severity, message }) =>
      severity === 'error' ? [`${rule} ${message}`] : [],
    ),
    link: linkSchemas(schema, 'schemas/x.json', ref => ({
      schema: true,
      path: `schemas/${ref.kind}`,
    })).problems.map(({ message }) => message),
  }
}
const NOTHING = { lint: [], link: [] }
const refused = (message: string) => ({ lint: [`schema/dialect ${message}`], link: [message] })

describe('refused with one code', () => {
  const names = [
    '$anchor',
    '$dynamicAnchor',
    '$dynamicRef',
    '$recursiveAnchor',
    '$recursiveRef',
    '$vocabulary',
  ]
  for (const name of names) {
    const words = refused(`"${name}" names or resolves a schema, and readers differ in how`)
    test(name, () => {
      assert.deepEqual(said({ type: 'object', [name]: '#' }), words)
      assert.deepEqual(said({ properties: { a: { [name]: {} } } }), words)
      assert.deepEqual(said({ properties: { [name]: { type: 'string' } }, const: { [name]: 1 } }), NOTHING)
    })
  }
  test('$id below the root', () => {
    const words = refused('"$id" names or resolves a schema, and readers differ in how')
    assert.deepEqual(
      said({ $defs: { a: { $id: 'y.json' } }, properties: { a: { $ref: '#/$defs/a' } } }),
      words,
    )
    assert.deepEqual(said({ properties: { $id: { type: 'string' } } }), NOTHING)
  })
  test('$schema below the root', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    assert.deepEqual(said({ items: { $schema } }), refused('"$schema" is only read at the top of a schema'))
    assert.deepEqual(said({ $schema, items: {} }), NOTHING)
  })
})

describe('an $id at the root', () => {
  const schema = (ref: string) => ({
    $id: 'https://e.example/x.json',
    properties: { a: { $ref: ref } },
    $defs: { b: {} },
  })
  for (const ref of ['#', '#/$defs/b', 'schema:y'])
    test(`may be beside ${ref}`, () => assert.deepEqual(said(schema(ref)), NOTHING))
  for (const ref of ['y.json', './y.json', '../schemas/y.json#'])
    test(`may not be beside ${ref}, which some readers resolve against it`, () =>
      assert.deepEqual(
        said(schema(ref)),
        refused('"$id" changes where some readers look for a $ref that is a path'),
      ))
  test('is no address', () => {
    const { lint } = said(schema('https://e.example/x.json'))
    assert.deepEqual(lint, [
      'schema/ref-remote The reference "https://e.example/x.json" leads out of the bundle, and nothing is fetched',
    ])
  })
})
