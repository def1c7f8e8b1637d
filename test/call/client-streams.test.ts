// The streams of a client that a program hands in: text goes out as fast as it is read, and a stream that fails ends the call.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { serveStreams } from '../../src/call/client-streams.ts'
import { dev, serveTools } from '../../src/library/generated/index.ts'
import { MESSAGE_LIMITS } from '../../src/model/limits.ts'
import { agentTree, writeTree } from '../support/agent.ts'
import { BUNDLE, TRUST_POLICY } from '../support/every-verb.ts'
import { temporary } from '../support/folder.ts'
import { writing } from '../support/mcp.ts'

const cwd = temporary('client-streams')('all')
before(() => {
  writeFileSync(join(cwd, 'mini'), BUNDLE)
  writeTree(join(cwd, 'agent'), agentTree())
})

interface Given {
  readonly input: AsyncIterable<Uint8Array>
  readonly output: Writable
  readonly signal?: AbortSignal
}
const FUNCTIONS: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  serveTools: given =>
    serveTools(['mini'], { cwd, home: false, trustPolicy: TRUST_POLICY, expect: ['mini'], ...given }),
  dev: given => dev('agent', { cwd, ...given }),
}

const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const clientInfo = { name: 'test', version: '1' }
const HELLO = line({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
})

/** Fails with the call, where that ends first. */
async function until(is: () => boolean, serving: Promise<unknown>): Promise<void> {
  while (!is()) await Promise.race([setImmediate(), serving])
}

for (const [name, serve] of Object.entries(FUNCTIONS))
  describe(name, () => {
    test('reads no more of its client while what it said is not taken, and loses nothing', async () => {
      const asked = 40
      let pulled = 0
      async function* input() {
        yield HELLO
        for (let id = 1; id <= asked; id++) {
          pulled++
          yield line({ id, method: 'ping' })
        }
      }
      const said: string[] = []
      let [took, most] = [() => {}, 0]
      const slow = new Writable({
        highWaterMark: 1,
        write(chunk, _, done) {
          said.push(String(chunk))
          most = Math.max(most, slow.writableLength - chunk.length)
          took = done
        },
      })
      const serving = serve({ input: input(), output: slow })
      await until(() => said.length > 0, serving)
      for (let turn = 0; turn < 100; turn++) await setImmediate()
      assert.equal(said.length, 1)
      assert.ok(pulled < 5, `${pulled} requests were read`)
      const taking = setInterval(() => took())
      await serving
      clearInterval(taking)
      assert.deepEqual(
        said.map(text => JSON.parse(text).id).sort((a, b) => a - b),
        Array.from({ length: asked + 1 }, (_, id) => id),
      )
      assert.equal(most, 0, 'it holds one text at a time')
      assert.deepEqual(
        [slow.writable, slow.listenerCount('error'), slow.listenerCount('close')],
        [true, 0, 0],
      )
    })

    test('ends with IO where the output fails, in a write or between two', async () => {
      const gone = new Error('write EPIPE')
      const failing = new Writable({ write: (_, __, done) => done(gone) })
      await assert.rejects(serve({ input: new PassThrough().end(HELLO), output: failing }), {
        code: 'IO',
        message: 'Cannot write to the client: write EPIPE',
        cause: gone,
      })
      for (const [cause, state] of [
        [gone, 'write EPIPE'],
        [undefined, 'its stream was closed'],
      ] as const) {
        const output: Writable = writing(() => void output.destroy(cause))
        const input = new PassThrough()
        input.write(HELLO)
        await assert.rejects(serve({ input, output }), {
          code: 'IO',
          message: `Cannot write to the client: ${state}`,
        })
      }
    })

    test('ends with an error where the input breaks off, or is not bytes', async () => {
      const broken = new Error('read ECONNRESET')
      async function* breaking() {
        yield HELLO
        throw broken
      }
      await assert.rejects(serve({ input: breaking(), output: writing() }), {
        code: 'IO',
        message: 'Cannot read what the client writes: read ECONNRESET',
        cause: broken,
      })
      const texts = new PassThrough().setEncoding('utf8').end(HELLO)
      await assert.rejects(serve({ input: texts, output: writing() }), {
        code: 'USAGE',
        field: 'input',
        message: 'Cannot use input: a part of it is a string',
      })
    })

    test('is aborted also while no client takes what it said', async () => {
      const stop = new AbortController()
      let isAsked = false
      const stuck = new Writable({
        write: () => {
          isAsked = true
        },
      })
      const serving = serve({ input: new PassThrough().end(HELLO), output: stuck, signal: stop.signal })
      await until(() => isAsked, serving)
      stop.abort()
      await assert.rejects(serving, { code: 'CANCELLED' })
      // A write that ends later, and fails, is no client's error.
      stuck.destroy(new Error('late'))
      await setImmediate()
    })
  })

test('a client that never reads does not fill the memory', async () => {
  const stuck = new Writable({ write: () => {} })
  const { signal } = new AbortController()
  const given = { input: new PassThrough(), output: stuck, signal, trouble: () => {} }
  const text = 'x'.repeat(MESSAGE_LIMITS.unreadBytes / 2)
  const served = serveStreams(given, async ({ output, signal }) => {
    void output(text)
    void output(text)
    assert.equal(signal.aborted, false)
    void output('x')
    assert.equal(signal.aborted, true)
  })
  await assert.rejects(served, { code: 'IO', message: /more than 64 MiB .* of answers were not read$/ })
})
