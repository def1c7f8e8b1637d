// checkResult, and the command that shows it to the author of a tool.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { checkAgentcliAnswer } from '../../src/agentcli/answer.ts'
import { type CheckedResult, checkResult } from '../../src/contract/check-result.ts'
import { failure, RETRYABLE, serialize, success, textSuccess } from '../../src/contract/envelope.ts'
import { normalizeResult } from '../../src/contract/normalize.ts'
import { fileContent, listing, searchResult } from '../../src/contract/results.ts'
import type { FailureKind } from '../../src/model/error.ts'
import { run } from '../support/fake-terminal.ts'
import { runs } from '../support/runs.ts'

const entries = [{ name: 'a', path: 'd/a', type: 'file' as const }]

test('what the contract’s own functions make has nothing wrong with it', () => {
  const rows: [object, CheckedResult['form']][] = [
    [success('t', { size: 1 }), 'result'],
    [success('t'), 'result'],
    [textSuccess('t', '', ['w']), 'text'],
    [listing({ path: 'd', entries }), 'listing'],
    [searchResult({ query: 'q', entries }), 'search'],
    [fileContent({ path: 'a', text: '' }), 'file'],
    [normalizeResult('t', 'a'.repeat(200_000)), 'truncated_output'],
    ...(Object.keys(RETRYABLE) as FailureKind[]).map((kind): [object, CheckedResult['form']] => [
      failure({ kind, message: 'm', field: 'f' }),
      `failure:${kind}`,
    ]),
  ]
  for (const [envelope, form] of rows) {
    const { result: _result, ...checked } = checkResult(serialize(envelope))
    assert.deepEqual(checked, { form, passed: true, remarks: [] })
  }
})

/** Form, and what is wrong, problems in capitals. */
const looked = (text: string) => {
  const { form, passed, remarks } = checkResult(text)
  assert.equal(
    passed,
    remarks.every(({ weight }) => weight === 'remark'),
  )
  return [form, ...remarks.map(({ weight, message }) => (weight === 'problem' ? `! ${message}` : message))]
}

test('what is wrong with an answer', () => {
  const rows: [string, string[]][] = [
    ['', ['none', '! It is empty']],
    ['done', ['none', '! It is plain text']],
    ['reading…\n{"ok":true,"result":1}', ['none', '! It is text with JSON somewhere in it']],
    ['{"value":1}', ['none', '! It is JSON without "ok", so success and failure look alike']],
    ['[1]', ['none', '! It is JSON without "ok", so success and failure look alike']],
    ['{"ok":true,"result":', ['none', '! It begins like an envelope and is no JSON']],
    ['[TIMEOUT] slow', ['legacy', '! "[TIMEOUT]" at the beginning is the old form of a failure']],
    ['[REJECTED]', ['legacy', '! "[REJECTED]" at the beginning is the old form of a failure']],
    [
      '{"error":"timeout","reason":"r","retryable":true}',
      ['legacy', '! { error, reason, retryable } is the old form of a failure'],
    ],
    ['{"ok":true}', ['result', '! "result" is missing']],
    ['{"ok":true,"result":1,"tool":5}', ['result', '! "tool" is no string']],
    ['{"ok":true,"result":1,"warnings":"w"}', ['result', '! "warnings" is no list of texts']],
    ['{"ok":true,"result":1,"warnings":[]}', ['result', '"warnings" is empty']],
    ['{"extra":1,"more":2,"ok":true,"result":1}', ['result', '! A success has no "extra", "more"']],
    ['{"ok":true,"result":1}\n', ['result']],
    ['{"result":1,"ok":true}', ['result', 'It is not compact JSON with sorted keys']],
    ['{ "ok": true, "result": 1 }', ['result', 'It is not compact JSON with sorted keys']],
    [
      '{"ok":true,"result":1,"result":2}',
      [
        'result',
        '! It is JSON that readers may understand differently: The key "result" appears twice in one object',
      ],
    ],
    [
      '{"ok":true,"result":9007199254740993}',
      [
        'result',
        '! It is JSON that readers may understand differently: An integer beyond 2^53-1 is not read alike everywhere',
      ],
    ],
    [
      '{"ok":false}',
      ['failure', '! "kind" is missing', '! "message" is missing', '! "retryable" is missing'],
    ],
    [
      '{"kind":"time_out","message":"","ok":false,"result":1,"retryable":"yes"}',
      [
        'failure',
        '! "kind" is "time_out"',
        '! "retryable" is no boolean',
        '! A failure has no "result"',
        '"message" is empty',
      ],
    ],
    [
      '{"kind":"rejected","message":"m","ok":false,"retryable":true}',
      ['failure:rejected', '"retryable" is true, and false is usual for rejected'],
    ],
    [
      '{"kind":"invalid_args","message":"m","ok":false,"retryable":true}',
      ['failure:invalid_args', '"field" is missing'],
    ],
    [
      '{"ok":true,"result":{"entries":[{"name":"a","path":"a","type":"dir"}],"entry_count":2,"kind":"listing","path":1}}',
      [
        'listing',
        '! The listing has another type for "path"',
        '! The listing lacks "truncated"',
        '! "entry_count" is 2, and there are 1 entries',
        '! Entry 0 of the listing lacks "name", "path" or "type"',
      ],
    ],
    ['{"ok":true,"result":{"kind":"file","path":"a"}}', ['file', '! The file lacks "text"']],
    ['{"ok":true,"result":{"kind":"constructor"}}', ['result']],
    [
      '{"ok":true,"result":{"exit_code":2,"stderr":"","stdout":""}}',
      ['result', 'It is a success, and "exit_code" is 2'],
    ],
  ]
  for (const [text, wanted] of rows) assert.deepEqual(looked(text), wanted, text)
})

test('every remark names a fix, and says nothing at length, whatever the answer', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .dictionary(
        fc.constantFrom('ok', 'kind', 'result', 'message', 'retryable', 'warnings', 'error', '__proto__'),
        fc.jsonValue(),
      )
      .map(value => JSON.stringify(value)),
    fc
      .dictionary(fc.constantFrom('kind', 'entries', 'path', 'text'), fc.jsonValue())
      .map(result => JSON.stringify({ ok: true, result })),
  )
  fc.assert(
    fc.property(texts, text => {
      for (const { message, fix } of checkResult(text).remarks) {
        assert.ok(message !== '' && fix !== '' && !/\.$/.test(fix))
        assert.ok(message.length < 400)
      }
    }),
    { numRuns: runs(300), seed: 11 },
  )
  const bomb = '['.repeat(60_000) + ']'.repeat(60_000)
  assert.deepEqual(looked(`{"ok":true,"result":${bomb}}`), [
    'result',
    '! It is JSON that readers may understand differently: More than 64 levels of nesting',
    '! It has 120000 characters, and more than 100000 are cut',
  ])
})

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'rlp-check-'))
})
after(() => rmSync(folder, { recursive: true }))

const check = (input: string, ...args: string[]) =>
  run(['tool', 'check-result', ...args], undefined, { cwd: folder, input })
const AGENT = resolve('fixtures/valid/every-transport')

test('the command reads standard input or a file', async () => {
  const good = serialize(success('t', 1))
  assert.deepEqual(await check(good), { exit: 0, stdout: '✓ standard input  a success\n', stderr: '' })
  assert.equal((await check(good, '-')).exit, 0)
  writeFileSync(join(folder, 'a.json'), '[TIMEOUT] slow')
  const { exit, stdout } = await check('', 'a.json')
  assert.equal(exit, 1)
  assert.equal(
    stdout,
    '✗ a.json  a failure in an older form\n  problem "[TIMEOUT]" at the beginning is the old form of a failure\n    fix: Answer failure({ kind: \'timeout\', message })\n',
  )
  assert.equal((await check('', 'nothing.json')).exit, 2)
  const asked = await run(['tool', 'check-result'], undefined, {
    cwd: folder,
    isTTY: { stdin: true, stdout: true, stderr: true },
  })
  assert.equal(asked.exit, 2)
  assert.match(asked.stderr, /Cannot check an answer: none was given/)
})

test('for a program', async () => {
  const { exit, stdout } = await check(
    '{"kind":"timeout","message":"slow","ok":false,"retryable":false}',
    '--json',
  )
  assert.equal(exit, 0)
  assert.deepEqual(JSON.parse(stdout), {
    ok: true,
    tool: 'tool.check-result',
    result: {
      file: '-',
      form: 'failure:timeout',
      passed: true,
      remarks: [
        {
          weight: 'remark',
          message: '"retryable" is false, and true is usual for timeout',
          fix: 'Leave it out of failure() unless it is meant',
        },
      ],
    },
  })
})

test('nothing of an answer steers the terminal', async () => {
  const hostile = '\u001b[2J\u202e'
  for (const text of [
    hostile,
    JSON.stringify({ ok: false, kind: hostile }),
    JSON.stringify({ ok: true, result: 1, [hostile]: 1 }),
  ])
    assert.doesNotMatch((await check(text)).stdout, /[\u001b\u202e]/)
})

test('bytes that are no text', async () => {
  const bytes = (...chunks: number[][]) =>
    run(['tool', 'check-result'], undefined, {
      cwd: folder,
      stdin: async function* () {
        for (const chunk of chunks) yield Uint8Array.from(chunk)
      },
    })
  assert.match((await bytes([0x7b, 0xff])).stdout, /problem The answer is not UTF-8: byte FF/)
  assert.match(
    (await bytes([0xef, 0xbb, 0xbf, 0x7b, 0x7d])).stdout,
    /problem The answer begins with a byte order mark/,
  )
  assert.match((await bytes([0x31, 0])).stdout, /problem The answer holds a NUL byte/)
  assert.match((await bytes([])).stdout, /problem It is empty/)
})

test('the result may have to fit a schema', async () => {
  writeFileSync(
    join(folder, 'schema.json'),
    '{"type":"object","required":["size"],"properties":{"size":{"type":"integer"}}}',
  )
  const fits = await check(serialize(success('t', { size: 1 })), '--schema', 'schema.json')
  assert.deepEqual([fits.exit, fits.stdout], [0, '✓ standard input  a success, and its result fits\n'])
  const misfits = await check(serialize(success('t', { size: 'x' })), '--schema', 'schema.json')
  assert.equal(misfits.exit, 1)
  assert.match(misfits.stdout, /problem The result does not fit schema\.json at size: /)
  const failed = await check(serialize(failure({ kind: 'timeout', message: 'm' })), '--schema', 'schema.json')
  assert.deepEqual([failed.exit, failed.stderr], [0, 'not held against schema.json: there is no result\n'])
  const json = JSON.parse(
    (await check(serialize(success('t', {})), '--schema', 'schema.json', '--json')).stdout,
  )
  assert.deepEqual(json.result.schema, { source: 'schema.json', fits: false })
})

test('or the result_schema of a tool', async () => {
  const against = ['--tool', 'mail.send', '--agent', AGENT]
  const fits = await check(serialize(success('mail.send', { id: 'm1', accepted: 1 })), ...against)
  const misfits = await check(serialize(success('mail.send', { id: 5 })), ...against)
  assert.deepEqual([fits.exit, misfits.exit], [0, 1], fits.stdout + misfits.stdout)
  assert.match(misfits.stdout, /problem The result does not fit result_schema of mail\.send/)
})

test('a schema that cannot be used is the call’s fault', async () => {
  writeFileSync(join(folder, 'no.json'), '{"type":')
  writeFileSync(join(folder, 'list.json'), '[]')
  writeFileSync(join(folder, 'bad.json'), '{"type":"nothing"}')
  const rows: [string[], number, RegExp][] = [
    [['--schema', 'no.json'], 2, /Cannot use the schema in "no\.json": /],
    [['--schema', 'list.json'], 2, /a JSON Schema is an object, true or false/],
    [['--schema', 'bad.json'], 2, /Cannot use the schema in "bad\.json": /],
    [['--schema', 'none.json'], 2, /Cannot read "none\.json"/],
    [['--schema', 'a', '--tool', 'b'], 2, /which of them counts/],
    [['--tool', 'b'], 2, /the agent is missing/],
    [['--agent', AGENT], 2, /the tool is missing/],
    [['--tool', 'b', '--agent', AGENT], 2, /has no such tool/],
    [['--tool', 'b', '--agent', 'nobody'], 2, /Cannot find the agent "nobody"/],
  ]
  for (const [args, exit, message] of rows) {
    const ran = await check('{}', ...args)
    assert.equal(ran.exit, exit, args.join(' '))
    assert.match(ran.stderr, message)
  }
})

describe('a program made for agentcli', () => {
  const ended = async (stdout: string, stderr: string, exit: number, ...more: string[]) => {
    writeFileSync(join(folder, 'err'), stderr)
    return await check(stdout, '--agentcli', '--stderr', 'err', '--exit', String(exit), ...more)
  }

  test('one line of JSON and status 0, or an error on standard error and another status', async () => {
    const good = await ended('{"a":1}\n', '', 0)
    assert.deepEqual([good.exit, good.stdout], [0, '✓ standard input  a success, as agentcli reads it\n'])
    const failed = await ended('', '{"error":"no such zone"}\n', 3)
    assert.deepEqual([failed.exit, failed.stdout], [0, '✓ standard input  a failure, as agentcli reads it\n'])
  })

  const wrong: readonly (readonly [stdout: string, stderr: string, exit: number, message: RegExp])[] = [
    ['', '', 0, /problem The tool printed nothing/],
    ['{}\n{}\n', '', 0, /problem The tool printed more than one line/],
    ['done', '', 0, /problem The tool printed something else than JSON/],
    ['{"error":"x"}', '', 0, /problem It says "error" on standard output and ends with status 0/],
    ['', '', 3, /problem Standard error is empty: the model reads "exit status 3"/],
    ['', 'boom', 1, /problem The tool printed something else than JSON on standard error/],
    ['', '{"message":"x"}', 1, /problem Its line on standard error has no "error"/],
    ['', '{"error":5}', 1, /problem Its line on standard error has no "error"/],
  ]
  for (const [stdout, stderr, exit, message] of wrong)
    test(`refused: ${JSON.stringify([stdout, stderr, exit])}`, async () => {
      const answer = await ended(stdout, stderr, exit)
      assert.equal(answer.exit, 1)
      assert.match(answer.stdout, message)
      assert.match(answer.stdout, /fix: /)
    })

  test('what is only unusual is a remark', async () => {
    const long = await ended(JSON.stringify('x'.repeat(9000)), 'note', 0)
    assert.equal(long.exit, 0)
    assert.match(long.stdout, /remark Standard error is not read/)
    assert.match(long.stdout, /remark The model does not read it: its 9002 bytes/)
    const cut = await ended('x', JSON.stringify({ error: 'x'.repeat(2000) }), 1)
    assert.equal(cut.exit, 0)
    assert.match(cut.stdout, /remark Standard output is not read/)
    assert.match(cut.stdout, /remark Its error is cut after 1000 bytes/)
  })

  test('a program gets what the model reads, and a schema counts', async () => {
    writeFileSync(join(folder, 'number.json'), '{"type":"number"}')
    const answer = await ended('{"a": 1}', '', 0, '--schema', 'number.json', '--json')
    const { result } = JSON.parse(answer.stdout)
    assert.deepEqual(
      [answer.exit, result.form, result.content, result.schema.fits],
      [1, 'agentcli', '{"a": 1}', false],
    )
  })

  test('its options alone are a slip, and whatever it prints there is an answer', async () => {
    assert.equal((await check('{}', '--exit', '3')).exit, 2)
    assert.equal((await check('{}', '--stderr', 'err')).exit, 2)
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.json()), fc.nat(3), (stdout, stderr, exitCode) => {
        const { ok, content, remarks } = checkAgentcliAnswer({ stdout, stderr, exitCode })
        assert.equal(ok, exitCode === 0)
        assert.doesNotMatch(content, /[\r\n]/)
        for (const { message, fix } of remarks) assert.ok(message !== '' && fix !== '')
      }),
    )
  })
})
