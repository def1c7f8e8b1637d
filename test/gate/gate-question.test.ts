// A line → a question: each limit, at the limit and one beyond it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQuestion } from '../../src/gate/question-answer.ts'
import { GATE_LIMITS } from '../../src/model/limits.ts'

const { nameLength, idLength, mostMs, withinMs } = GATE_LIMITS
const GOOD = { id: 1, bundle: 'b', expect: 'mini' }

const read = (members: object) => readQuestion(Buffer.from(JSON.stringify(members)))

function taken(members: object) {
  const answer = read({ ...GOOD, ...members })
  assert.ok(answer.ok, JSON.stringify(answer).slice(0, 200))
  return answer.question
}

function refused(members: object, problem: RegExp, id: unknown = 1) {
  const answer = read({ ...GOOD, ...members })
  assert.ok(!answer.ok, JSON.stringify(members).slice(0, 200))
  assert.match(answer.problem, problem)
  assert.deepEqual(answer.id, id)
}

test('names are texts of 1 to 4096 characters without control characters', () => {
  for (const [name, problem] of [
    ['bundle', /^"bundle" is not a path or a reference of at most 4096 characters$/],
    ['expect', /^"expect" is neither name/],
    ['attestations', /^"attestations" is not a path of at most 4096 characters$/],
  ] as const) {
    for (const text of ['x', 'x'.repeat(nameLength)]) assert.equal(taken({ [name]: text })[name], text)
    for (const wrong of ['', 'x'.repeat(nameLength + 1), 'a\nb', 'a\u007f', 1, null, ['x']])
      refused({ [name]: wrong }, problem)
  }
})

test('an id is a text of at most 200 characters or an integer, and is repeated', () => {
  for (const id of ['', 'x'.repeat(idLength), 0, -1, Number.MAX_SAFE_INTEGER])
    assert.equal(taken({ id }).id, id)
  assert.equal(taken({ id: undefined }).id, null)
  for (const id of ['x'.repeat(idLength + 1), 0.5, null, true, {}]) refused({ id }, /^"id" is not/, null)
})

test('a time is an integer from 1 to ten minutes', () => {
  assert.equal(taken({}).withinMs, withinMs)
  for (const time of [1, mostMs]) assert.equal(taken({ within_ms: time }).withinMs, time)
  for (const time of [0, -1, mostMs + 1, 1.5, '1', null]) refused({ within_ms: time }, /^"within_ms" is not/)
})

test('it holds a bundle by its name or its bytes, and no other member', () => {
  assert.deepEqual(taken({ bundle: undefined, bytes: 'AAAA' }).bundle, Buffer.alloc(3))
  refused({ bytes: 'AAAA' }, /^it needs either/)
  refused({ bundle: undefined }, /^it needs either/)
  for (const bytes of ['AAA', 'AA A=', 'AAB=', 1, null])
    refused({ bundle: undefined, bytes }, /^"bytes" is not padded base64$/)
  refused({ allow_unsigned: true }, /^it has an unknown member "allow_unsigned"$/)
  refused({ x: Array(20).fill(1) }, /^it holds more than 16 JSON values$/, null)
})

test('it says which agent it has to be, or its name does', () => {
  const isEnough = (bundle: string) => read({ bundle }).ok
  assert.deepEqual(
    ['a/mini-1.0.0.agent.bundle', 'oci://r.example/mini:1', 'oci-layout:here:1', 'b', 'mini.bundle'].map(
      isEnough,
    ),
    [true, true, true, false, false],
  )
  const bytes = read({ bytes: 'AAAA' })
  assert.deepEqual(bytes.ok, false)
})
