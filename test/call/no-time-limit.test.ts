// x-rlp.timeout_ms = 0: a tool without time limit, which runs only together with an idle limit.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { execHost } from '../../src/call/exec/run.ts'
import { httpHost } from '../../src/call/http/run.ts'
import { prepareCall } from '../../src/call/prepare-call.ts'
import { startClock } from '../../src/io/process/run-clock.ts'
import { Running } from '../../src/io/process/running.ts'
import type { Tool } from '../../src/model/tools.ts'
import { systemInternet } from '../../src/net/internet.ts'
import { stage } from '../support/calling.ts'
import { execTool } from '../support/host.ts'
import { UNHELD } from '../support/unheld.ts'

const ENDLESS = execTool('/bin/cat', [], { id: 'build.run', rlp: { stdin: true, timeoutMs: 0 } })
const LIMITED = execTool('/bin/cat', [], { id: 'build.run', rlp: { stdin: true, timeoutMs: 1 } })
const REQUEST: Tool = {
  ...ENDLESS,
  transport: { kind: 'http', method: 'GET', url: 'https://a.example/', headers: {} },
}
const RECORD = { schema_version: '0.2.0', interface_id: 'i', tool_id: 'build.run', timeout_ms: 700 }

async function prepared(tool: Tool, limits: object = {}, records: readonly object[] = []) {
  const running = new Running()
  const { context } = stage({ tools: [tool], limits, files: { 'interfaces.json': records } })
  const internet = systemInternet({ env: {}, running })
  const hosts = [execHost({ env: {}, running, sandbox: UNHELD, internet }), httpHost(internet)]
  const found = await prepareCall({ tool: tool.id, text: '{}' }, { ...context, hosts })
  if ('failure' in found) return [found.failure.kind, found.failure['reason' as never]]
  return [
    found.limits.timeoutMs,
    found.limits.idleMs,
    found.plan.lines.find(([name]) => name === 'time limit')?.[1],
  ]
}

describe('a tool whose time limit is 0', () => {
  test('runs with an idle limit, and without one it is refused', async () => {
    assert.deepEqual(await prepared(LIMITED), [1, undefined, '0.001 s'])
    assert.deepEqual(await prepared(ENDLESS), ['rejected', 'no_idle_limit'])
    const ended = 'none; 5 s without output end it'
    assert.deepEqual(await prepared(ENDLESS, { idleMs: 5000 }), [Number.POSITIVE_INFINITY, 5000, ended])
  })

  test('takes the limit of the caller and of a record', async () => {
    assert.deepEqual(await prepared(ENDLESS, { timeoutMs: 900 }), [900, undefined, '0.9 s'])
    assert.deepEqual(await prepared(ENDLESS, {}, [RECORD]), [700, undefined, '0.7 s'])
  })

  test('is refused for a request, with an idle limit too', async () => {
    assert.deepEqual(await prepared(REQUEST, { idleMs: 5000 }), ['rejected', 'no_idle_limit'])
    assert.deepEqual((await prepared(REQUEST, { timeoutMs: 900 }))[0], 900)
  })
})

test('its clock runs out by silence alone', async () => {
  const clock = startClock(Number.POSITIVE_INFINITY, new AbortController().signal, 20)
  await new Promise(resolve => clock.signal.addEventListener('abort', resolve, { once: true }))
  assert.equal(clock.verdict('build.run')?.kind, 'timeout')
  clock.stop()
})
