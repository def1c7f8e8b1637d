// `tool serve` in the hands of a client that floods, deceives and leaves: what is served stays bounded, and every call has an envelope.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CallRecord } from '../../src/call/context.ts'
import { serveMcp } from '../../src/call/mcp-server.ts'
import { PendingCalls } from '../../src/call/methods/method.ts'
import type { Answer, Caller, Served } from '../../src/call/served.ts'
import { namesOf, type ServedBundle, serving } from '../../src/call/served-bundles.ts'
import type { CallSession } from '../../src/call/session.ts'
import { type Failure, type Success, success } from '../../src/contract/envelope.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Tool } from '../../src/model/tools.ts'
import { answers, type StageOptions, stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'
import { Pipe } from '../support/mcp.ts'

const plain = execTool('/bin/plain', [], { id: 'plain' })

interface Options extends Omit<StageOptions, 'tools'> {
  readonly tools?: readonly Tool[]
  readonly isSafe?: boolean
  readonly onStart?: () => Promise<void>
  readonly record?: (record: CallRecord) => Promise<RlpError | undefined>
}

/** Tools as `tool serve` has them, without a process and without a bundle on disk. */
function serve({ tools = [plain], isSafe = false, onStart, record, ...options }: Options = {}) {
  const here = stage({ tools, ...options })
  const context = onStart === undefined ? here.context : { ...here.context, onStart }
  const records: CallRecord[] = []
  const trouble: string[] = []
  const bundle: ServedBundle = {
    target: { path: '/x', label: 'x', reference: undefined } as never,
    agent: 'mini',
    opened: context.agent,
    entries: tools.map(tool => ({
      tool,
      listed: { name: tool.id, description: '', inputSchema: { type: 'object' } },
      isConcurrencySafe: isSafe,
    })),
    now: async () => ({ is: 'open', target: {} as never, agent: context.agent, isTrusted: true }),
  }
  let count = 0
  const session: CallSession = {
    contextFor: () => context,
    newCallId: () => `c${count++}`,
    record: async one => {
      records.push(one)
      return await record?.(one)
    },
    close: async () => {},
  }
  const served: Served = serving(() => namesOf([bundle], false), session, {
    yes: true,
    trustClientConfirmation: false,
    trouble: message => trouble.push(message),
  })
  return { ...here, served, records, trouble }
}

function caller(signal: AbortSignal = new AbortController().signal): Caller {
  return { signal, confirm: async () => undefined, progress: () => {} }
}

async function envelope(answer: Promise<Answer | undefined>): Promise<Success | Failure> {
  const given = await answer
  assert.ok(given)
  return given.envelope
}

describe('a call that goes wrong inside of rlp', () => {
  const inside = {
    ok: false,
    kind: 'execution_error',
    retryable: false,
    tool: 'plain',
    message: "Tool 'plain' could not be called: rlp says why on its standard error.",
  }
  test('is answered like any other, and the next one too', async () => {
    let isBroken = true
    const { served, trouble } = serve({
      outcome: () => {
        if (isBroken) throw new TypeError('no such thing')
        return answers('1')
      },
    })
    assert.deepEqual(await envelope(served.call('plain', '{}', caller())), inside)
    assert.match(trouble.join(), /^plain could not be called: TypeError: no such thing$/)
    isBroken = false
    assert.equal((await envelope(served.call('plain', '{}', caller()))).ok, true)
  })
  test('with nothing run where it cannot be recorded that it begins', async () => {
    const onStart = () => Promise.reject(new RlpError('IO', 'Cannot write to "t": no space'))
    const { served, trouble, requests } = serve({ onStart })
    assert.deepEqual(await envelope(served.call('plain', '{}', caller())), inside)
    assert.deepEqual(
      [requests.length, trouble],
      [0, ['plain could not be called: Cannot write to "t": no space']],
    )
  })
  test('its answer is not lost where it cannot be recorded what it was', async () => {
    const record = async () => new RlpError('IO', 'Cannot write to "t": no space')
    const { served, trouble } = serve({ record, outcome: answers('7') })
    assert.deepEqual(await envelope(served.call('plain', '{}', caller())), {
      ok: true,
      result: 7,
      tool: 'plain',
    })
    assert.deepEqual(trouble, ['a call of plain was not recorded: Cannot write to "t": no space'])
  })
  test('says no secret on standard error', async () => {
    const tool = { ...plain, secrets: ['runloop/mail/key'] }
    const { served, trouble } = serve({
      tools: [tool],
      secrets: { 'runloop/mail/key': 'canary-value' },
      outcome: () => {
        throw new TypeError('the canary-value is no number')
      },
    })
    await served.call('plain', '{}', caller())
    assert.deepEqual(trouble, ['plain could not be called: TypeError: the ***REDACTED*** is no number'])
  })
})

describe('budgets', () => {
  test('hold for calls that come together', async () => {
    const tool = execTool('/bin/plain', [], { id: 'plain', budget: { tokens: 10 } })
    const outcome = async () => {
      await new Promise(setImmediate)
      return answers('{"ok":true,"result":1,"usage":{"tokens":10}}')
    }
    const { served, requests } = serve({ tools: [tool], isSafe: true, outcome })
    const all = await Promise.all(
      Array.from({ length: 5 }, () => envelope(served.call('plain', '{}', caller()))),
    )
    assert.deepEqual(
      all.map(one => (one.ok ? 'ok' : one['reason'])),
      ['ok', ...Array.from({ length: 4 }, () => 'budget_exceeded')],
    )
    assert.equal(requests.length, 1)
  })
  test('positive control: without one, calls that may overlap do', async () => {
    let running = 0
    let most = 0
    const outcome = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return answers('1')
    }
    const { served } = serve({ isSafe: true, outcome })
    await Promise.all(Array.from({ length: 5 }, () => served.call('plain', '{}', caller())))
    assert.equal(most, 5)
  })
})

describe('more than can be done', () => {
  /** Calls that run until they are let go. */
  function held(options: Options) {
    let running = 0
    let most = 0
    let letGo = () => {}
    const gate = new Promise<void>(resolve => {
      letGo = resolve
    })
    const outcome = async () => {
      most = Math.max(most, ++running)
      await gate
      running--
      return answers('1')
    }
    return { ...serve({ ...options, outcome }), letGo, most: () => most }
  }

  test('so many calls are under way at once, the others wait', async () => {
    const { served, letGo, most } = held({ isSafe: true })
    const all = Array.from({ length: 40 }, () => served.call('plain', '{}', caller()))
    await new Promise(setImmediate)
    letGo()
    await Promise.all(all)
    assert.equal(most(), 16)
  })
  for (const [what, options] of [
    ['for its turn', {}],
    ['for its tool’s budget', { isSafe: true, tools: [{ ...plain, budget: { tokens: 9 } }] }],
  ] satisfies [string, Options][])
    test(`a call that is given up while it waits ${what} is answered at once, and runs nothing`, async () => {
      const { served, letGo, requests } = held(options)
      const first = served.call('plain', '{}', caller())
      const stop = new AbortController()
      const second = served.call('plain', '{}', caller(stop.signal))
      await new Promise(setImmediate)
      stop.abort()
      const given = await envelope(second)
      assert.equal(given.ok ? '' : given.message, "Tool 'plain' was cancelled.")
      letGo()
      assert.equal((await envelope(first)).ok, true)
      assert.equal((await envelope(served.call('plain', '{}', caller()))).ok, true)
      assert.equal(requests.length, 2)
    })
})

describe('the protocol', () => {
  /** A server of one tool, and a client without manners. */
  function connect(call: Served['call']) {
    const [up, down] = [new Pipe(), new Pipe()]
    const said: { id?: number; method?: string; result?: never; error?: never }[] = []
    const output = (text: string) => {
      said.push(JSON.parse(text))
      down.write(text)
    }
    const served: Served = { list: async () => [], call }
    const stop = new AbortController()
    const streams = { input: up, output, signal: stop.signal, trouble: () => {} }
    const ended = serveMcp(served, { name: 'rlp', version: '1', instructions: undefined }, streams)
    const send = (message: object) => up.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const ask = (id: number, params: object, method = 'tools/call') => send({ id, method, params })
    const settle = async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    }
    return { up, ended, said, send, ask, settle, stop }
  }
  const textOf = (message: object | undefined) => JSON.stringify(message)

  test('two calls under one name both end with the connection, which waits for them', async () => {
    const ends: string[] = []
    const { ended, ask, settle, stop } = connect(async (_, text, { signal }) => {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      await new Promise(setImmediate)
      ends.push(text)
      return { envelope: success('x') }
    })
    ask(7, { name: 'x', arguments: { n: 1 } })
    ask(7, { name: 'x', arguments: { n: 2 } })
    await settle()
    stop.abort()
    await ended
    assert.deepEqual(ends.sort(), ['{"n":1}', '{"n":2}'])
  })

  test('a flood is turned away, and what was there before is answered', async () => {
    let letGo = () => {}
    const gate = new Promise<void>(resolve => {
      letGo = resolve
    })
    const { up, ended, said, ask, settle } = connect(async () => {
      await gate
      return { envelope: success('x') }
    })
    for (let id = 1; id <= 150; id++) ask(id, { name: 'x', _meta: { progressToken: 1 } })
    ask(151, {}, 'tools/list')
    await settle()
    assert.deepEqual(
      said.map(({ id }) => id).sort((a = 0, b = 0) => a - b),
      Array.from({ length: 51 }, (_, index) => index + 101),
    )
    assert.match(textOf(said.find(({ id }) => id === 101)), /"kind\\":\\"unavailable\\"/)
    assert.match(textOf(said.find(({ id }) => id === 151)), /"code":-32603/)
    letGo()
    await settle()
    assert.equal(said.length, 151)
    ask(152, { name: 'x' })
    await settle()
    assert.match(textOf(said.at(-1)), /"id":152|ok/)
    up.end()
    await ended
  })

  test('arguments of many calls have a bound together, those of one alone do not', async () => {
    const { signal } = new AbortController()
    const pending = new PendingCalls(10, 100)
    const ends: string[] = []
    const take = (name: string, chars: number) =>
      pending.take(chars, signal, async own => {
        await new Promise(resolve => own.addEventListener('abort', resolve))
        ends.push(name)
      }) !== undefined
    assert.deepEqual([take('long', 1000), take('next', 1)], [true, false])
    await pending.end()
    assert.deepEqual([take('a', 60), take('b', 60), take('c', 40), take('d', 1)], [true, false, true, false])
    await pending.end()
    assert.deepEqual(ends, ['long', 'a', 'c'])
    assert.ok(take('e', 100))
    await pending.end()
  })

  test('what two readers could understand differently is refused, and answered', async () => {
    const { up, ended, said, settle } = connect(async (_, text) => ({ envelope: success('x', text) }))
    const call = (id: number, text: string) =>
      up.write(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x","arguments":${text}}}\n`,
      )
    const strange = [
      '{"a":1,"a":2}',
      '{"a":1e400}',
      '{"__proto__":{}}',
      '{"a":{"__proto__":1}}',
      '{"a":"\\ud800"}',
    ]
    for (const [index, text] of strange.entries()) call(index, text)
    call(9, '{"a":1}')
    await settle()
    assert.deepEqual(
      said.map(({ id, error }) => [id, error === undefined ? 0 : Reflect.get(error, 'code')]),
      [...strange.map((_, index) => [index, -32700]), [9, 0]],
    )
    up.write('{"jsonrpc":"2.0","id":5,"id":6,"result":{}}\n')
    up.end()
    await ended
  })

  test('a name is not said again in full', async () => {
    const { up, ended, said, ask, settle } = connect(async () => undefined)
    ask(1, { name: 'x'.repeat(1_000_000) })
    await settle()
    assert.ok(textOf(said[0]).length < 400)
    up.end()
    await ended
  })

  test('a client that cannot ask, though it said it could, has not asked', async () => {
    const answers: (boolean | undefined)[] = []
    const { up, ended, said, send, ask, settle } = connect(async (_, __, { confirm }) => {
      answers.push(await confirm('Sure?'))
      return { envelope: success('x') }
    })
    const about = { protocolVersion: '2025-06-18', clientInfo: { name: 'c', version: '1' } }
    ask(1, { ...about, capabilities: { elicitation: {} } }, 'initialize')
    await settle()
    for (const answer of [
      { error: { code: -32603, message: 'no' } },
      { result: { action: 'sure' } },
      { result: { action: 'accept', content: { run: true } } },
    ]) {
      ask(2, { name: 'x' })
      await settle()
      const question = said.findLast(({ method }) => method === 'elicitation/create')
      send({ id: question?.id, ...answer })
      await settle()
      if (answers.length === 0) break
    }
    assert.deepEqual(answers, [undefined, undefined, true])
    up.end()
    await ended
  })
})
