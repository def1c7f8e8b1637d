// Programs that read their arguments as agentcli's do are held to what that system asks of them, in calls too; and what a record lowers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_RESULT_CHARS } from '../../src/contract/truncate.ts'
import type { RunOutcome } from '../../src/model/run.ts'
import { answers, FACTS, stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'

const cli = execTool('/opt/clock', [], { id: 'clock', rlp: { stdin: true } })
const file = execTool('/opt/clock', [], { id: 'clock', rlp: { stdin: false } })
const ASKED = ': not what agentcli asks of a program that reads standard input'
const failed = (message: string, remarks: string, exit = 1): RunOutcome => ({
  status: 'failed',
  kind: 'execution_error',
  message,
  isQuoted: true,
  remarks,
  facts: { ...FACTS, exit },
})

describe('a program that reads standard input', () => {
  const notes = async (outcome: RunOutcome, tool = cli) =>
    (await stage({ tools: [tool], outcome }).call('clock')).notes

  const answered: [what: string, output: string, note: string | undefined][] = [
    ['one line of JSON', '{"time":"12:00"}\n', undefined],
    ['text that is JSON', '"noon"\n', undefined],
    ['an envelope on several lines', '{\n  "ok": true,\n  "result": 1\n}\n', undefined],
    ['two lines', '{"time":\n"12:00"}\n', 'The tool printed more than one line'],
    ['prose', 'It is noon.\n', 'The tool printed something else than JSON'],
    ['nothing, which means {}', '', undefined],
    [
      'an error with status 0',
      '{"error":"no clock"}\n',
      'It says "error" on standard output and ends with status 0: that is a success',
    ],
  ]
  for (const [what, output, note] of answered)
    test(`${what}: ${note === undefined ? 'nothing to say' : 'a warning'}`, async () => {
      assert.deepEqual(await notes(answers(output)), note === undefined ? [] : [note + ASKED])
      assert.deepEqual(await notes(answers(output), file), [], 'another tool promises nothing of the kind')
    })

  test('the warning reaches the caller, and the answer stays', async () => {
    const envelope = await stage({ tools: [cli], outcome: answers('It is noon.\n') }).envelope('clock')
    assert.ok(envelope.ok)
    assert.deepEqual(envelope.warnings, [`The tool printed something else than JSON${ASKED}`])
  })

  const failures: [what: string, stderr: string, note: string | undefined][] = [
    ['an error', '{"error":"no clock"}\n', undefined],
    ['prose', 'no clock\n', 'The tool printed something else than JSON on standard error'],
    ['no text', '{"error":5}\n', 'Its line on standard error has no "error" with a text'],
    ['nothing', '', 'Standard error is empty: the model reads "exit status 1"'],
  ]
  for (const [what, stderr, note] of failures)
    test(`a failure with ${what} on standard error: ${note === undefined ? 'nothing to say' : 'a warning'}`, async () => {
      assert.deepEqual(await notes(failed('no clock', stderr)), note === undefined ? [] : [note + ASKED])
      assert.deepEqual(await notes(failed('no clock', stderr), file), [])
    })

  test('one that was ended did not choose its words', async () => {
    assert.deepEqual(await notes(failed('killed', '', -1)), [])
  })
})

describe('max_inline_chars of a record', () => {
  const chars = async (limit: number | undefined, resultChars?: number) => {
    const record = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'clock', max_inline_chars: limit }
    const here = stage({
      tools: [file],
      outcome: answers(JSON.stringify('x'.repeat(MAX_RESULT_CHARS * 3))),
      files: { 'interfaces.json': [record] },
      ...(resultChars !== undefined && { limits: { resultChars } }),
    })
    return JSON.stringify(await here.envelope('clock')).length
  }

  test('shortens an answer, and never lengthens one', async () => {
    const whole = await chars(undefined)
    assert.ok(whole > MAX_RESULT_CHARS / 2, `${whole}`)
    const short = await chars(2000)
    assert.ok(short < 3000 && short > 1000, `${short}`)
    const shortest = await chars(50)
    assert.ok(shortest < 600, `${shortest}`)
    assert.equal(await chars(MAX_RESULT_CHARS * 2), whole)
    // The lower of the two counts, whatever says it.
    assert.equal(await chars(9000, 2000), short)
    assert.equal(await chars(2000, 9000), short)
  })
})
