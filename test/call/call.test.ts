// One call, step by step: what comes before what, and that every outcome is an envelope.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { auditOf } from '../../src/call/session.ts'
import type { Failure } from '../../src/contract/envelope.ts'
import { serialize } from '../../src/contract/serialize.ts'
import type { RunOutcome } from '../../src/model/run.ts'
import { anyText } from '../support/any-text.ts'
import { answers, FACTS, stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'
import { runs } from '../support/runs.ts'

const INPUT = {
  type: 'object',
  properties: { to: { type: 'string', pattern: '^[a-z@.]+$' }, count: { type: 'integer' } },
  required: ['to'],
  additionalProperties: false,
}
const SECRET = 'c4nary-value/with+signs'
const send = execTool('/bin/mail', [], {
  id: 'mail.send',
  inputSchema: INPUT,
  resultSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  secrets: ['runloop/mail/key'],
  requiresConfirmation: true,
})
const plain = execTool('/bin/plain', [], { id: 'plain' })

function failed(envelope: unknown): Failure {
  assert.equal((envelope as Failure).ok, false, serialize(envelope))
  return envelope as Failure
}

describe('the order of the steps', () => {
  const everything = { tools: [send], secrets: { 'runloop/mail/key': SECRET }, outcome: answers('{"id":7}') }

  test('plan, ask, secrets, start, run', async () => {
    const here = stage(everything)
    const record = await here.call('mail.send', { to: 'a@b.c', count: '3' })
    assert.deepEqual(record.envelope, { ok: true, result: { id: 7 }, tool: 'mail.send' })
    assert.deepEqual(here.log, ['plan', 'ask', 'secret runloop/mail/key', 'start', 'run'])
    const [request] = here.requests
    // What was mended is what is run, and what a person was asked about.
    assert.deepEqual([request?.input, request?.text], [{ to: 'a@b.c', count: 3 }, '{"count":3,"to":"a@b.c"}'])
    assert.deepEqual(here.questions[0]?.arguments, { to: 'a@b.c', count: 3 })
    assert.equal(request?.secrets.get('runloop/mail/key'), SECRET)
    assert.deepEqual(
      [record.callId, record.attempt, record.durationMs, record.agent.bundle],
      ['c1', 1, 100, 'ab'.repeat(32)],
    )
    assert.deepEqual(record.arguments, { to: 'a@b.c', count: 3 }, 'recorded as they were sent')
  })

  const stops: readonly (readonly [
    what: string,
    change: object,
    args: unknown,
    kind: string,
    reason: string | undefined,
    log: string[],
  ])[] = [
    ['arguments that do not fit', {}, { to: 'A' }, 'invalid_args', undefined, []],
    ['arguments that are no object', {}, '[1]', 'invalid_args', undefined, []],
    ['arguments that are no JSON', {}, '{', 'invalid_args', undefined, []],
    [
      'values that cannot be filled in',
      { refusal: { kind: 'invalid_args', message: 'no', field: 'to' } },
      { to: 'a' },
      'invalid_args',
      undefined,
      ['plan'],
    ],
    ['a no', { decision: 'declined' }, { to: 'a' }, 'user_denied', 'declined', ['plan', 'ask']],
    [
      'no person to ask',
      { decision: 'nobody' },
      { to: 'a' },
      'user_denied',
      'nobody_to_ask',
      ['plan', 'ask'],
    ],
    [
      'a question that was given up',
      { decision: 'cancelled' },
      { to: 'a' },
      'execution_error',
      undefined,
      ['plan', 'ask'],
    ],
    [
      'a secret that is not there',
      { secrets: {} },
      { to: 'a' },
      'unavailable',
      'secret_unknown',
      ['plan', 'ask', 'secret runloop/mail/key'],
    ],
  ]
  for (const [what, change, args, kind, reason, log] of stops) {
    test(`${what}: nothing behind it happens`, async () => {
      const here = stage({ ...everything, ...change })
      const record = await here.call('mail.send', args)
      const failure = failed(record.envelope)
      assert.deepEqual([failure.kind, failure['reason'], failure.tool], [kind, reason, 'mail.send'])
      assert.deepEqual(here.log, log)
      assert.equal(record.facts, undefined)
    })
  }

  test('a call that was given up before it began', async () => {
    const here = stage(everything)
    const { envelope } = await here.call('mail.send', { to: 'a' }, { signal: AbortSignal.abort() })
    assert.deepEqual(
      [failed(envelope).message, failed(envelope).retryable],
      ["Tool 'mail.send' was cancelled.", false],
    )
    assert.deepEqual(here.log, ['plan'])
  })
})

describe('finding the tool', () => {
  test('one that is not there, in the contract’s words and without suggestions', async () => {
    const failure = failed(await stage({ tools: [send] }).envelope('mail.sent'))
    assert.equal(
      serialize(failure),
      '{"kind":"tool_not_found","message":"Tool \'mail.sent\' is not available in this session.","ok":false,"retryable":false,"tool":"mail.sent"}',
    )
  })
  test('one that is not granted what it needs: the reason word', async () => {
    const denied = [
      {
        id: 'mail.send',
        capability: 'net:api.mail.example:443',
        reason: 'host_not_permitted',
        by: 'policy.caps',
      } as const,
    ]
    const here = stage({ tools: [], denied })
    const failure = failed(await here.envelope('mail.send', { to: 1 }))
    assert.deepEqual(
      [failure.kind, failure['reason'], failure['capability'], failure['by'], failure.retryable],
      ['rejected', 'host_not_permitted', 'net:api.mail.example:443', 'policy.caps', false],
    )
    assert.deepEqual(here.log, [])
  })
  test('names that every object has are no tools', async () => {
    for (const id of ['constructor', '__proto__', 'toString', ''])
      assert.equal(failed(await stage({ tools: [send] }).envelope(id)).kind, 'tool_not_found')
  })
  test('a transport that nothing here runs, and schemas that cannot be used', async () => {
    const http = {
      ...plain,
      transport: { kind: 'http', method: 'GET', url: 'https://x.example/', headers: {} },
    } as const
    assert.deepEqual(failed(await stage({ tools: [http] }).envelope('plain')).kind, 'unavailable')
    const broken = { ...plain, resultSchema: { type: 'nothing' } }
    const here = stage({ tools: [broken] })
    const failure = failed(await here.envelope('plain'))
    assert.match(failure.message, /its result_schema cannot be used/)
    assert.deepEqual([failure.kind, failure.retryable, here.log], ['unavailable', false, []])
  })
})

describe('arguments', () => {
  const strict = (inputSchema: object, more: object = {}) =>
    execTool('/bin/plain', [], { id: 'plain', inputSchema: inputSchema as never, ...more })

  test('are held against all of the schema, not only what the preflight knows', async () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' } },
      not: { required: ['n'], properties: { n: { const: 13 } } },
    }
    const here = stage({ tools: [strict(schema)] })
    assert.equal(failed(await here.envelope('plain', { n: 13 })).kind, 'invalid_args')
    assert.equal((await here.envelope('plain', { n: 12 })).ok, true)
    assert.equal(here.requests.length, 1)
  })
  test('name the place', async () => {
    const schema = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'object', dependentRequired: { a: ['b'] } } } },
    }
    const failure = failed(
      await stage({ tools: [strict(schema)] }).envelope('plain', { list: [{}, { a: 1 }] }),
    )
    assert.equal(failure.field, 'list[1]')
  })
  test('behind references: in the tool, in the bundle, and one to what is not there', async () => {
    const closed = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false }
    const places = [
      strict({ $ref: 'schema:in.v1' }, { schemaRefs: { 'in.v1': closed } }),
      strict({ $ref: 'schema:file.v1#/$defs/args' }),
      strict({ $ref: 'schema:alias#/$defs/args' }, { schemaRefs: { alias: 'file.v1' } }),
      strict({ $ref: 'schemas/file.v1.json#/$defs/args' }),
      strict({ $ref: '#/$defs/args', $defs: { args: closed } }),
      strict({
        type: 'object',
        properties: { n: { $ref: 'schemas/file.v1.json#/$defs/args/properties/n' } },
        additionalProperties: false,
      }),
    ]
    for (const tool of places) {
      const here = stage({ tools: [tool], files: { 'schemas/file.v1.json': { $defs: { args: closed } } } })
      assert.equal((await here.envelope('plain', { n: '5' })).ok, true)
      assert.deepEqual(here.requests[0]?.input, { n: 5 }, 'mended behind the reference')
      assert.equal(failed(await here.envelope('plain', { m: 1 })).kind, 'invalid_args')
    }
    const unknown = await stage({ tools: [strict({ $ref: 'schema:elsewhere.v1' })] }).envelope('plain', {
      any: 1,
    })
    assert.match(
      unknown.ok ? (unknown.warnings?.join() ?? '') : '',
      /input_schema names schema:elsewhere\.v1/,
    )
  })
  test('keep their bytes when nothing has to be mended', async () => {
    const here = stage({ tools: [plain] })
    await here.call('plain', '{ "b":1.50,\n"a": "\\u0041" }')
    assert.equal(here.requests[0]?.text, '{ "b":1.50,\n"a": "\\u0041" }')
  })
})

describe('time limits', () => {
  const limit = async (timeoutMs: number | undefined, given?: number) => {
    const here = stage({
      tools: [execTool('/bin/plain', [], { id: 'plain', rlp: { timeoutMs } })],
      limits: given === undefined ? {} : { timeoutMs: given },
    })
    await here.call('plain')
    return here.requests[0]?.limits.timeoutMs
  }
  test('the caller’s, else the tool’s, else 30 seconds', async () => {
    assert.deepEqual(
      [await limit(undefined), await limit(5), await limit(5, 70), await limit(undefined, 70)],
      [30_000, 5, 70, 70],
    )
  })
})

describe('answers', () => {
  const resultSchema = {
    type: 'object',
    properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['id'],
  }
  const tool = execTool('/bin/plain', [], { id: 'plain', resultSchema })
  const answer = (output: string, facts = {}) =>
    stage({ tools: [tool], outcome: answers(output, facts) }).envelope('plain')

  test('JSON is the result, an envelope is an envelope, anything else is text', async () => {
    assert.deepEqual(await answer('{"id":1}\n'), { ok: true, result: { id: 1 }, tool: 'plain' })
    assert.deepEqual(await answer('{"ok":true,"result":{"id":1},"warnings":["slow"]}'), {
      ok: true,
      result: { id: 1 },
      tool: 'plain',
      warnings: ['slow'],
    })
    const text = await stage({ tools: [plain], outcome: answers('three lines\n') }).envelope('plain')
    assert.deepEqual(text, { ok: true, result: { text: 'three lines\n' }, tool: 'plain' })
  })
  test('a failure of the tool’s own passes, under the tool’s own name', async () => {
    const failure = failed(
      await answer(
        '{"ok":false,"kind":"not_found","message":"no draft","retryable":false,"tool":"other","field":"id"}',
      ),
    )
    assert.deepEqual(
      [failure.kind, failure.message, failure.field, failure.tool],
      ['not_found', 'no draft', 'id', 'plain'],
    )
  })
  const wrong: readonly (readonly [output: string, field: string])[] = [
    ['{"id":"seven"}', 'result.id'],
    ['{}', 'result'],
    ['{"id":1,"tags":["a",2]}', 'result.tags[1]'],
    ['not json', 'result'],
    ['', 'result'],
  ]
  for (const [output, field] of wrong) {
    test(`what does not fit result_schema: ${output || 'nothing'}`, async () => {
      const failure = failed(await answer(output))
      assert.deepEqual(
        [failure.kind, failure.field, failure.retryable, failure['reason']],
        ['execution_error', field, false, 'result_schema'],
      )
      // What it answered is there, as a call would have handed it on.
      const shown = output.startsWith('{') ? output : JSON.stringify({ text: output })
      assert.equal(failure['answered'], shown)
    })
  }
  test('the whole result is held against the schema, and only then shortened', async () => {
    const long = JSON.stringify({ id: 1, tags: Array.from({ length: 30_000 }, () => 'tag') })
    const envelope = await answer(long)
    assert.ok(envelope.ok)
    assert.equal((envelope.result as { kind: string }).kind, 'truncated_output')
    assert.match(envelope.warnings?.join() ?? '', /truncated/)
    assert.ok(serialize((envelope.result as { content: unknown }).content).length <= 150_000)
  })
  test('what was cut is said, also where it makes the result unfit', async () => {
    const notices = ['The tool printed 99 bytes, of which the first 9 were read']
    assert.match(failed(await answer('{"id":1,"t', { notices })).message, /of which the first 9/)
    const text = await stage({ tools: [plain], outcome: answers('abc', { notices }) }).envelope('plain')
    assert.deepEqual(text.ok && text.warnings, notices)
  })
  test('whatever a tool prints, there is an envelope, and it can be written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyText(),
          fc.json(),
          fc.constantFrom('['.repeat(5000), '{"ok":true}', '{"ok":false}', '[REJECTED] no'),
        ),
        async output => {
          const envelope = await stage({ tools: [plain], outcome: answers(output) }).envelope('plain')
          assert.equal(JSON.parse(serialize(envelope)).tool, 'plain')
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

describe('failures of the run', () => {
  const fail = (outcome: Partial<Extract<RunOutcome, { status: 'failed' }>>) =>
    stage({
      tools: [plain],
      outcome: { status: 'failed', kind: 'execution_error', message: 'no', facts: FACTS, ...outcome },
    }).envelope('plain')
  test('keep their kind, and what is said beside it', async () => {
    const failure = failed(
      await fail({ kind: 'timeout', message: 'late', extra: { exit: 3, kind: 'rejected' } }),
    )
    assert.deepEqual(
      [failure.kind, failure.message, failure.retryable, failure['exit']],
      ['timeout', 'late', true, 3],
    )
  })
  test('a long standard error keeps its beginning and its end', async () => {
    const { message } = failed(await fail({ message: `first ${'x'.repeat(60_000)} last` }))
    assert.ok(message.length < 10_200 && message.startsWith('first') && message.endsWith('last'))
  })
})

describe('budgets', () => {
  const tool = (budget: object) => execTool('/bin/plain', [], { id: 'plain', budget })
  const spending = (usage: unknown) => answers(JSON.stringify({ ok: true, result: 1, usage }))

  test('a tool that has used up what it may is not called again in this run', async () => {
    const here = stage({ tools: [tool({ tokens: 100 })], outcome: spending({ tokens: 60 }) })
    assert.deepEqual(await here.envelope('plain'), { ok: true, result: 1, tool: 'plain' })
    const second = await here.envelope('plain')
    assert.match(second.ok ? (second.warnings?.join() ?? '') : '', /has used 120 of 100 tokens/)
    const third = failed(await here.envelope('plain'))
    assert.deepEqual(
      [third.kind, third['reason'], third['budget'], third['spent'], third['limit']],
      ['rejected', 'budget_exceeded', 'tokens', 120, 100],
    )
    assert.equal(here.requests.length, 2)
  })
  test('failures cost too, dollars count like tokens, and other tools have their own', async () => {
    const other = { ...plain, id: 'other', budget: { usd: 1 } }
    const failure = answers(
      JSON.stringify({
        ok: false,
        kind: 'execution_error',
        message: 'x',
        retryable: true,
        usage: { usd: 0.5 },
      }),
    )
    const here = stage({ tools: [tool({ usd: 0.5 }), other], outcome: failure })
    assert.equal(failed(await here.envelope('plain')).kind, 'execution_error')
    assert.equal(failed(await here.envelope('plain'))['reason'], 'budget_exceeded')
    assert.equal(failed(await here.envelope('other')).kind, 'execution_error')
  })
  test('a budget of nothing allows nothing', async () => {
    assert.equal(
      failed(await stage({ tools: [tool({ tokens: 0 })] }).envelope('plain'))['reason'],
      'budget_exceeded',
    )
  })
  test('what cannot be counted buys nothing, and is said', async () => {
    for (const usage of [{ tokens: -100 }, { tokens: '5' }, { usd: null }, 7, [], null]) {
      const here = stage({ tools: [tool({ tokens: 100 })], outcome: spending(usage) })
      const envelope = await here.envelope('plain')
      const said = envelope.ok ? (envelope.warnings?.join() ?? '') : ''
      assert.match(said, /usage that cannot be counted/, JSON.stringify(usage))
    }
  })
})

describe('secrets stay inside', () => {
  const secrets = { 'runloop/mail/key': SECRET }
  const tool = execTool('/bin/plain', [], { id: 'plain', secrets: ['runloop/mail/key'] })
  const base64 = Buffer.from(`user:${SECRET}`).toString('base64')
  const hidden = (what: unknown) => {
    const text = serialize(what)
    for (const form of [
      'c4nary',
      encodeURIComponent(SECRET),
      base64.slice(8, 24),
      Buffer.from(SECRET).toString('hex'),
    ])
      assert.ok(!text.includes(form), `${form} is in ${text.slice(0, 300)}`)
  }
  const spilt = JSON.stringify({
    a: SECRET,
    [SECRET]: 1,
    b: [encodeURIComponent(SECRET), base64],
    c: `\\u0063${SECRET.slice(1)}`,
  })

  test('in results, texts, failures, warnings, remarks, arguments and facts', async () => {
    const outcomes: RunOutcome[] = [
      answers(spilt),
      answers(`text ${SECRET}`),
      answers(JSON.stringify({ ok: true, result: 1, warnings: [`key ${SECRET}`] })),
      answers(
        JSON.stringify({
          ok: false,
          kind: 'execution_error',
          message: SECRET,
          retryable: true,
          field: SECRET,
          extra: { deep: [SECRET] },
        }),
      ),
      {
        status: 'failed',
        kind: 'execution_error',
        message: `x ${spilt}`,
        extra: { detail: [SECRET] },
        remarks: spilt,
        facts: { ...FACTS, notices: [SECRET], argv: ['/bin/x', SECRET], cwd: `/${SECRET}` },
      },
    ]
    for (const outcome of outcomes) {
      const here = stage({ tools: [tool], secrets, outcome })
      const record = await here.call('plain', { token: SECRET })
      const { agent: _, tool: __, ...rest } = record
      hidden(rest)
      hidden(auditOf(record, text => text))
      assert.equal(
        record.envelope.ok,
        outcome.status === 'answered' && !outcome.output.includes('"ok":false'),
      )
    }
  })
  test('where an output or an error was cut in the middle of one', async () => {
    const output = `${'x'.repeat(50)}${SECRET}`.slice(0, 60)
    const cut = answers(output, { outputBytes: 1000, truncated: true })
    hidden(
      (await stage({ tools: [tool], secrets, outcome: cut, limits: { outputBytes: 60 } }).call('plain'))
        .envelope,
    )
    const error: RunOutcome = {
      status: 'failed',
      kind: 'execution_error',
      message: output,
      remarks: output,
      facts: { ...FACTS, errorBytes: 1000 },
    }
    const record = await stage({ tools: [tool], secrets, outcome: error, limits: { errorBytes: 60 } }).call(
      'plain',
    )
    hidden([record.envelope, record.remarks])
  })
  test('where a message is shortened around one, and where a schema quotes a value', async () => {
    const message = `${'x'.repeat(3_990)}${SECRET}${'y'.repeat(60_000)}`
    const error: RunOutcome = { status: 'failed', kind: 'execution_error', message, facts: FACTS }
    hidden((await stage({ tools: [tool], secrets, outcome: error }).call('plain')).envelope)
    const picky = { ...tool, resultSchema: { enum: ['a', 'b'] } }
    hidden(
      (
        await stage({
          tools: [picky],
          secrets,
          outcome: answers(JSON.stringify(`${'z'.repeat(45)}${SECRET}`)),
        }).call('plain')
      ).envelope,
    )
  })
  test('of an earlier call, in the answer of another tool', async () => {
    const here = stage({ tools: [tool, { ...plain, id: 'other' }], secrets, outcome: answers(spilt) })
    await here.call('plain')
    hidden((await here.call('other', { x: SECRET })).envelope)
  })
  test('and do not change what an envelope says', async () => {
    const named = { 'runloop/mail/key': 'plain' }
    const { envelope } = await stage({ tools: [tool], secrets: named, outcome: answers('"plain"') }).call(
      'plain',
    )
    assert.deepEqual(envelope, { ok: true, result: '***REDACTED***', tool: 'plain' })
  })
})

describe('the audit line', () => {
  test('of a call that ran: the keys of agentcli in their order', async () => {
    const outcome = answers('{}', {
      argv: ['/bin/plain', '/tmp/x'],
      cwd: '/tmp',
      truncated: true,
      errorBytes: 3,
    })
    const record = await stage({ tools: [plain], outcome }).call('plain')
    assert.equal(
      auditOf(record, text => text.replace('/tmp/x', 'X')),
      '{"ts":"2026-11-20T12:00:00.2Z","tool":"plain","argv":["/bin/plain","X"],"cwd":"/tmp","exit":0,"ms":5,"stdoutBytes":2,"stderrBytes":3,"truncated":true,"envKeys":["TZ"],"enforced":{"by":"none","files":"none","network":"none","exec":"none","limits":"none"}}\n',
    )
  })
  test('of one that did not: the event', async () => {
    const denied = [{ id: 'x', capability: 'exec:/bin/x', reason: 'cap_missing', by: undefined } as const]
    const here = stage({ tools: [send], denied })
    const line = async (tool: string, args: unknown) =>
      JSON.parse(auditOf(await here.call(tool, args), text => text))
    const lines = [
      await line('x', {}),
      await line('nope', {}),
      await line('mail.send', { to: 'a' }),
      await line('mail.send', {}),
    ]
    assert.deepEqual(
      lines.map(({ event, tool }) => [event, tool]),
      [
        ['cap_denied', 'x'],
        ['tool_not_found', 'nope'],
        ['cap_denied', 'mail.send'],
        ['invalid_args', 'mail.send'],
      ],
    )
    assert.equal(lines[0].error, 'exec:/bin/x (cap_missing)')
    assert.match(lines[2].error, /^secret#[0-9a-f]{64} \(secret_unknown\)$/)
  })
})
