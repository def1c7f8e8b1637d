// The tool contract's envelopes, byte for byte.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { failure, RETRYABLE, serialize, success, textSuccess } from '../../src/contract/envelope.ts'
import { ERRORS, type FailureKind } from '../../src/model/error.ts'
import { runs } from '../support/runs.ts'

test('a success: keys sorted, an absent result is null, no tool and no empty warnings', () => {
  assert.equal(serialize(success(undefined)), '{"ok":true,"result":null}')
  assert.equal(serialize(success('agent.lint', [], [])), '{"ok":true,"result":[],"tool":"agent.lint"}')
  assert.equal(
    serialize(success('t', false, ['w'])),
    '{"ok":true,"result":false,"tool":"t","warnings":["w"]}',
  )
  assert.equal(serialize(textSuccess('t', 'a/b')), '{"ok":true,"result":{"text":"a/b"},"tool":"t"}')
})

test('every kind has its default for retryable', () => {
  const EXPECTED: Record<FailureKind, boolean> = {
    invalid_args: true,
    timeout: true,
    execution_error: true,
    unavailable: true,
    rejected: false,
    user_denied: false,
    tool_not_found: false,
    not_found: false,
  }
  assert.deepEqual(RETRYABLE, EXPECTED)
  for (const kind of Object.keys(EXPECTED) as FailureKind[]) {
    assert.equal(failure({ kind, message: 'm' }).retryable, EXPECTED[kind])
    assert.equal(failure({ kind, message: 'm', retryable: !EXPECTED[kind] }).retryable, !EXPECTED[kind])
  }
  for (const { kind } of Object.values(ERRORS)) assert.ok(kind in RETRYABLE)
})

test('a failure: the fixed members always, the optional ones when given, even empty', () => {
  assert.equal(
    serialize(failure({ kind: 'timeout', message: '' })),
    '{"kind":"timeout","message":"","ok":false,"retryable":true}',
  )
  assert.equal(
    serialize(failure({ kind: 'invalid_args', message: 'm', field: '', expected: '', tool: '' })),
    '{"expected":"","field":"","kind":"invalid_args","message":"m","ok":false,"retryable":true,"tool":""}',
  )
})

test('further members are beside the seven and never replace one, present or absent', () => {
  const extra = {
    ok: true,
    kind: 'timeout',
    message: 'x',
    retryable: true,
    field: 'x',
    expected: 'x',
    tool: 'x',
    code: 'E',
    gone: undefined,
  }
  const made = failure({ kind: 'rejected', message: 'm', extra })
  assert.equal(serialize(made), '{"code":"E","kind":"rejected","message":"m","ok":false,"retryable":false}')
})

test('a member called __proto__ is a member', () => {
  const extra = JSON.parse('{"__proto__":{"ok":true},"a":1}') as Record<string, unknown>
  const made = failure({ kind: 'rejected', message: 'm', extra })
  assert.equal(
    serialize(made),
    '{"__proto__":{"ok":true},"a":1,"kind":"rejected","message":"m","ok":false,"retryable":false}',
  )
  assert.equal(serialize(JSON.parse('{"b":{"__proto__":1,"a":2}}')), '{"b":{"__proto__":1,"a":2}}')
})

test('keys are sorted by code unit at every level', () => {
  // U+1F600 begins with the unit D83D and so is before U+FF61, although its code point is higher.
  assert.equal(
    serialize({ b: [{ d: 1, c: 2 }], a: 0, B: 0, '10': 0, '9': 0, '\uff61': 0, '\u{1f600}': 0, é: 0 }),
    '{"10":0,"9":0,"B":0,"a":0,"b":[{"c":2,"d":1}],"é":0,"\u{1f600}":0,"\uff61":0}',
  )
})

test('what JSON has no word for', () => {
  assert.equal(
    serialize({ a: undefined, b: () => 0, c: Symbol('x'), d: [undefined, () => 0, Number.NaN] }),
    '{"d":[null,null,null]}',
  )
  assert.equal(serialize(undefined), 'null')
  assert.equal(serialize('\ud800/\u2028'), '"\\ud800/\u2028"')
  assert.throws(() => serialize({ a: 1n }), TypeError)
  const loop: unknown[] = []
  loop.push({ loop })
  assert.throws(() => serialize(loop), {
    name: 'TypeError',
    message: 'Cannot write JSON: the value holds itself',
  })
  const twice = { a: 1 }
  assert.equal(serialize([twice, twice]), '[{"a":1},{"a":1}]')
})

test('lists without objects are written like all others', () => {
  const holes: unknown[] = [1]
  holes[3] = -0
  assert.equal(serialize(holes), '[1,null,null,0]')
  assert.equal(serialize([1, [2, 'a/b'], [[], {}], undefined]), '[1,[2,"a/b"],[[],{}],null]')
  assert.equal(serialize(Object.assign([1, 2], { toJSON: () => 'no' })), '[1,2]')
  assert.throws(() => serialize([1, 1n]), TypeError)
  const flat = [1]
  assert.equal(serialize([flat, flat, { a: flat }]), '[[1],[1],{"a":[1]}]')
})

test('depth is no limit', () => {
  const depth = 40_000
  let nested: unknown = 0
  for (let i = 0; i < depth; i++) nested = i % 2 ? [nested] : { a: nested }
  const text = serialize(nested)
  assert.equal(text.length, (depth / 2) * 2 + (depth / 2) * 6 + 1)
})

test('what is written reads back as the same value, and does not depend on the order of insertion', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      // -0 has no JSON form that keeps its sign.
      const plain: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual(JSON.parse(serialize(plain)), plain)
      assert.equal(serialize(reversed(plain)), serialize(plain))
    }),
    { numRuns: runs(200), seed: 4 },
  )
})

const CASES = new URL('../../../shared/cases/osaurus.json', import.meta.url)
test('the cases of the tool contract', {
  skip: !existsSync(CASES) && 'the shared cases are not here',
}, () => {
  const { cases } = JSON.parse(readFileSync(CASES, 'utf8')) as {
    cases: { kind: string; id: string; input: never; expect: string }[]
  }
  const failures = cases.filter(({ kind }) => kind === 'failure')
  const successes = cases.filter(({ kind }) => kind === 'success')
  assert.ok(failures.length > 5 && successes.length > 3)
  for (const { id, input, expect } of failures) assert.equal(serialize(failure(input)), expect, id)
  for (const { id, input, expect } of successes) {
    const { tool, text, result, warnings } = input as {
      tool?: string
      text?: string
      result?: unknown
      warnings?: string[]
    }
    const made = text === undefined ? success(tool, result, warnings) : textSuccess(tool, text, warnings)
    assert.equal(serialize(made), expect, id)
  }
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  )
}
