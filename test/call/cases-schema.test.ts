// The published schema of case files and what reads them accept the same.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { readCases, writeCase } from '../../src/call/cases.ts'
import { ReadProblem } from '../../src/json/read.ts'
import { runs } from '../support/runs.ts'

const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync('schemas/cases.schema.json', 'utf8')),
)

function isRead(value: unknown): boolean {
  try {
    readCases(value)
    return true
  } catch (error) {
    assert.ok(error instanceof ReadProblem, String(error))
    return false
  }
}

const CALL = { tool: 'a.b', arguments: { x: 1 } }
const file = (...cases: readonly unknown[]) => ({ cases })

const GOOD: readonly unknown[] = [
  file(),
  { $schema: '../schemas/cases.schema.json', ...file({ tool: 'a.b', answer: null }) },
  file({ name: 'one', ...CALL, answer: { text: 'x' } }),
  file({ ...CALL, answer_schema: true }, { ...CALL, answer_schema: { type: 'object' } }),
  file({
    tool: 'a.b',
    arguments: [1],
    failure: { kind: 'invalid_args', field: 'x', reason: 'r', message: 'm' },
  }),
]

const BAD: readonly unknown[] = [
  ...[null, true, 1, 'cases', [], {}, { cases: null }, { cases: {} }, { cases: 'x' }, { ...file(), more: 1 }],
  ...[
    file(null),
    file([]),
    file('x'),
    file({}),
    file(CALL),
    file({ answer: 1 }),
    file({ tool: 1, answer: 1 }),
  ],
  file({ ...CALL, answer: 1, failure: { kind: 'x' } }),
  file({ ...CALL, answer: 1, answer_schema: true }),
  file({ ...CALL, answer: 1, Name: 'x' }),
  file({ ...CALL, answer: 1, name: null }),
  file({ ...CALL, answer_schema: null }, { ...CALL, answer_schema: [] }),
  file({ ...CALL, answer_schema: 'schema:x' }),
  ...[null, [], {}, { field: 'x' }, { kind: 1 }, { kind: 'x', more: 'y' }, { kind: 'x', field: null }].map(
    failure => file({ ...CALL, failure }),
  ),
  JSON.parse('{"cases":[{"tool":"a.b","answer":1,"__proto__":{}}]}'),
  JSON.parse('{"cases":[{"tool":"a.b","constructor":1,"answer":1}]}'),
]

describe('the schema of case files', () => {
  test('and the reader accept what is right', () => {
    for (const value of GOOD)
      assert.deepEqual([isRead(value), validate(value)], [true, true], JSON.stringify(value))
  })

  test('and the reader refuse what is wrong', () => {
    for (const value of BAD)
      assert.deepEqual([isRead(value), validate(value)], [false, false], JSON.stringify(value))
  })

  test('accepts what --record writes', () => {
    const [one] = readCases(GOOD[2])
    assert.ok(one)
    assert.ok(validate(file(writeCase(one), writeCase(one, 'named'))))
  })

  test('agrees with the reader about one change of a file that is right', () => {
    const members = [
      'name',
      'tool',
      'arguments',
      'answer',
      'answer_schema',
      'failure',
      'kind',
      'cases',
      'toString',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...GOOD),
        fc.constantFrom(...members),
        fc.jsonValue({ maxDepth: 2 }),
        fc.boolean(),
        (good, member, value, isInside) => {
          const changed = structuredClone(good) as { cases: Record<string, unknown>[] }
          const [first] = changed.cases
          Object.assign(isInside && first !== undefined ? first : changed, { [member]: value })
          assert.equal(validate(changed), isRead(changed), JSON.stringify(changed))
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  test('is kept by the example of the page', () => {
    const [, text] =
      /```json\n(\{\n {2}"cases"[\s\S]*?)```/.exec(readFileSync('docs/authoring.md', 'utf8')) ?? []
    assert.ok(validate(JSON.parse(text ?? 'null')), text)
  })
})
