// Arguments beside `properties`, and keywords inside it: where lint says so, where it is silent, and what --fix writes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { read } from '../../src/agent/read-agent.ts'
import { fix } from '../../src/lint/fix.ts'
import { lintAgent } from '../../src/lint/lint.ts'
import { UNPREPARED } from '../../src/lint/rules/rule.ts'
import type { Agent } from '../../src/model/agent.ts'
import { agentTree } from '../support/agent.ts'
import { agentOf, CLOSED, found, messages } from '../support/lint-agent.ts'
import { memoryFiles } from '../support/memory.ts'

const TEXT = { type: 'string', description: 'a text, for example x' }
const CLOSE = { additionalProperties: false }
const object = (more: object) => ({ type: 'object', ...more })
const proper = (properties: object, more: object = {}) => object({ properties, ...more, ...CLOSE })

/** The input schema of the first tool after all safe fixes. */
function fixedInput(agent: Agent): unknown {
  return fix(agent).agent.tools?.tools[0]?.inputSchema
}

describe('an input whose arguments are not in properties', () => {
  const cases: [name: string, input: object, fixed: object, ...expected: string[]][] = [
    ['as it should be', proper({ a: TEXT }), proper({ a: TEXT })],
    ['beside each other', object({ a: TEXT, b: TEXT }), proper({ a: TEXT, b: TEXT }), 'misplaced a'],
    [
      'beside a properties that has others',
      object({ properties: { a: TEXT }, b: TEXT }),
      proper({ a: TEXT, b: TEXT }),
      'misplaced b',
    ],
    ['without a type', { a: TEXT }, proper({ a: TEXT }), 'misplaced a'],
    [
      'with words and required',
      object({ description: 'x', a: TEXT, required: ['a'] }),
      object({ properties: { a: TEXT }, description: 'x', required: ['a'] }),
      'misplaced a',
    ],
    ['called title', object({ title: TEXT }), proper({ title: TEXT }), 'invalid title'],
    [
      'called description',
      object({ description: TEXT }),
      proper({ description: TEXT }),
      'invalid description',
    ],
    ['called type', { type: TEXT }, proper({ type: TEXT }), 'invalid type'],
    ['called required', object({ required: TEXT }), proper({ required: TEXT }), 'invalid required'],
    [
      'called properties',
      { properties: { type: 'object', description: 'x' } },
      proper({ properties: { type: 'object', description: 'x' } }),
      'invalid properties',
    ],
    [
      'called title, beside others: one finding for all',
      object({ a: TEXT, title: TEXT }),
      proper({ a: TEXT, title: TEXT }),
      'invalid title',
    ],
    [
      'called items, beside one that is certain',
      object({ a: TEXT, items: { type: 'array', description: 'x', items: {} } }),
      proper({ a: TEXT, items: { type: 'array', description: 'x', items: {} } }),
      'misplaced a',
    ],
    [
      'of an object that is an argument',
      proper({ o: { ...TEXT, type: 'object', ...CLOSE, a: TEXT } }),
      proper({ o: { ...TEXT, type: 'object', ...CLOSE, properties: { a: TEXT } } }),
      'misplaced properties/o/a',
    ],
    [
      'in one another',
      object({ o: { ...TEXT, type: 'object', a: TEXT } }),
      proper({ o: { ...TEXT, type: 'object', properties: { a: TEXT }, ...CLOSE } }),
      'misplaced o',
    ],
    [
      'and required in properties',
      object({ properties: { a: TEXT, required: ['a'] } }),
      object({ properties: { a: TEXT }, required: ['a'] }),
      'invalid properties/required',
    ],
    [
      'required in properties and beside it',
      object({ properties: { a: TEXT, b: TEXT, required: ['a'] }, required: ['b', 'a'] }),
      object({ properties: { a: TEXT, b: TEXT }, required: ['b', 'a'] }),
      'invalid properties/required',
    ],
    [
      'type and title in properties',
      { properties: { type: 'object', title: 'Words', a: TEXT } },
      proper({ a: TEXT }, { title: 'Words' }),
      'invalid properties/type',
    ],
    [
      'additionalProperties in properties, which is JSON Schema',
      object({ properties: { a: TEXT, additionalProperties: false } }),
      proper({ a: TEXT }),
      'misplaced properties/additionalProperties',
      'no-description properties/additionalProperties',
    ],
  ]
  for (const [name, input, fixed, ...expected] of cases) {
    test(name, () => {
      const agent = agentOf({ input })
      assert.deepEqual(found(agent), expected)
      assert.deepEqual(fixedInput(agent), fixed)
      assert.deepEqual(found(fix(agent).agent), [], 'after the fix nothing is left to say')
    })
  }

  test('words name them, and say where they belong', () => {
    assert.deepEqual(messages(agentOf({ input: object({ a: TEXT, b: TEXT }) }), 'misplaced'), [
      '"a" and "b" look like arguments, but are not in properties: Put them into properties',
    ])
    assert.deepEqual(messages(agentOf({ input: object({ title: TEXT }) }), 'invalid'), [
      '"title" looks like an argument, but is not in properties: Put it into properties',
    ])
    const inside = object({ b: TEXT, properties: { a: TEXT, required: ['a'] } })
    assert.deepEqual(messages(agentOf({ input: inside }), 'invalid'), [
      '"b" looks like an argument, but is not in properties; "required" is in properties, where it is read as an argument: Put it into properties; Move it one level up, beside properties',
    ])
  })
})

describe('is silent', () => {
  const silent: [name: string, input: object][] = [
    [
      'about members that are no schemas',
      { 'x-a': TEXT, example: TEXT, order: ['a'], meta: { a: 1 }, kind: 'x' },
    ],
    ['about definitions', { definitions: { a: TEXT }, $defs: { b: TEXT }, components: { c: TEXT } }],
    ['about an argument of properties that has the name too', { properties: { a: TEXT }, a: TEXT }],
    ['about arguments called required and type', { properties: { required: TEXT, type: TEXT } }],
  ]
  for (const [name, more] of silent) {
    test(name, () => {
      const agent = agentOf({ input: { ...CLOSED, ...more } })
      assert.deepEqual(found(agent), [])
      assert.deepEqual(fix(agent).files, [])
    })
  }

  test('about what a reference leads to or through', () => {
    const to = { properties: { a: { description: 'x', $ref: '#/shared' } }, shared: { type: 'string' } }
    const through = {
      properties: { a: { description: 'x', $ref: '#/b/items' } },
      b: { type: 'array', items: {} },
    }
    for (const more of [to, through]) {
      const agent = agentOf({ input: { ...CLOSED, ...more } })
      assert.deepEqual(found(agent), ['ref-missing properties/a/$ref'])
      assert.deepEqual(fix(agent).files, [])
    }
  })

  test('and moves nothing where it is not known what was meant', () => {
    for (const properties of [
      { title: 'string', body: 'string' },
      { type: 'object', properties: { a: TEXT }, required: ['a'] },
      { a: TEXT, title: 'One', required: 'a' },
    ]) {
      const agent = agentOf({ input: object({ title: 'Other', properties, ...CLOSE }) })
      assert.ok(found(agent).every(line => line.startsWith('invalid ')))
      assert.deepEqual(fix(agent).files, [])
    }
  })
})

test('a result too', () => {
  const agent = agentOf({ result: { ok: { type: 'boolean' } } })
  assert.deepEqual(found(agent), ['misplaced result_schema/ok'])
  assert.deepEqual(
    fix(agent).agent.tools?.tools[0]?.resultSchema,
    object({ properties: { ok: { type: 'boolean' } } }),
  )
})

test('the fix keeps the layout of the file, and everything around the schema', () => {
  const text = (input: string) =>
    `{\r\n\t"version": 1,\r\n\t"tools": [\r\n\t\t{\r\n\t\t\t"id": "a",\r\n\t\t\t"description": "x",\r\n\t\t\t"transport": { "kind": "http", "method": "GET", "url": "https://a.example/" },\r\n\t\t\t"input_schema": ${input},\r\n\t\t\t"result_schema": { "maximum": 1.50 }\r\n\t\t}\r\n\t]\r\n}\r\n`
  const written =
    '{\r\n\t\t\t\t"additionalProperties": false,\r\n\t\t\t\t"n": { "type": "number" },\r\n\t\t\t\t"minProperties": 1.0\r\n\t\t\t}'
  const right =
    '{\r\n\t\t\t\t"additionalProperties": false,\r\n\t\t\t\t"minProperties": 1.0,\r\n\t\t\t\t"properties": {\r\n\t\t\t\t\t"n": {\r\n\t\t\t\t\t\t"type": "number"\r\n\t\t\t\t\t}\r\n\t\t\t\t},\r\n\t\t\t\t"type": "object"\r\n\t\t\t}'
  const broken = read(memoryFiles(agentTree({ files: { 'tools.json': text(written) } })), 'mini')
  assert.ok(lintAgent(broken, UNPREPARED).some(({ rule }) => rule === 'schema/misplaced'))
  assert.equal(fix(broken).files.find(({ path }) => path === 'tools.json')?.text, text(right))
})
