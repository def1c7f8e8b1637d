// Names inside a schema, which two readers could take for two places: an anchor that appears twice, and an `$id` used as an address.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/format/agent/read-agent.ts'
import { linkSchemas } from '../../src/format/schema/link.ts'
import { lint } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import { agentTree } from '../support/agent.ts'
import { memoryFiles } from '../support/memory.ts'

/** What lint and the compiler of schemas say about one schema. */
function said(schema: object): { lint: string[]; link: string[] } {
  const files = { 'schemas/x.json': JSON.stringify(schema) }
  const findings = lint(read(memoryFiles(agentTree({ files })), 'mini'), UNPREPARED)
  return {
    lint: findings.flatMap(({ rule, severity, message }) =>
      severity === 'error' ? [`${rule} ${message}`] : [],
    ),
    link: linkSchemas(schema, 'schemas/x.json', () => undefined).problems.map(({ message }) => message),
  }
}
const NOTHING = { lint: [], link: [] }
const refused = (message: string) => ({ lint: [`schema/ref-invalid ${message}`], link: [message] })

const anchored = (first: string, second: string) => ({
  type: 'object',
  properties: { a: { $ref: '#place' } },
  $defs: { one: { $anchor: first, type: 'string' }, two: { $anchor: second, type: 'integer' } },
})

describe('an anchor', () => {
  test('is found where it appears once', () => assert.deepEqual(said(anchored('place', 'other')), NOTHING))
  test('is refused by name where it appears twice', () => {
    const message = 'The reference "#place" names an anchor that is defined twice, so readers would differ'
    assert.deepEqual(said(anchored('place', 'place')), refused(message))
  })
  test('may appear twice where nothing refers to it', () => {
    assert.deepEqual(said({ ...anchored('same', 'same'), properties: {} }), NOTHING)
  })
  test('of both kinds at one place is one', () => {
    const both = { $anchor: 'place', $dynamicAnchor: 'place', type: 'string' }
    assert.deepEqual(
      said({ type: 'object', properties: { a: { $ref: '#place' } }, $defs: { both } }),
      NOTHING,
    )
  })
})

describe('an $id', () => {
  const using = (ref: string, id = 'https://e.example/item', root = {}) => ({
    ...root,
    type: 'object',
    properties: { a: { $ref: ref } },
    $defs: { item: { $id: id, type: 'string' } },
  })
  test('does not disturb a reference to its place', () => {
    assert.deepEqual(said(using('#/$defs/item')), NOTHING)
  })
  const cases: [ref: string, id: string, root: object][] = [
    ['https://e.example/item', 'https://e.example/item', {}],
    ['https://e.example/item#/x', 'https://e.example/item', {}],
    ['urn:e:item', 'urn:e:item', {}],
    ['https://e.example/item', 'item', { $id: 'https://e.example/root' }],
    ['item.json', 'https://e.example/item.json', { $id: 'https://e.example/root' }],
    ['item.json', 'item.json', {}],
  ]
  for (const [ref, id, root] of cases) {
    test(`${id} is no address for ${ref}`, () => {
      const why = 'is the $id of a schema in the same document, and an $id is no place in a bundle'
      assert.deepEqual(said(using(ref, id, root)), refused(`The reference "${ref}" ${why}`))
    })
  }
  test('elsewhere is elsewhere', () => {
    const { lint: findings } = said(using('https://e.example/other'))
    assert.match(
      findings.join(),
      /^schema\/ref-remote The reference "https:\/\/e\.example\/other" leads out of the bundle/,
    )
  })
})
