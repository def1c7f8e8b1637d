// Frames of a trace as lines, and back: every change to a line, and every line that is gone or moved, is noticed.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { answerDigest, digestOf, readFrame, writeFrame } from '../../src/call/trace.ts'
import { ReadProblem } from '../../src/json/read.ts'
import type { CallPayload, ResultPayload, TraceFrame } from '../../src/model/trace.ts'
import { anyText } from '../support/any-text.ts'
import { upTo } from '../support/runs.ts'

const call: CallPayload = {
  v: 1,
  call_id: 'c1',
  tool: 'mail.send',
  arguments: { to: 'a@b.example', '': [1.5, null, { ä: '\u2028' }] },
  input_schema: 'blake3:00',
  result_schema: 'blake3:01',
  bundle: null,
  attempt: 1,
}
const result: ResultPayload = {
  v: 1,
  call_id: 'c1',
  tool: 'mail.send',
  duration_ms: 12,
  replayed: false,
  ok: true,
  result: { id: 7 },
}
const failed: ResultPayload = {
  v: 1,
  call_id: 'c2',
  tool: 'mail.send',
  duration_ms: 0,
  replayed: false,
  ok: false,
  error: { kind: 'timeout', message: 'Too late', retryable: true },
}
const ts = '2026-11-20T10:00:00.000Z'
const FRAMES: readonly TraceFrame[] = [
  { frame: 'CT_TOOL_CALL', ts, payload: call },
  { frame: 'CT_TOOL_RESULT', ts, payload: result },
  { frame: 'CT_TOOL_CALL', ts, payload: { ...call, call_id: 'c2', attempt: 2 } },
  { frame: 'CT_TOOL_RESULT', ts, payload: failed },
]

function lines(frames: readonly TraceFrame[]): string[] {
  let previous = ''
  return frames.map(frame => {
    const { line, hash } = writeFrame(frame, previous)
    previous = hash
    return line
  })
}

function readAll(texts: readonly string[]): TraceFrame[] {
  let previous = ''
  return texts.map(text => {
    const { frame, hash } = readFrame(Buffer.from(text.replace(/\n$/, '')), previous)
    previous = hash
    return frame
  })
}

const problemOf = (texts: readonly string[]): string => {
  try {
    readAll(texts)
  } catch (error) {
    if (error instanceof ReadProblem) return error.message
    throw error
  }
  return 'read'
}

const MOVED = 'it was changed, or does not follow the line before it'

describe('a trace', () => {
  test('reads as it was written', () => {
    assert.deepEqual(readAll(lines(FRAMES)), FRAMES)
    for (const line of lines(FRAMES)) assert.match(line, /^[^\n]*\n$/)
  })

  test('names content type and type string of the existing runtime', () => {
    const [first = '', second = ''] = lines(FRAMES)
    assert.match(first, /^\{"content_type":3,"frame":"CT_TOOL_CALL",.*"type":"intent\.tool_call\.v1"\}\n$/s)
    assert.match(second, /^\{"content_type":4,.*"type":"toolresult\.generic\.v1"\}\n$/s)
  })

  test('reads as it was written, whatever tools say', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText(), fc.nat(), (value, text, attempt) => {
        const frames: TraceFrame[] = [
          { frame: 'CT_TOOL_CALL', ts, payload: { ...call, tool: text, arguments: value, attempt } },
          { frame: 'CT_TOOL_RESULT', ts, payload: { ...result, result: value, warnings: [text] } },
          { frame: 'CT_TOOL_RESULT', ts, payload: { ...failed, error: { message: text, [text]: value } } },
        ]
        // What JSON has no word for (-0) is written as JSON writes it.
        assert.deepEqual(readAll(lines(frames)), JSON.parse(JSON.stringify(frames)))
      }),
      { numRuns: upTo(60, 200) },
    )
  })

  test('of which a line is gone, twice there or moved is refused', () => {
    const whole = lines(FRAMES)
    assert.equal(problemOf(whole), 'read')
    const [a = '', b = '', c = '', d = ''] = whole
    for (const changed of [
      [b, c, d],
      [a, c, d],
      [a, a, b],
      [b, a, c],
      [a, b, d],
    ]) {
      assert.equal(problemOf(changed), MOVED)
    }
    // The end can be cut off: a trace says what happened, not that nothing else did.
    assert.equal(problemOf([a, b, c]), 'read')
  })

  test('of which a byte was changed is refused', () => {
    const [line = ''] = lines(FRAMES)
    const bytes = Buffer.from(line.trimEnd())
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [0, 3, 5]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        assert.throws(() => readFrame(changed, ''), ReadProblem, `${at}.${bit}`)
      }
    }
  })

  const [good = ''] = lines(FRAMES.slice(0, 1))
  const cases: readonly (readonly [what: string, line: string, problem: string])[] = [
    ['an empty line', '', 'it is empty, or has more than 67108864 bytes'],
    ['what is no JSON', '{', 'it is no JSON'],
    ['a list', '[]', 'it is no object'],
    ['an unknown member', good.replace('{', '{"a":1,'), 'it has the unknown member "a"'],
    ['space', good.replace('{', '{ '), 'it is not written as rlp writes it'],
    ['a duplicate', good.replace('{', '{"content_type":3,'), 'it is not written as rlp writes it'],
    ['another frame', good.replace('CT_TOOL_CALL', '__proto__'), 'it is no frame that this build knows'],
    ['another number', good.replace(':3,', ':4,'), 'its content type is not that of CT_TOOL_CALL'],
    [
      'a newer version',
      good.replace('"v":1', '"v":2'),
      'payload.v is a version that this build does not know',
    ],
    ['no attempt', good.replace('"attempt":1', '"attempt":-1'), 'payload.attempt is no count'],
    ['a number for a text', good.replace('"c1"', '1'), 'payload.call_id is no text'],
  ]
  for (const [what, line, problem] of cases) {
    test(`refuses ${what}`, () => assert.equal(problemOf([line]), problem))
  }

  // More than the stack has room for, if each takes a call.
  test('with tens of thousands of levels is read, or refused, and nothing else', () => {
    const levels = upTo(30_000, 100_000)
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`
    const frame: TraceFrame = {
      frame: 'CT_TOOL_CALL',
      ts,
      payload: { ...call, arguments: JSON.parse(deep) as unknown },
    }
    const { line } = writeFrame(frame, '')
    assert.ok(line.includes(deep))
    assert.equal(readFrame(Buffer.from(line.trimEnd()), '').frame.frame, 'CT_TOOL_CALL')
  })
})

describe('digests', () => {
  test('of texts that are split in another way differ', () => {
    assert.notEqual(digestOf('ab', 'c'), digestOf('a', 'bc'))
    assert.notEqual(digestOf('a'), digestOf('a', ''))
    assert.equal(digestOf('a', 'b'), digestOf('a', 'b'))
    assert.match(digestOf(), /^blake3:[0-9a-f]{64}$/)
  })

  test('of answers leave out when and under which name', () => {
    const again = { ...result, call_id: 'other', duration_ms: 99, replayed: true }
    assert.equal(answerDigest(again, again), answerDigest(result, result))
    assert.notEqual(answerDigest(result, { ok: true, result: { id: 8 } }), answerDigest(result, result))
    assert.notEqual(answerDigest(result, { ...result, warnings: ['w'] }), answerDigest(result, result))
    assert.notEqual(answerDigest(failed, failed), answerDigest(result, result))
  })
})
