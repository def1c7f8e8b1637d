// Where no sandbox works: each function says in its answer that nothing held the program, and the process is warned once.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NOT_ENFORCED } from '../../src/model/sandbox.ts'
import { type Here, makeWorld, TRUST_POLICY } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import * as rlp from '../support/library.ts'
import { writing } from '../support/mcp.ts'

const folder = temporary('no-sandbox')
const warnings: NodeJS.ErrnoException[] = []
const listen = (warning: Error) => void warnings.push(warning)
const { platform } = process
let here: Here
before(async () => {
  here = await (await makeWorld(folder('world'))).fresh()
  // bubblewrap needs Linux.
  Object.defineProperty(process, 'platform', { value: 'freebsd' })
  process.on('warning', listen)
})
after(() => {
  Object.defineProperty(process, 'platform', { value: platform })
  process.off('warning', listen)
})

const say = (options: object = {}) =>
  rlp.callTool(here.loaded, 'say.mark', { mark: 'x' }, { cwd: here.cwd, ...options })

test('who wants none is not warned, and who requires one gets an error', async () => {
  assert.deepEqual((await say({ sandbox: 'off' })).enforced, NOT_ENFORCED)
  await assert.rejects(say({ sandbox: 'require' }), {
    code: 'UNENFORCED',
    message: /bubblewrap: it needs Linux$/,
  })
  await setImmediate()
  assert.deepEqual(warnings, [])
})

test('callTool and runAgent say it in their answer', async () => {
  assert.deepEqual((await say()).enforced, NOT_ENFORCED)
  assert.deepEqual((await rlp.runAgent(here.loaded, { cwd: here.cwd })).enforced, NOT_ENFORCED)
})

/** Calls say.mark as a client of a server does. */
async function served(
  serve: (streams: { input: PassThrough; output: ReturnType<typeof writing> }) => Promise<void>,
) {
  const input = new PassThrough()
  const said: string[] = []
  const output = writing(text => {
    said.push(text)
    if (text.includes('"id":2')) input.end()
  })
  const clientInfo = { name: 'test', version: '1' }
  for (const message of [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'say.mark', arguments: { mark: 'x' } } },
  ])
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  await serve({ input, output })
  return JSON.parse(said.find(text => text.includes('"id":2')) ?? '{}').result._meta['rlp/enforced']
}

test('serveTools and dev say it to their client', async () => {
  const { cwd } = here
  const judged = { home: false, trustPolicy: TRUST_POLICY, expect: ['mini'] } as const
  assert.deepEqual(
    await served(streams => rlp.serveTools(['signed'], { cwd, ...judged, ...streams })),
    NOT_ENFORCED,
  )
  assert.deepEqual(await served(streams => rlp.dev('mini', { cwd, ...streams })), NOT_ENFORCED)
})

test('replay says it of each call, and testTools is warned of too', async () => {
  const { cwd, loaded } = here
  const { calls } = await rlp.replay('there.ndjson', { cwd, bundle: loaded, live: true })
  assert.deepEqual(calls[0]?.live?.enforced, NOT_ENFORCED)
  await rlp.testTools('tested', { cwd })
})

test('the process was warned once', async () => {
  await setImmediate()
  assert.deepEqual(
    warnings.map(({ name, code, message }) => [name, code, message]),
    [
      [
        'Warning',
        'RLP_NO_SANDBOX',
        'Programs are not held to their grants here (bubblewrap: it needs Linux): rlp doctor says what can be done',
      ],
    ],
  )
})
