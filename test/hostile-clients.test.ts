// `tool serve` in the hands of a client that floods, lies and leaves: what is served stays bounded, and every call has an envelope.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CallRecord } from '../src/calling/context.ts'
import type { CallSession } from '../src/cli/call-session.ts'
import type { ServedBundle } from '../src/cli/served-bundle.ts'
import { serving } from '../src/cli/serving.ts'
import type { Failure, Success } from '../src/contract/envelope.ts'
import type { Answer, Caller, Served } from '../src/host/mcp.ts'
import { RlpError } from '../src/model/error.ts'
import type { Tool } from '../src/model/tools.ts'
import { answers, type StageOptions, stage } from './support/calling.ts'
import { execTool } from './support/host.ts'

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
  const served: Served = serving([bundle], session, {
    prefix: false,
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
    ...{ ok: false, kind: 'execution_error', retryable: false, tool: 'plain' },
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
