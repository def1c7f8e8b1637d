// `rlp tool serve` in a process of its own, asked by the official MCP client: what is served, what is refused, and that policy, overrides
// and revocations count from the next call on.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type CallToolResult, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { CONFIRM_VARIABLE } from '../../src/call/confirmation.ts'
import { run } from '../support/fake-terminal.ts'
import { PATH } from '../support/host.ts'
import { made, RELEASE, type World, world } from '../support/install-world.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { PROGRAM } from '../support/run.ts'
import { leaveUnheld } from '../support/unheld.ts'

const base = mkdtempSync(join(tmpdir(), 'rlp-serve-'))
after(() => rmSync(base, { recursive: true, force: true }))

const tool = (id: string, more: object = {}) => ({
  id,
  description: `Tool ${id}`,
  transport: { kind: 'exec', command: '/bin/cat' },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  result_schema: { type: 'object', properties: { q: { type: 'string' } } },
  capabilities: ['exec:/bin/cat'],
  'x-rlp': { stdin: true },
  ...more,
})

const TOOLS = [
  tool('text.echo'),
  tool('text.ask', { requires_confirmation: true }),
  tool('text.wait', { transport: { kind: 'exec', command: '/bin/sleep', args: ['30'] }, capabilities: [] }),
]

let count = 0
function fresh(): World {
  const cwd = join(base, String(count++))
  mkdirSync(cwd)
  const here = world(cwd)
  leaveUnheld(here.home)
  return here
}

function bundle(
  here: World,
  name: string,
  { variant, ...facts }: { readonly tools?: readonly object[]; readonly variant?: string } = {},
): string {
  const tools = JSON.stringify({ version: 1, tools: facts.tools ?? TOOLS })
  const caps = 'exec = ["/bin/cat", "/bin/echo", "/bin/sleep"]\n'
  return here.put(
    `${name}${variant === undefined ? '' : `@${variant}`}-0.1.0.agent.bundle`,
    made(
      {
        name,
        ...(variant !== undefined && { variant }),
        version: '0.1.0',
        caps,
        files: { 'tools.json': tools },
      },
      RELEASE,
    ),
  )
}

interface Connected {
  readonly client: Client
  readonly stderr: () => string
  text(name: string, args?: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

const plainClient = () => new Client({ name: 'test', version: '1' })

/** In a process of its own, as clients start it. */
async function spawned(here: World, args: readonly string[]): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...PROGRAM, 'tool', 'serve', ...args],
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home, PATH, HOME: here.home },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const client = plainClient()
  await client.connect(transport)
  return { client, stderr: () => stderr, text: texts(client), close: () => client.close() }
}

/** The same command in this process. */
async function connect(
  here: World,
  args: readonly string[],
  client = plainClient(),
  env: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const [up, down] = [new Pipe(), new Pipe()]
  let stderr = ''
  process.env['RUNLOOP_HOME'] = here.home
  const running = run(['tool', 'serve', ...args], undefined, {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home, PATH, ...env },
    stdin: () => up[Symbol.asyncIterator](),
    stdout: text => down.write(String(text)),
    stderr: text => {
      stderr += text
    },
  })
  const ended = running.then(({ exit }) => assert.fail(`it ended with ${exit}: ${stderr}`))
  await Promise.race([client.connect(clientEnd(up, down).transport), ended])
  ended.catch(() => {})
  return {
    client,
    stderr: () => stderr,
    text: texts(client),
    async close() {
      await client.close()
      assert.equal((await running).exit, 0)
    },
  }
}

/** The envelope in a call's answer. */
function texts(client: Client): Connected['text'] {
  return async (name, given = {}) => {
    const { content } = (await client.callTool({ name, arguments: given })) as CallToolResult
    const [item, ...others] = content
    assert.deepEqual(others, [])
    return item?.type === 'text' ? JSON.parse(item.text) : undefined
  }
}

describe('rlp tool serve', () => {
  test('serves a trusted bundle to the official client, and records what it does', async () => {
    const here = fresh()
    const { client, text, stderr, close } = await spawned(here, [bundle(here, 'mini'), '--trace', 't.ndjson'])
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name, outputSchema, annotations }) => [name, outputSchema?.type, annotations]),
      [
        ['text.echo', 'object', undefined],
        ['text.ask', 'object', undefined],
        ['text.wait', 'object', undefined],
      ],
    )
    const echoed = await client.callTool({ name: 'text.echo', arguments: { q: 'hällo' } })
    assert.deepEqual(echoed.structuredContent, { q: 'hällo' })
    assert.deepEqual(await text('text.echo', { q: 'x' }), { ok: true, result: { q: 'x' }, tool: 'text.echo' })
    const refused = (await text('text.echo', { z: 1 })) as { kind: string; field: string }
    assert.deepEqual([refused.kind, refused.field], ['invalid_args', 'z'])
    assert.match(JSON.stringify(await text('text.ask')), /"kind":"user_denied"/)
    await assert.rejects(client.callTool({ name: 'nope' }), { code: -32602 })
    assert.match(stderr(), /^serving 3 tools of mini-0\.1\.0\.agent\.bundle/)
    await close()
    const frames = readFileSync(join(here.cwd, 't.ndjson'), 'utf8').trim().split('\n')
    assert.equal(frames.length, 8)
    const { exit, envelope } = await here.rlp(
      'tool',
      'replay',
      't.ndjson',
      '--bundle',
      'mini-0.1.0.agent.bundle',
    )
    assert.deepEqual([exit, envelope.ok], [0, true])
  })

  test('does not start with a bundle that is not trusted, nor with a folder', async () => {
    const here = fresh()
    const good = bundle(here, 'mini')
    const bytes = readFileSync(join(here.cwd, good))
    const ran = async (...args: string[]) => {
      const { exit, stdout, stderr } = await here.say('tool', 'serve', ...args)
      assert.equal(stdout, '')
      return [exit, stderr.split('\n')[0]]
    }
    const changed = Buffer.from(bytes)
    changed[bytes.length - 1600] = 1 ^ (bytes[bytes.length - 1600] ?? 0)
    here.put('changed.agent.bundle', changed)
    here.put('unsigned.agent.bundle', made({ name: 'mini', version: '0.1.0' }))
    assert.equal((await ran(good))[0], 0)
    assert.equal((await ran('changed.agent.bundle'))[0], 1)
    const [exit, line] = await ran(good, 'unsigned.agent.bundle')
    assert.equal(exit, 1)
    assert.match(String(line), /^rlp: Cannot serve "unsigned\.agent\.bundle": unsigned: /)
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    assert.equal((await ran(good))[0], 1)
    assert.equal((await here.rlp('tool', 'serve', good)).exit, 2)
  })

  test('reads policy and overrides again before each call', async () => {
    const here = fresh()
    const tools = TOOLS.map(one => ({ ...one, observability: { tags: [`of ${one.id}`] } }))
    const logs = ['--audit', 'audit.ndjson', '--trace', 'trace.ndjson']
    const { client, text, close } = await connect(here, [bundle(here, 'mini', { tools }), ...logs])
    assert.match(JSON.stringify(await text('text.echo')), /"ok":true/)
    const overrides = join(here.home, 'policy-overrides', 'mini')
    mkdirSync(overrides, { recursive: true })
    writeFileSync(join(overrides, 'policy.caps'), '[capabilities]\nexec = ["/bin/sleep"]\n', { mode: 0o644 })
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['text.wait'],
    )
    const denied = (await text('text.echo')) as { kind: string; reason: string; capability: string }
    assert.deepEqual(
      [denied.kind, denied.reason, denied.capability],
      ['rejected', 'cap_missing', 'exec:/bin/cat'],
    )
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    const revoked = (await text('text.wait')) as { kind: string; reason: string }
    assert.deepEqual([revoked.kind, revoked.reason], ['rejected', 'revoked'])
    assert.deepEqual((await client.listTools()).tools, [])
    await close()
    // Each of the three is recorded, under the tags of its tool.
    const lines = (name: string) =>
      readFileSync(join(here.cwd, name), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    assert.deepEqual(
      lines('audit.ndjson').map(({ event, tool, tags }) => [event, tool, tags]),
      [
        [undefined, 'text.echo', ['of text.echo']],
        ['cap_denied', 'text.echo', ['of text.echo']],
        ['rejected', 'text.wait', ['of text.wait']],
      ],
    )
    assert.deepEqual(
      lines('trace.ndjson').map(({ payload }) => payload.tags ?? payload.error?.reason ?? payload.ok),
      [['of text.echo'], true, ['of text.echo'], 'cap_missing', ['of text.wait'], 'revoked'],
    )
  })

  test('asks through the client only where its answer is to be believed', async () => {
    const here = fresh()
    const name = bundle(here, 'mini')
    const asked: string[] = []
    const answering = (run: boolean) => {
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { run } }
      })
      return client
    }
    const said = async (args: readonly string[], client: Client) => {
      const { text, close } = await connect(here, [name, ...args], client)
      const envelope = (await text('text.ask', { q: 'a\u202eb' })) as { ok: boolean; reason?: string }
      await close()
      return envelope.reason ?? envelope.ok
    }
    assert.equal(await said([], answering(true)), 'nobody_to_ask')
    assert.deepEqual(asked, [])
    assert.equal(await said(['--trust-client-confirmation'], answering(true)), true)
    assert.equal(await said(['--trust-client-confirmation'], answering(false)), 'declined')
    assert.equal(asked.length, 2)
    assert.match(
      asked[0] ?? '',
      /^mini 0\.1\.0 wants to run text\.ask\nTool text\.ask\n[\s\S]*^command {6}\/bin\/cat$/m,
    )
    assert.doesNotMatch(asked[0] ?? '', /\u202e/)
    const none = new Client({ name: 'test', version: '1' })
    assert.equal(await said(['--trust-client-confirmation'], none), 'nobody_to_ask')
    assert.equal(await said(['--yes'], new Client({ name: 'test', version: '1' })), true)
  })

  test('does not ask where the runtime switched its confirmation off, and starts with no other value', async () => {
    const here = fresh()
    const name = bundle(here, 'mini')
    const said = async (value: string | undefined) => {
      const env = value === undefined ? {} : { [CONFIRM_VARIABLE]: value }
      const { text, close } = await connect(here, [name], plainClient(), env)
      const envelope = (await text('text.ask', { q: 'a' })) as { ok: boolean; reason?: string }
      await close()
      return envelope.reason ?? envelope.ok
    }
    assert.equal(await said(undefined), 'nobody_to_ask')
    assert.equal(await said('true'), 'nobody_to_ask')
    assert.equal(await said('false'), true)
    const env = { RUNLOOP_HOME: here.home, PATH, [CONFIRM_VARIABLE]: 'off' }
    const { exit, stderr } = await run(['tool', 'serve', name], undefined, { cwd: here.cwd, env })
    assert.equal(exit, 2)
    assert.match(stderr, /CONFIRM_EXTERNAL_ACTIONS: "off" is neither true nor false/)
  })

  test('refuses names that two tools would have, unless each has its agent before it', async () => {
    const here = fresh()
    const names = [bundle(here, 'mini'), bundle(here, 'other')]
    const { exit, stderr } = await here.say('tool', 'serve', ...names)
    assert.equal(exit, 2)
    assert.match(stderr, /both have a tool called text\.echo\nhint: Add --prefix/)
    const { client, text, close } = await connect(here, [...names, '--prefix'])
    assert.equal((await client.listTools()).tools.length, 6)
    assert.deepEqual(await text('other.text.echo', { q: 'x' }), {
      ok: true,
      result: { q: 'x' },
      tool: 'text.echo',
    })
    await close()
  })

  test('tells variants of one agent apart by what is before their tools', async () => {
    const here = fresh()
    const names = [bundle(here, 'mini'), bundle(here, 'mini', { variant: 'pro' })]
    const { client, text, close } = await connect(here, [...names, '--prefix'])
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name).filter(name => name.endsWith('.text.echo')),
      ['mini.text.echo', 'mini-pro.text.echo'],
    )
    assert.deepEqual(await text('mini-pro.text.echo'), { ok: true, result: {}, tool: 'text.echo' })
    await close()
  })

  test('answers that the protocol’s own schemas would refuse go out as text only', async () => {
    const here = fresh()
    const says = { kind: 'exec', command: '/bin/echo', args: ['{"constructor":"Ferrari"}'] }
    const more = { transport: says, capabilities: [], result_schema: true }
    const { client, close } = await connect(here, [bundle(here, 'mini', { tools: [tool('race.won', more)] })])
    const { content, structuredContent } = await client.callTool({ name: 'race.won' })
    const envelope = { ok: true, result: { constructor: 'Ferrari' }, tool: 'race.won' }
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(envelope) }])
    assert.equal(structuredContent, undefined)
    await close()
  })

  test('ends a tool that the client gives up, and tells of progress', async () => {
    const here = fresh()
    const { client, text, close } = await connect(here, [bundle(here, 'mini'), '--trace', 't.ndjson'])
    const given = new AbortController()
    const heard: unknown[] = []
    const call = client.callTool({ name: 'text.wait' }, undefined, {
      signal: given.signal,
      onprogress: progress => {
        heard.push(progress)
        given.abort()
      },
    })
    await assert.rejects(call)
    // Calls wait for each other: this one is answered only when the other has ended.
    assert.deepEqual(await text('text.echo'), { ok: true, result: {}, tool: 'text.echo' })
    assert.deepEqual(heard, [{ progress: 1, message: 'running' }])
    await close()
    assert.match(readFileSync(join(here.cwd, 't.ndjson'), 'utf8'), /"Tool 'text\.wait' was cancelled\."/)
  })

  /** The answers to messages that came in one piece, with the end of the input behind them. */
  async function piped(
    here: World,
    args: readonly string[],
    messages: readonly object[],
    signal?: AbortSignal,
  ) {
    const lines = messages.map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    const { exit, stdout } = await run(['tool', 'serve', ...args], undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home, PATH },
      async *stdin() {
        yield Buffer.from(lines)
      },
      ...(signal && { signal }),
    })
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return { exit, answers }
  }

  const hello = (capabilities: object = {}) => ({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'test', version: '1' } },
  })
  const INITIALIZED = { method: 'notifications/initialized' }
  const calls = (id: number, name: string, given: object = {}) => ({
    id,
    method: 'tools/call',
    params: { name, arguments: given },
  })
  const textIn = (answer: { result?: { content: { text: string }[] } } | undefined) =>
    JSON.parse(answer?.result?.content[0]?.text ?? '{}')

  test('answers all requests that came before the end of the input', async () => {
    const here = fresh()
    const slow = tool('text.slow', { transport: { kind: 'exec', command: '/bin/sleep', args: ['0.2'] } })
    const name = bundle(here, 'mini', { tools: [...TOOLS, { ...slow, result_schema: {}, capabilities: [] }] })
    const { exit, answers } = await piped(
      here,
      [name],
      [
        hello(),
        INITIALIZED,
        { id: 2, method: 'tools/list' },
        calls(3, 'text.slow'),
        calls(4, 'text.echo', { q: 'x' }),
        // A call that is given up has no answer, and holds nothing back.
        calls(5, 'text.wait'),
        { method: 'notifications/cancelled', params: { requestId: 5 } },
      ],
    )
    assert.deepEqual([exit, answers.map(({ id }) => id).sort()], [0, [1, 2, 3, 4]])
    assert.deepEqual(textIn(answers.find(({ id }) => id === 4)), {
      ok: true,
      result: { q: 'x' },
      tool: 'text.echo',
    })
  })

  test('asks no one after the end of the input, and refuses what needs a confirmation', async () => {
    const here = fresh()
    const { exit, answers } = await piped(
      here,
      [bundle(here, 'mini'), '--trust-client-confirmation'],
      [hello({ elicitation: {} }), INITIALIZED, calls(2, 'text.ask')],
    )
    const answer = answers.find(({ id, method }) => id === 2 && method === undefined)
    assert.deepEqual([exit, textIn(answer).reason], [0, 'nobody_to_ask'])
  })
})
