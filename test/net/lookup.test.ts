// Names are looked up by a process of its own, which can be given up: what it answers, and what becomes of one that hangs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Running } from '../../src/io/process/running.ts'
import { systemLookup } from '../../src/net/internet.ts'
import { temporary } from '../support/folder.ts'
import { hasWritten, isGone, PATH, program, until } from '../support/host.ts'
import { httpTool, runTool } from '../support/http-tool.ts'

const folder = temporary('lookup')
const never = new AbortController().signal
const env = { PATH, NODE_OPTIONS: '--require /nowhere.js' }

/** Always gives this answer. */
function saying(text: string, status = 0) {
  const command = ['/bin/sh', '-c', `printf '%s' "$0"; exit ${status}`, text]
  return systemLookup({ env, running: new Running(), command })('api.example', never)
}

test('the system’s own answer, with nothing of what steers Node in the environment', async () => {
  const lookup = systemLookup({ env, running: new Running() })
  const found = await lookup('localhost', never)
  assert.ok(found.length > 0)
  for (const { address } of found) assert.match(address, /^(?:127\.0\.0\.1|::1)$/)
})

test('the system’s own errors, and one for what is no answer', async () => {
  assert.deepEqual(await saying('{"addresses":["1.2.3.4"]}'), [{ address: '1.2.3.4' }])
  await assert.rejects(saying('{"code":"ENOTFOUND"}'), { code: 'ENOTFOUND' })
  for (const text of ['', 'x', '[]', '{"addresses":1}', '{"code":1}'])
    await assert.rejects(saying(text, 1), { code: 'EAI_FAIL' })
  const nobody = systemLookup({ env, running: new Running(), command: ['/nowhere/node'] })
  await assert.rejects(nobody('api.example', never), { code: 'ENOENT' })
})

test('one that hangs is ended with the call, and nothing of it is left', async () => {
  const running = new Running()
  const file = join(folder('hangs'), 'pid')
  const lookup = systemLookup({ env, running, command: [program('ignore-term.sh'), file] })
  const stop = new AbortController()
  const run = runTool(httpTool({ url: 'http://api.example/' }), { internet: { lookup }, signal: stop.signal })
  await until('it hangs', () => hasWritten(file))
  stop.abort()
  const outcome = await run
  assert.match(outcome.status === 'failed' ? outcome.message : '', /was cancelled/)
  await until('it is gone', () => isGone(Number(readFileSync(file, 'utf8'))) && running.isIdle)
})
