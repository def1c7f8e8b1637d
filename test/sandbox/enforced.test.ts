// `enforced`, in everything that says what a call did: for each command and function that starts programs, held and not.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { type Enforced, NOT_ENFORCED, REQUEST_ENFORCED } from '../../src/model/sandbox.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import * as rlp from '../support/library.ts'
import { writing } from '../support/mcp.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = temporary('enforced')
const LIAR = { ok: false, kind: 'rejected', message: 'x', retryable: false, enforced: { by: 'bubblewrap' } }
const HELD: Enforced = {
  by: 'bubblewrap',
  files: 'grants',
  network: 'denied',
  exec: 'none',
  limits: 'each process × 128',
}
const FILE = 'mini-1.0.0.agent.bundle'

function tool(id: string, transport: object) {
  return { id, description: id, transport, input_schema: {}, result_schema: true, 'x-rlp': { stdin: true } }
}

function place(name: string, mode: 'require' | 'off') {
  const at = world(folder(name))
  writeFileSync(join(at.home, 'config.toml'), `[security]\nsandbox = "${mode}"\n`, { mode: 0o600 })
  const tools = [
    tool('true.run', { kind: 'exec', command: '/bin/true', args: [] }),
    tool('claims.run', { kind: 'exec', command: '/bin/echo', args: [JSON.stringify(LIAR)] }),
    { ...tool('web.get', { kind: 'http', method: 'GET', url: 'http://127.0.0.1:1/' }), 'x-rlp': {} },
  ]
  const caps = 'exec = ["/bin/true", "/bin/echo"]\nnet = { hosts = ["127.0.0.1:1"], allow_http = true }\n'
  const files = { 'tools.json': JSON.stringify({ version: 1, tools }) }
  at.put(FILE, made({ caps, files }, RELEASE))
  const say = (...args: string[]) => {
    process.env['RUNLOOP_HOME'] = at.home
    return run(args, undefined, { cwd: at.cwd, env: { PATH: '/usr/bin:/bin', RUNLOOP_HOME: at.home } })
  }
  const lines = (file: string) =>
    readFileSync(join(at.cwd, file), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  return { ...at, say, lines }
}

for (const [mode, expected, skip] of [
  ['off', NOT_ENFORCED, false],
  ['require', HELD, NO_SANDBOX_HERE],
] as const)
  describe(`sandbox = "${mode}"`, { skip }, () => {
    test('rlp tool call: the answer, the trace and the audit line', async () => {
      const at = place(`call-${mode}`, mode)
      const args = [
        'tool',
        'call',
        'true.run',
        FILE,
        '--json',
        '--audit',
        'calls.log',
        '--trace',
        'calls.ndjson',
      ]
      const { exit, stdout, stderr } = await at.say(...args)
      assert.equal(exit, 0, stderr)
      assert.deepEqual(JSON.parse(stdout).enforced, expected)
      assert.deepEqual(at.lines('calls.log')[0].enforced, expected)
      const [asked, answered] = at.lines('calls.ndjson')
      assert.deepEqual([asked.payload.enforced, answered.payload.enforced], [undefined, expected])
    })

    test('a tool that claims it is not believed', async () => {
      const at = place(`claims-${mode}`, mode)
      const { exit, stdout } = await at.say('tool', 'call', 'claims.run', FILE, '--json')
      const { enforced, reported_by } = JSON.parse(stdout)
      assert.deepEqual([exit, enforced, reported_by], [1, expected, 'tool'])
    })

    test('rlp tool replay --live', async () => {
      const at = place(`replay-${mode}`, mode)
      assert.equal((await at.say('tool', 'call', 'true.run', FILE, '--trace', 'calls.ndjson')).exit, 0)
      const args = ['tool', 'replay', 'calls.ndjson', '--bundle', FILE, '--live', '--json']
      const { exit, stdout, stderr } = await at.say(...args)
      assert.equal(exit, 0, stderr + stdout)
      const [call] = JSON.parse(stdout).result.calls
      assert.deepEqual([call.answer.enforced, call.live.enforced, call.differences], [expected, expected, []])
    })

    test('a call that was never started has none', async () => {
      const at = place(`never-${mode}`, mode)
      const args = ['tool', 'call', 'none.such', FILE, '--json', '--audit', 'calls.log']
      assert.equal(JSON.parse((await at.say(...args)).stdout).enforced, undefined)
      assert.equal(at.lines('calls.log')[0].enforced, undefined)
    })

    test('a request is made by rlp itself', async () => {
      const at = place(`http-${mode}`, mode)
      const args = ['tool', 'call', 'web.get', FILE, '--json', '--dry-run']
      const { result } = JSON.parse((await at.say(...args)).stdout)
      assert.deepEqual(result.plan.sandbox.enforced, REQUEST_ENFORCED)
    })

    test('callTool and serveTools of the library', async () => {
      const at = place(`library-${mode}`, mode)
      process.env['RUNLOOP_HOME'] = at.home
      const bundle = await rlp.loadBundle(join(at.cwd, FILE), { expect: 'mini', home: at.home })
      // A config.toml that requires it decides.
      const { enforced } = await rlp.callTool(bundle, 'true.run', {}, { sandbox: 'off' })
      assert.deepEqual(enforced, expected)
      const input = new PassThrough()
      let said = ''
      const output = writing(text => {
        said += text
        if (said.includes('"id":2')) input.end()
      })
      const serving = rlp.serveTools([join(at.cwd, FILE)], { input, output, home: at.home })
      for (const message of [
        {
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: 'x', version: '1' },
          },
        },
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/call', params: { name: 'true.run', arguments: {} } },
      ])
        input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await serving
      const answer = said.split('\n').find(line => line.includes('"id":2'))
      assert.deepEqual(JSON.parse(answer ?? '{}').result._meta, { 'rlp/enforced': expected })
    })
  })
