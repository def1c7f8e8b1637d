// Answers of tools: told apart by their structure, brought into an envelope, and short enough for a model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { detect, failureMessage, isError, isSuccess, successPayload } from '../../src/contract/detect.ts'
import {
  type Envelope,
  failure,
  RETRYABLE,
  type Success,
  serialize,
  success,
  textSuccess,
} from '../../src/contract/envelope.ts'
import { depthOf, normalizeResult } from '../../src/contract/normalize.ts'
import { fileContent, listing, searchResult } from '../../src/contract/results.ts'
import {
  codePointsUpTo,
  MAX_RESULT_CHARS,
  MAX_STDERR_CHARS,
  MAX_TEXT_CHARS,
  rawOf,
  truncateForModel,
  truncateResult,
} from '../../src/contract/truncate.ts'
import type { FailureKind } from '../../src/model/error.ts'
import { runs } from '../support/runs.ts'

/** Without integers that JavaScript cannot hold: what is said of those is another test. */
const json = fc
  .jsonValue()
  .map((value): unknown =>
    JSON.parse(JSON.stringify(value), (_, part) =>
      typeof part === 'number' && Math.abs(part) > 2 ** 52 ? 0 : part,
    ),
  )
const words = fc.string({ maxLength: 8 })
const successes = fc
  .tuple(fc.option(words, { nil: undefined }), json, fc.array(words, { maxLength: 2 }))
  .map(([tool, result, warnings]) => success(tool, result, warnings))
const failures = fc
  .record(
    {
      kind: fc.constantFrom(...(Object.keys(RETRYABLE) as FailureKind[])),
      message: words,
      field: words,
      expected: words,
      tool: words,
      retryable: fc.boolean(),
      extra: fc.dictionary(words, json, { maxKeys: 2 }),
    },
    { requiredKeys: ['kind', 'message'] },
  )
  .map(failure)
const envelopes: fc.Arbitrary<Envelope> = fc.oneof(successes, failures)

test('what was made is detected as what it is, compact or not, and reads back as it was', () => {
  fc.assert(
    fc.property(envelopes, fc.constantFrom(0, 1, 2), (envelope, indent) => {
      const text = indent === 0 ? serialize(envelope) : `\n ${JSON.stringify(envelope, null, indent)} \r\n`
      assert.equal(isSuccess(text), envelope.ok)
      assert.equal(isError(text), !envelope.ok)
      if (envelope.ok) assert.deepEqual(successPayload(text), envelope.result)
      else assert.equal(failureMessage(text), envelope.message)
      const { tool } = envelope
      assert.equal(serialize(normalizeResult(tool ?? 't', text)), serialize(envelope))
    }),
    { numRuns: runs(400), seed: 8 },
  )
})

test('plain text and other JSON are neither', () => {
  for (const text of [
    '',
    ' ',
    'ok',
    '"ok":true',
    '[{"ok":true}]',
    '5',
    '{"ok":"true"}',
    '{"ok":1}',
    '{"OK":true}',
    '{"error":"x"}',
  ]) {
    assert.equal(detect(text).is, 'neither', text)
    assert.equal(successPayload(text), undefined)
    assert.equal(failureMessage(text), text)
  }
})

test('what is no JSON is sniffed at, and a contradiction is a failure', () => {
  assert.equal(detect('{"ok":true,"result":{"text":"cut of').is, 'success')
  assert.equal(detect('{"kind":"timeout","message":"slow","ok": false,').is, 'failure')
  assert.equal(detect('{"ok":true,"result":{"ok":false,').is, 'failure')
  assert.equal(detect('{"error":"x","retryable":true').is, 'failure')
  for (const before of ['oops ', '', 'Docs: ', '# '])
    for (const quoted of ['{"error":"x","retryable":true}', '{"ok":false}', '"error": and "retryable":']) {
      const text = `${before}${quoted}`
      const isObject = before === '' && quoted.startsWith('{')
      assert.equal(isError(text), isObject, text)
      assert.equal(normalizeResult('t', text).ok, !isObject, text)
    }
  assert.equal(detect('oops {"ok":true}').is, 'neither')
  assert.equal(successPayload('{"ok":true,"result":{"text":"cut of'), undefined)
  assert.equal(detect('\ufeff[REJECTED] no').is, 'failure')
})

test('a failure says its message, else its reason, else all that it is', () => {
  const rows = [
    ['{"error":"weird","reason":"r","retryable":true}', 'r'],
    ['{"error":"weird","message":"m","reason":"r","retryable":true}', 'm'],
    ['{"error":"disk full","retryable":true}', '{"error":"disk full","retryable":true}'],
    ['{"ok":false,"message":5,"reason":"r"}', 'r'],
    ['{"ok":true,"message":"m"}', '{"ok":true,"message":"m"}'],
    ['[TIMEOUT] slow', '[TIMEOUT] slow'],
  ] as const
  for (const [text, said] of rows) assert.equal(failureMessage(text), said)
})

test('`ok` is the object’s own', () => {
  assert.equal(detect('{"__proto__":{"ok":true}}').is, 'neither')
  assert.equal(detect('{"constructor":{"ok":true},"ok":false}').is, 'failure')
})

test('the older forms become failures', () => {
  const rows: [string, string][] = [
    [
      '[REJECTED] by policy',
      '{"kind":"rejected","message":"by policy","ok":false,"retryable":false,"tool":"t"}',
    ],
    [' [TIMEOUT]', '{"kind":"timeout","message":"","ok":false,"retryable":true,"tool":"t"}'],
    [
      '{"error":"invalidArguments","reason":"r","retryable":false}',
      '{"kind":"invalid_args","message":"r","ok":false,"retryable":false,"tool":"t"}',
    ],
    [
      '{"error":"disk full","retryable":true}',
      '{"kind":"execution_error","message":"disk full","ok":false,"retryable":true,"tool":"t"}',
    ],
    [
      '{"error":null,"retryable":1}',
      '{"kind":"execution_error","message":"{\\"error\\":null,\\"retryable\\":1}","ok":false,"retryable":true,"tool":"t"}',
    ],
  ]
  for (const [text, wanted] of rows) assert.equal(serialize(normalizeResult('t', text)), wanted)
})

test('a broken envelope is made whole without losing what it said', () => {
  const rows: [string, string][] = [
    ['{"ok":true}', '{"ok":true,"result":null}'],
    ['{"ok":true,"result":1,"warnings":[]}', '{"ok":true,"result":1}'],
    [
      '{"ok":true,"result":1,"warnings":["a",{"b":1}]}',
      '{"ok":true,"result":1,"warnings":["a","{\\"b\\":1}"]}',
    ],
    ['{"ok":true,"result":1,"warnings":"a"}', '{"ok":true,"result":1,"warnings":["a"]}'],
    ['{"ok":true,"result":1,"took_ms":5}', '{"ok":true,"result":1,"took_ms":5}'],
    ['{"ok":true,"result":1,"tool":"other"}', '{"ok":true,"result":1,"tool":"t"}'],
    ['{"ok":true,"result":1,"tool":5}', '{"ok":true,"result":1,"tool":"t"}'],
    [
      '{"ok":false,"reason":"r"}',
      '{"kind":"execution_error","message":"r","ok":false,"reason":"r","retryable":true}',
    ],
    [
      '{"ok":false,"kind":"odd","message":"m","retryable":"x","tool":"other"}',
      '{"kind":"execution_error","message":"m","ok":false,"reported_kind":"odd","retryable":true,"tool":"t"}',
    ],
    ['{"ok":false}', '{"kind":"execution_error","message":"{\\"ok\\":false}","ok":false,"retryable":true}'],
  ]
  for (const [text, wanted] of rows) assert.equal(serialize(normalizeResult('t', text)), wanted)
})

test('text becomes a text result, JSON does when no caller asks for its value', () => {
  assert.deepEqual(normalizeResult('t', ' a\n'), textSuccess('t', ' a\n'))
  assert.deepEqual(normalizeResult('t', '{"a": 1}'), textSuccess('t', '{"a": 1}'))
  assert.deepEqual(normalizeResult('t', '{"a": 1}', { json: 'value' }), success('t', { a: 1 }))
  assert.deepEqual(normalizeResult('t', 'null', { json: 'value' }), success('t', null))
  assert.deepEqual(normalizeResult('t', 'a', { json: 'value' }), textSuccess('t', 'a'))
})

test('what JSON could not carry is said', () => {
  const note = (text: string) => {
    const made = normalizeResult('t', text)
    return made.ok ? made.warnings : undefined
  }
  assert.equal(note('{"ok":true,"result":9007199254740991}'), undefined)
  assert.deepEqual(note('{"ok":true,"result":9007199254740993,"warnings":["w"]}'), [
    'w',
    'The answer is JSON that readers may understand differently: An integer beyond 2^53-1 is not read alike everywhere.',
  ])
  assert.deepEqual(note('{"ok":true,"result":1,"result":2}'), [
    'The answer is JSON that readers may understand differently: The key "result" appears twice in one object.',
  ])
  assert.match(note('{"ok":true,"result":"cut of')?.join() ?? '', /is no JSON/)
})

test('depth is cut off, where it cannot hurt anybody who walks it', () => {
  // A function that calls itself for each level gives up at some ten thousand.
  const bomb = '['.repeat(40_000) + ']'.repeat(40_000)
  const made = normalizeResult('t', `{"ok":true,"result":${bomb}}`)
  assert.deepEqual(
    made,
    textSuccess(undefined, bomb, ['The result is nested more than 64 levels deep: here it is as text.']),
  )
  const failed = normalizeResult('t', `{"ok":false,"kind":"timeout","message":"m","x":${bomb}}`)
  assert.deepEqual(failed, failure({ kind: 'timeout', message: 'm' }))
  for (const text of [bomb, `{"a":${bomb}}`, '{"ok":true,"result":'.repeat(20_000)]) {
    assert.ok(depthOf(normalizeResult('t', text)) < 10)
    assert.ok(depthOf(normalizeResult('t', text, { json: 'value' })) < 10)
  }
  assert.equal(depthOf(5), 0)
  assert.equal(depthOf([[], { a: {} }]), 3)
})

test('of several things that readers differ about, none is found only the second time', () => {
  const text = '{"ok":true,"result":1E+400,"more":9007199254740992}'
  const once = serialize(normalizeResult('x', text))
  const warnings = (JSON.parse(once) as { warnings: string[] }).warnings
  assert.deepEqual(
    warnings.map(warning => warning.replace(/^.*: /, '')),
    ['The number is too large to hold.', 'An integer beyond 2^53-1 is not read alike everywhere.'],
  )
  assert.equal(serialize(normalizeResult('x', once)), once)
})

test('normalising twice changes nothing, and what comes out fits', () => {
  const hostile = fc.constantFrom(
    '__proto__',
    '\ud800',
    '[REJECTED]',
    '{"ok":true',
    '"',
    '\0',
    '😀',
    '\\',
    'é',
  )
  const texts = fc.oneof(
    fc.string(),
    envelopes.map(serialize),
    fc.tuple(hostile, fc.nat(6_000)).map(([unit, count]) => unit.repeat(count)),
    fc.tuple(hostile, fc.nat(6_000)).map(([unit, count]) => serialize(success('t', [unit.repeat(count)]))),
    fc
      .tuple(hostile, fc.nat(6_000))
      .map(([unit, count]) =>
        serialize({ ...failure({ kind: 'timeout', message: 'm' }), [unit]: unit.repeat(count) }),
      ),
    fc.constantFrom(
      '{"ok":true,"result":{"__proto__":1}}',
      '{"ok":true,"result":"\\ud800"}',
      '{"ok":true,"warnings":[""]}',
    ),
  )
  fc.assert(
    fc.property(texts, fc.constantFrom<'text' | 'value'>('text', 'value'), (text, json) => {
      const options = { maxChars: 3_000, json }
      const once = normalizeResult('t', text, options)
      const written = serialize(once)
      const { text: own, around } = rawOf(once)
      assert.ok(codePointsUpTo(own, own.length) <= 3_200 && around <= 6_000)
      assert.equal(serialize(normalizeResult('t', written, options)), written)
    }),
    { numRuns: runs(300), seed: 9 },
  )
})

test('a long success is cut, and says so', () => {
  const raw = serialize(textSuccess('t', `${'a'.repeat(150_000)}END`, ['w']))
  const made = normalizeResult('t', raw)
  assert.ok(made.ok)
  const { content, ...rest } = made.result as { content: string }
  assert.deepEqual(rest, { kind: 'truncated_output', truncated: true, original_chars: raw.length })
  assert.match(
    content,
    /^a{66666}\n\n\.\.\. \[output truncated — 50003 chars omitted out of 150003 total\] \.\.\.\n\na{33331}END$/,
  )
  assert.deepEqual(
    made.warnings?.map(warning => warning.slice(0, 40)),
    ['w', 'Output exceeded the per-call cap and was'],
  )
  for (const [unit, maxChars] of [
    ['😀', MAX_RESULT_CHARS],
    ...['a', '\n', '"', '\0'].map(unit => [unit, 10_000] as const),
  ] as const) {
    const options = maxChars === MAX_RESULT_CHARS ? {} : { maxChars }
    const text = unit.repeat(maxChars)
    assert.deepEqual(normalizeResult('t', text, options), textSuccess('t', text))
    const longer = normalizeResult('t', `${text}a`, options)
    assert.equal(longer.ok && (longer.result as { original_chars: number }).original_chars, maxChars + 1)
  }
})

test('a long failure stays the failure it was', () => {
  const cause = failure({
    kind: 'timeout',
    message: `${'😀'.repeat(120_000)}END`,
    field: 'f'.repeat(1_000),
    tool: 't',
    retryable: false,
    extra: { trace: 'x'.repeat(1_000) },
  })
  const made = normalizeResult('t', serialize(cause))
  assert.ok(!made.ok)
  assert.deepEqual([made.kind, made.retryable, made.tool, made['truncated']], ['timeout', false, 't', true])
  assert.match(made.message, /^Tool 't' failed and its error output exceeded the per-call cap\./)
  assert.equal(made.field, `${'f'.repeat(200)}…`)
  assert.match(String(made['content']), /END$/)
  assert.ok(String(made['content']).isWellFormed())
  const wide = normalizeResult(
    't',
    serialize(failure({ kind: 'rejected', message: 'no', extra: { trace: 'x'.repeat(200_000) } })),
  )
  assert.match(String((wide as { content?: unknown }).content), /^\{"kind":"rejected","message":"no"/)
})

test('warnings cannot crowd out a result', () => {
  const made = truncateResult('t', success('t', { id: 7 }, ['w'.repeat(200_000), 'short']))
  assert.ok(made.ok)
  assert.deepEqual(made.result, { id: 7 })
  assert.equal(made.warnings?.[0], 'short')
})

test('a small cap counts too, and one of nothing is one of a character', () => {
  for (const [maxChars, head, tail] of [
    [500, 333, 167],
    [3, 2, 1],
    [1, 0, 1],
    [0, 0, 1],
  ] as const) {
    const { ok, result } = truncateResult('t', success('t', 'a'.repeat(1_000)), { maxChars }) as Success
    assert.ok(ok)
    const { content, kind } = result as { content: string; kind: string }
    assert.equal(kind, 'truncated_output')
    const [, first = '', last = ''] = /^(a*)\n\n\.\.\. \[.*\] \.\.\.\n\n(a*)$/.exec(content) ?? []
    assert.deepEqual([first.length, last.length], [head, tail], `${maxChars}`)
  }
  const whole = success('t', 'a'.repeat(500))
  assert.equal(truncateResult('t', whole, { maxChars: 500 }), whole)
  const failed = failure({ kind: 'timeout', message: 'm'.repeat(1_000) })
  const cut = truncateResult('t', failed, { maxChars: 50 })
  assert.ok(!cut.ok && cut.kind === 'timeout' && serialize(cut).length < 1_000)
})

test('truncated text keeps its beginning and its end, and no pair is split', () => {
  assert.deepEqual([MAX_TEXT_CHARS, MAX_STDERR_CHARS, MAX_RESULT_CHARS], [50_000, 10_000, 100_000])
  const units = fc.string({ unit: fc.constantFrom('a', '😀', 'é', '\ud83d', '\ude00'), maxLength: 60 })
  fc.assert(
    fc.property(units, fc.integer({ min: 1, max: 40 }), (text, most) => {
      const made = truncateForModel(text, most)
      const total = [...text].length
      if (total <= most) {
        assert.equal(made, text)
        return
      }
      const head = Math.floor(most * 0.4)
      const characters = [...text]
      const marker = `\n\n... [output truncated — ${total - most} chars omitted out of ${total} total] ...\n\n`
      assert.equal(
        made,
        characters.slice(0, head).join('') + marker + characters.slice(total - (most - head)).join(''),
      )
    }),
    { numRuns: runs(300), seed: 10 },
  )
})

test('half a million characters', () => {
  const long = '😀'.repeat(500_000)
  assert.ok(truncateForModel(long).length < 101_000)
  assert.ok(serialize(normalizeResult('t', long)).length < 2 * MAX_RESULT_CHARS + 1_000)
})

test('results with a kind are counted here, and their kind cannot be replaced', () => {
  const entries = [{ name: 'a', path: 'd/a', type: 'file' as const }]
  assert.equal(
    serialize(listing({ tool: 't', path: 'd', entries })),
    '{"ok":true,"result":{"entries":[{"name":"a","path":"d/a","type":"file"}],"entry_count":1,"kind":"listing","path":"d","truncated":false},"tool":"t"}',
  )
  assert.equal(searchResult({ query: 'q', entries }).result.match_count, 1)
  assert.equal(
    serialize(
      fileContent({ path: 'a', text: '1\n', facts: { kind: 'x', path: 'y', text: 'z', total_lines: 1 } }),
    ),
    '{"ok":true,"result":{"kind":"file","path":"a","text":"1\\n","total_lines":1}}',
  )
})
