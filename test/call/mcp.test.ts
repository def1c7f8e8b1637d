// The MCP server on streams, asked by the SDK's own client: what it lists, calls, asks, tells and cancels; and what it says to noise.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ElicitRequestSchema, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { serveMcp } from '../../src/call/mcp-server.ts'
import type { Served } from '../../src/call/served.ts'
import { failure, success } from '../../src/contract/envelope.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'

const ECHO = { name: 'echo', description: 'says it again', inputSchema: { type: 'object' } } as const
const COUNT = {
  name: 'count',
  description: 'counts',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
} as const

const served: Served = {
  async list() {
    return [ECHO, COUNT]
  },
  async call(name, text, caller) {
    if (name === 'echo') return { envelope: success('echo', text) }
    if (name === 'count') return { envelope: success('count', { n: 3 }), structured: { n: 3 } }
    if (name === 'fails') return { envelope: failure({ kind: 'timeout', message: 'late', tool: name }) }
    if (name === 'asks') return { envelope: success(name, { said: (await caller.confirm('Sure?')) ?? null }) }
    if (name === 'tells') {
      caller.progress('one')
      caller.progress('two')
      return { envelope: success(name) }
    }
    if (name === 'waits') {
      await new Promise(resolve => caller.signal.addEventListener('abort', resolve))
      cancelled.push(name)
      return { envelope: failure({ kind: 'execution_error', message: 'cancelled' }) }
    }
    return undefined
  },
}
const cancelled: string[] = []

/** A server of `served` and a client that is connected to it. */
async function connected(client = new Client({ name: 'c', version: '1' })) {
  const [up, down] = [new Pipe(), new Pipe()]
  const trouble: string[] = []
  const stop = new AbortController()
  const running = serveMcp(
    served,
    { name: 'rlp', version: '1', instructions: 'Ask first' },
    {
      input: up,
      output: text => down.write(text),
      signal: stop.signal,
      trouble: message => trouble.push(message),
    },
  )
  const { transport, lines } = clientEnd(up, down)
  await client.connect(transport)
  return { client, up, running, stop, trouble, lines }
}

describe('the MCP server', () => {
  test('lists tools and hands out envelopes, as text and as structure', async () => {
    const { client, running } = await connected()
    assert.equal(client.getInstructions(), 'Ask first')
    assert.deepEqual((await client.listTools()).tools, [ECHO, COUNT])
    const echoed = await client.callTool({ name: 'echo', arguments: { b: 1, a: 'ü' } })
    assert.deepEqual(echoed, {
      content: [{ type: 'text', text: '{"ok":true,"result":"{\\"a\\":\\"ü\\",\\"b\\":1}","tool":"echo"}' }],
    })
    // The client checks structured content against the output schema itself.
    const counted = await client.callTool({ name: 'count' })
    assert.deepEqual(counted.structuredContent, { n: 3 })
    await client.close()
    await running
  })

  test('says failures as results, and unknown tools as errors of the protocol', async () => {
    const { client, running } = await connected()
    const failed = await client.callTool({ name: 'fails' })
    assert.equal(failed.isError, true)
    assert.deepEqual(failed.content, [
      {
        type: 'text',
        text: '{"kind":"timeout","message":"late","ok":false,"retryable":true,"tool":"fails"}',
      },
    ])
    await assert.rejects(client.callTool({ name: 'nope' }), {
      code: -32602,
      message: /Tool 'nope' is not available in this session\.$/,
    })
    await client.close()
    await running
  })

  test('asks the user where the client can, and takes nothing but a yes', async () => {
    const answers = [
      [{ action: 'accept', content: { run: true } }, true],
      [{ action: 'accept', content: { run: false } }, false],
      [{ action: 'accept', content: { run: 'true' } }, false],
      [{ action: 'accept' }, false],
      [{ action: 'decline' }, false],
      [{ action: 'cancel' }, false],
    ] as const
    for (const [answer, said] of answers) {
      const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        assert.equal(params.message, 'Sure?')
        return answer
      })
      const { running } = await connected(client)
      const { content } = await client.callTool({ name: 'asks' })
      assert.deepEqual(content, [
        { type: 'text', text: `{"ok":true,"result":{"said":${said}},"tool":"asks"}` },
      ])
      await client.close()
      await running
    }
    const { client, running } = await connected()
    const { content } = await client.callTool({ name: 'asks' })
    assert.deepEqual(content, [{ type: 'text', text: '{"ok":true,"result":{"said":null},"tool":"asks"}' }])
    await client.close()
    await running
  })

  test('tells of progress who wants to know', async () => {
    const { client, running } = await connected()
    const heard: unknown[] = []
    await client.callTool({ name: 'tells' }, undefined, { onprogress: progress => heard.push(progress) })
    assert.deepEqual(heard, [
      { progress: 1, message: 'one' },
      { progress: 2, message: 'two' },
    ])
    await client.close()
    await running
  })

  test('cancels what the client gives up, and everything when it is told to end', async () => {
    cancelled.length = 0
    const { client, running, stop } = await connected()
    const given = new AbortController()
    const call = client.callTool({ name: 'waits' }, undefined, { signal: given.signal })
    await client.callTool({ name: 'echo' })
    given.abort()
    await assert.rejects(call)
    await client.callTool({ name: 'echo' })
    assert.deepEqual(cancelled, ['waits'])
    const other = client.callTool({ name: 'waits' })
    const rejected = assert.rejects(other)
    await client.callTool({ name: 'echo' })
    stop.abort()
    await running
    await client.close()
    await rejected
    assert.deepEqual(cancelled, ['waits', 'waits'])
  })

  test('ends when it is told to', async () => {
    const { running, stop } = await connected()
    stop.abort()
    await running
  })

  test('goes on after lines that are no messages, and writes nothing but messages', async () => {
    const { client, up, running, trouble, lines } = await connected()
    for (const line of ['', 'x', '[]', '{"jsonrpc":"1.0"}', '{"__proto__":1}', '\u0000'])
      up.write(`${line}\n`)
    await client.callTool({ name: 'echo' })
    assert.equal(trouble.length, 6)
    for (const line of lines) JSONRPCMessageSchema.parse(JSON.parse(line))
    await client.close()
    await running
  })

  test('ends a connection whose message never ends', async () => {
    const { up, running, trouble } = await connected()
    const chunk = 'x'.repeat(1024 * 1024)
    for (let count = 0; count < 33; count++) up.write(chunk)
    await running
    assert.match(trouble.join(), /a message is longer than 32 MiB \(33554432 bytes\): send a shorter one/)
  })
})
