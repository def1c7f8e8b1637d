// A gate that a program opens in its own process: what it answers, whom it lets ask over HTTP, and how it ends.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { type GateListening, type OpenGate, openGate } from '../../src/library/generated/index.ts'
import { lockAdd } from '../../src/library/generated/lock.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, STRANGER, type World, world } from '../support/install-world.ts'

const folder = temporary('gate-verb')
const NAME = 'mini-1.0.0.agent.bundle'
const BYTES = made({}, RELEASE)
const TOKEN = 'a-token-of-at-least-thirty-two-characters'

async function opened(
  t: TestContext,
  name: string,
  listen?: GateListening,
): Promise<World & { gate: OpenGate }> {
  const here = world(folder(name))
  here.put(NAME, BYTES)
  here.put('stranger.bundle', made({}, STRANGER))
  writeFileSync(join(here.cwd, 'token'), `${TOKEN}\n`, { mode: 0o600 })
  const { cwd, home } = here
  await lockAdd([NAME], { cwd, home })
  const onDefect = (error: unknown) => assert.fail(error as Error)
  const gate = await openGate({ cwd, home, onDefect, ...(listen && { listen }) })
  t.after(() => gate.close())
  return { ...here, gate }
}

describe('a question of this process', () => {
  test('names a bundle from the folder of the gate, or holds its bytes', async t => {
    const { cwd, gate } = await opened(t, 'asked')
    assert.equal(gate.address, undefined)
    const byPath = await gate.ask({ bundle: NAME })
    assert.deepEqual([byPath.allow, byPath.id, byPath.agent?.name], [true, null, 'mini'])
    assert.deepEqual(await gate.ask({ bundle: BYTES, expect: 'mini@^1' }), byPath)
    assert.deepEqual(await gate.ask({ bundle: join(cwd, NAME), lock: 'rlp.lock' }), byPath)
    const stranger = await gate.ask({ bundle: 'stranger.bundle', expect: 'mini' })
    assert.deepEqual([stranger.allow, stranger.verdict], [false, 'untrusted'])
    const other = await gate.ask({ bundle: BYTES, expect: 'other' })
    assert.deepEqual([other.allow, other.reasons[0]?.code], [false, 'unexpected_agent'])
  })

  test('keeps the bytes as they were when it was asked', async t => {
    const { gate } = await opened(t, 'bytes')
    const bytes = Uint8Array.from(BYTES)
    const answer = gate.ask({ bundle: bytes, expect: 'mini' })
    bytes.fill(0)
    assert.equal((await answer).allow, true)
  })

  test('that cannot be read is an error and no answer', async t => {
    const { gate } = await opened(t, 'none')
    for (const [question, says] of [
      [{ bundle: 'stranger.bundle' }, /^Cannot ask the gate: it does not say which agent/],
      [{ bundle: BYTES }, /^Cannot ask the gate: it does not say which agent/],
      [{ bundle: '' }, /^Cannot ask the gate: "bundle" is not a path/],
      [{ bundle: NAME, withinMs: 0 }, /^Cannot ask the gate: "within_ms" is not an integer/],
      [{ bundle: NAME, lock: 'a\nb' }, /^Cannot ask the gate: "lock" is not a path/],
    ] as const)
      await assert.rejects(gate.ask(question), { code: 'USAGE', message: says })
  })

  test('after the end is refused; one that was asked before is answered', async t => {
    const { gate } = await opened(t, 'closed')
    const before = gate.ask({ bundle: NAME })
    const closed = gate.close()
    await assert.rejects(gate.ask({ bundle: NAME }), {
      code: 'USAGE',
      message: 'Cannot ask the gate: it was closed',
    })
    await closed
    assert.equal((await before).allow, true)
  })
})

describe('questions over HTTP', () => {
  /** @returns the status, and whether the answer allows */
  function asked(
    address: string,
    body: object,
    token?: string,
  ): Promise<readonly [number | undefined, boolean]> {
    const isSocket = address.startsWith('unix:')
    const port = Number(address.slice(address.lastIndexOf(':') + 1))
    const place = isSocket ? { socketPath: address.slice('unix:'.length) } : { host: '127.0.0.1', port }
    const headers = {
      host: isSocket ? 'localhost' : address,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    return new Promise((resolve, reject) => {
      const sent = request({ ...place, path: '/v1/judge', method: 'POST', headers }, async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve([response.statusCode, JSON.parse(text).allow])
      })
      sent.once('error', reject)
      sent.end(JSON.stringify(body))
    })
  }

  test('at a socket name only what was served, and nothing where nothing was', async t => {
    const none = await opened(t, 'nothing', { at: 'unix:s' })
    const address = none.gate.address ?? ''
    assert.equal(address, `unix:${join(none.cwd, 's')}`)
    assert.deepEqual(await asked(address, { bundle: join(none.cwd, NAME) }), [403, false])
    assert.deepEqual(await asked(address, { bundle: join(none.cwd, NAME), lock: 'house' }), [403, false])
    const bytes = BYTES.toString('base64')
    assert.deepEqual(await asked(address, { bytes, expect: 'mini' }), [200, true])
    await none.gate.close()
    await assert.rejects(asked(address, { bytes, expect: 'mini' }))
  })

  test('name locks and statements by the names that they were served with', async t => {
    const here = await opened(t, 'served', {
      at: 'unix:s',
      serve: ['.'],
      locks: { house: 'rlp.lock', other: 'other.lock' },
      attestations: { nightly: 'n.jsonl' },
    })
    const bundle = join(here.cwd, NAME)
    const ask = (more: object) => asked(here.gate.address ?? '', { bundle, ...more })
    assert.deepEqual(await ask({}), [200, true])
    assert.deepEqual(await ask({ lock: 'house', attestations: 'nightly' }), [200, true])
    assert.deepEqual(await ask({ lock: 'rlp.lock' }), [403, false])
    // A lock that is not there pins nothing.
    assert.deepEqual(await ask({ lock: 'other' }), [200, false])
  })

  test('at a port need the token of the file, by its path from the folder of the gate', async t => {
    const here = await opened(t, 'port', { at: '127.0.0.1:0', tokenFile: 'token', serve: ['.'] })
    const address = here.gate.address ?? ''
    assert.match(address, /^127\.0\.0\.1:[1-9]\d*$/)
    const question = { bundle: join(here.cwd, NAME) }
    assert.deepEqual(await asked(address, question, TOKEN), [200, true])
    assert.deepEqual(await asked(address, question), [401, false])
    assert.deepEqual(await asked(address, question, `${TOKEN}x`), [401, false])
  })

  test('are not taken without a token at a port, at an address of others, or where something is', async () => {
    const { cwd, home } = world(folder('refused'))
    mkdirSync(join(cwd, 'folder'))
    const open = (listen: GateListening) => openGate({ cwd, home, listen })
    for (const listen of [{ at: '127.0.0.1:0' }, { at: '0.0.0.0:0', tokenFile: 'token' }, { at: 'folder' }])
      await assert.rejects(open(listen), { code: 'USAGE' })
    await assert.rejects(open({ at: 'unix:s', serve: ['none'] }), { code: 'NOT_FOUND' })
    await assert.rejects(open({ at: 'unix:folder' }))
    assert.throws(() => readFileSync(join(cwd, 's')), { code: 'ENOENT' })
  })
})
