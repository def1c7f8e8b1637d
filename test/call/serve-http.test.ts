// `rlp tool serve --http`, and standard input beside it: the official clients of both eras see the same, a person is asked where one can be,
// and others are refused.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { MESSAGE_LIMITS } from '../../src/model/limits.ts'
import { run } from '../support/fake-terminal.ts'
import { PATH } from '../support/host.ts'
import { RELEASE, type World } from '../support/install-world.ts'
import { clientEnd, Pipe } from '../support/mcp.ts'
import { CLIENTS, type Connect, NEWEST } from '../support/mcp-clients.ts'
import { BUNDLE, listening, serveWorld, TOKEN } from '../support/serve-listening.ts'

const base = mkdtempSync(join(tmpdir(), 'rlp-serve-http-'))
/** A test that fails must not leave a server that listens. */
const over = new AbortController()
after(() => {
  over.abort()
  rmSync(base, { recursive: true, force: true })
})

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
const SLEEP = { transport: { kind: 'exec', command: '/bin/sleep', args: ['30'] }, capabilities: [] }
const TOOLS = [
  tool('text.echo'),
  tool('text.ask', { requires_confirmation: true }),
  tool('text.twice', { input_schema: { type: 'object' }, result_schema: true, budget: { tokens: 8 } }),
  tool('text.other', { transport: { kind: 'exec', command: '/bin/echo', args: ['no json'] } }),
  tool('text.wait', SLEEP),
]

let count = 0
function fresh(): World {
  const cwd = join(base, String(count++))
  mkdirSync(cwd)
  return serveWorld(cwd, TOOLS)
}

const listen = (here: World, ...args: string[]) => listening(here, over.signal, ...args)

/** The same on standard input and output. */
async function onPipes(
  here: World,
  connect: Connect,
  answer?: (question: string) => object,
  ...args: string[]
) {
  const [up, down] = [new Pipe(), new Pipe()]
  process.env['RUNLOOP_HOME'] = here.home
  const running = run(['tool', 'serve', BUNDLE, ...args], undefined, {
    cwd: here.cwd,
    env: { RUNLOOP_HOME: here.home, PATH },
    signal: over.signal,
    stdin: () => up[Symbol.asyncIterator](),
    stdout: text => down.write(String(text)),
  })
  const client = await connect({ pipes: clientEnd(up, down).transport }, answer)
  return {
    ...client,
    async close() {
      await client.close()
      up.end()
      assert.equal((await running).exit, 0)
    },
  }
}

const textOf = ({ content }: { readonly content: unknown }) =>
  JSON.parse((content as readonly { text: string }[])[0]?.text ?? '') as Record<string, unknown>

describe('clients of both eras', () => {
  test('get the same lists and answers, on standard input and over HTTP', async () => {
    const here = fresh()
    const { place, stop } = await listen(here)
    const seen = new Map<string, unknown>()
    for (const [name, connect] of Object.entries(CLIENTS)) {
      for (const [where, client] of [
        ['pipes', await onPipes(here, connect)],
        ['http', await connect(place)],
      ] as const) {
        const answers = [
          await client.call('text.echo', { q: 'hällo' }),
          await client.call('text.echo', { z: 1 }),
          await client.call('text.ask', { q: 'a' }),
          await client.call('text.other'),
          await client.call('nope').catch(({ code, message }) => [code, /Tool 'nope'.*/.exec(message)?.[0]]),
        ]
        seen.set(`${name}, ${where}`, JSON.parse(JSON.stringify([await client.tools(), answers])))
        await client.close()
      }
    }
    assert.equal(seen.size, 6)
    const [first] = seen.values()
    for (const [name, one] of seen) assert.deepEqual(one, first, name)
    // Positive control: they did see something.
    const [tools, answers] = first as [{ name: string }[], { structuredContent?: object }[]]
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS.map(({ id }) => id),
    )
    assert.deepEqual(answers[0]?.structuredContent, { q: 'hällo' })
    await stop()
  })

  test('over HTTP the budget is one for all, and what is revoked counts from the next request on', async () => {
    const here = fresh()
    const { place, stop } = await listen(here, '--trace', 'trace.ndjson')
    const clients = await Promise.all(Object.values(CLIENTS).map(connect => connect(place)))
    const said: unknown[] = []
    for (const client of clients) {
      const { ok, reason } = textOf(
        await client.call('text.twice', { ok: true, result: {}, usage: { tokens: 4 } }),
      )
      said.push(reason ?? ok)
    }
    assert.deepEqual(said, [true, true, 'budget_exceeded'])
    here.policy(`[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`)
    for (const client of clients) {
      assert.equal(textOf(await client.call('text.echo'))['reason'], 'revoked')
      assert.deepEqual(await client.tools(), [])
      await client.close()
    }
    await stop()
    // Six calls, each begun and ended or refused, in one trace.
    const frames = readFileSync(join(here.cwd, 'trace.ndjson'), 'utf8').trim().split('\n')
    assert.equal(frames.length, 12)
  })
})

describe('a call that needs a confirmation', () => {
  const TRUSTED = '--trust-client-confirmation'
  const answering = (asked: string[], run: boolean) => (question: string) => {
    asked.push(question)
    return { action: 'accept', content: { run } }
  }
  for (const [name, connect] of Object.entries(CLIENTS)) {
    test(`is asked about by ${name}, but over HTTP only with 2026-07-28`, async () => {
      const here = fresh()
      const { place, stop } = await listen(here, TRUSTED)
      for (const run of [true, false]) {
        const asked: string[] = []
        const piped = await onPipes(here, connect, answering(asked, run), TRUSTED)
        const onPipe = textOf(await piped.call('text.ask', { q: 'a' }))
        await piped.close()
        assert.equal(onPipe['reason'] ?? onPipe['ok'], run ? true : 'declined')
        assert.match(asked[0] ?? '', /^mini 0\.1\.0 wants to run text\.ask\n/)
        const client = await connect(place, answering(asked, run))
        const said = textOf(await client.call('text.ask', { q: 'a' }))
        await client.close()
        const expected = name === NEWEST ? (run ? true : 'declined') : 'nobody_to_ask'
        assert.equal(said['reason'] ?? said['ok'], expected)
        assert.equal(asked.length, name === NEWEST ? 2 : 1)
      }
      await stop()
    })
  }

  test('runs only for the tool, the arguments and the question that a person said yes to, and once', async () => {
    const here = fresh()
    const { place, stop } = await listen(here, TRUSTED, '--trace', 'trace.ndjson')
    const call = (name: string, args: object, more: object = {}) =>
      posted(place.url, newest('tools/call', { name, arguments: args, ...more }))
    const first = await call('text.ask', { q: 'a' })
    const { resultType, requestState, inputRequests } = first.body.result
    assert.equal(resultType, 'input_required')
    assert.equal(inputRequests.run.method, 'elicitation/create')
    assert.match(inputRequests.run.params.message, /"q": "a"/)
    const yes = { requestState, inputResponses: { run: { action: 'accept', content: { run: true } } } }
    // Another tool, other arguments, a state that was changed: none of them runs.
    for (const [name, args, more] of [
      ['text.ask', { q: 'b' }, yes],
      ['text.echo', { q: 'a' }, yes],
      ['text.ask', { q: 'a' }, { ...yes, requestState: `${requestState.slice(0, -2)}AA` }],
    ] as const)
      assert.equal((await call(name, args, more)).body.error?.code, -32602)
    // Positive control: the same call as it was asked about.
    const ran = await call('text.ask', { q: 'a' }, yes)
    assert.deepEqual(ran.body.result.structuredContent, { q: 'a' })
    const again = await call('text.ask', { q: 'a' }, yes)
    assert.match(again.body.error.message, /cannot be used: it was used before/)
    // An answer without a state answers no question: it is asked again.
    const unasked = await call('text.ask', { q: 'a' }, { inputResponses: yes.inputResponses })
    assert.equal(unasked.body.result.resultType, 'input_required')
    await stop()
    // Nothing is recorded of what was only asked.
    const frames = readFileSync(join(here.cwd, 'trace.ndjson'), 'utf8').trim().split('\n')
    assert.equal(frames.length, 2)
  })
})

describe('what comes over HTTP', () => {
  test('is refused before it is read, unless it has the token, the host and no web page', async () => {
    const here = fresh()
    const { place, stop } = await listen(here)
    const { port } = new URL(place.url)
    const list = newest('tools/list')
    const status = async (change: Partial<Posted>) => (await posted(place.url, list, change)).status
    assert.equal(await status({}), 200)
    for (const [what, change, expected] of [
      ['no token', { headers: { authorization: undefined } }, 401],
      ['another token', { headers: { authorization: `Bearer ${TOKEN}x` } }, 401],
      ['a name for this machine', { headers: { host: `localhost:${port}` } }, 403],
      ['a name of another', { headers: { host: 'page.example' } }, 403],
      ['an origin', { headers: { origin: 'https://page.example' } }, 403],
      ['the origin of this machine', { headers: { origin: `http://127.0.0.1:${port}` } }, 403],
      ['the origin null', { headers: { origin: 'null' } }, 403],
      ['a page of the same site', { headers: { 'sec-fetch-site': 'same-origin' } }, 403],
      ['another path', { path: '/' }, 404],
      ['a stream of an earlier revision', { method: 'GET' }, 405],
      ['the end of a session', { method: 'DELETE' }, 405],
      ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
      ['too much', { headers: { 'content-length': String(MESSAGE_LIMITS.bytes + 1) } }, 413],
      ['a list of messages', { body: JSON.stringify([list]) }, 400],
      ['no JSON', { body: '{' }, 400],
      ['a key twice', { body: JSON.stringify(list).replace('"id"', '"id":1,"id"') }, 400],
      ['another method in the header', { headers: { 'mcp-method': 'tools/call' } }, 400],
    ] as const)
      assert.equal(await status(change as Partial<Posted>), expected, what)
    const { body, status: wrong } = await posted(place.url, list, { headers: { 'mcp-method': 'tools/call' } })
    assert.deepEqual([wrong, body.error.code], [400, -32020])
    assert.equal(await status({ headers: { 'sec-fetch-mode': 'cors' } }), 200)
    await stop()
  })

  test('ends with the client that gave it up, and tells of progress', async () => {
    const here = fresh()
    const { place, stop } = await listen(here, '--audit', 'audit.ndjson')
    const client = await CLIENTS[NEWEST](place)
    const given = new AbortController()
    const heard: unknown[] = []
    const began = Date.now()
    const call = client.call(
      'text.wait',
      {},
      {
        signal: given.signal,
        onprogress: progress => {
          heard.push(progress)
          given.abort()
        },
      },
    )
    await assert.rejects(call)
    assert.deepEqual(heard, [{ progress: 1, message: 'running' }])
    // Another call waits until that one has ended.
    assert.equal(textOf(await client.call('text.echo'))['ok'], true)
    assert.ok(Date.now() - began < 20_000)
    let rejected: Promise<void> | undefined
    await new Promise(begun => {
      // This client does not take the end of a connection for an answer, and waits a minute by itself.
      rejected = assert.rejects(client.call('text.wait', {}, { onprogress: begun, timeout: 3000 }))
    })
    await stop()
    await rejected
    await client.close()
    const lines = readFileSync(join(here.cwd, 'audit.ndjson'), 'utf8').trim().split('\n')
    assert.equal(lines.length, 3)
  })
})

describe('the options of serving over HTTP', () => {
  const refused = async (here: World, args: readonly string[], env: Record<string, string> = {}) => {
    const { exit, stderr } = await run(['tool', 'serve', BUNDLE, ...args], undefined, {
      cwd: here.cwd,
      env: { RUNLOOP_HOME: here.home, PATH, ...env },
    })
    return [exit, stderr.split('\n')[0]?.replace(/^rlp: /, '')]
  }
  const AT = ['--http', '127.0.0.1:0']

  test('need a port of this machine and one token, which others cannot write', async () => {
    const here = fresh()
    assert.deepEqual(await refused(here, AT), [
      2,
      'Cannot serve over HTTP without a token: every program of this machine could call',
    ])
    for (const at of ['0.0.0.0:80', 'localhost:80', '127.0.0.1', 'unix:/tmp/x', '127.0.0.1:70000'])
      assert.deepEqual(await refused(here, ['--http', at, '--token-file', 'token']), [
        2,
        `Cannot serve over HTTP at "${at}": it is no port of this machine alone`,
      ])
    assert.match(String((await refused(here, ['--token-file', 'token']))[1]), /--token-file without --http/)
    assert.match(
      String((await refused(here, [...AT, '--token-file', 'token', '--token-variable', 'T']))[1]),
      /there is one token$/,
    )
    assert.match(String((await refused(here, [...AT, '--token-file', 'none']))[1]), /it is not there$/)
    assert.match(String((await refused(here, [...AT, '--token-variable', 'T']))[1]), /"T": it is not set$/)
    assert.match(
      String((await refused(here, [...AT, '--token-variable', 'T'], { T: 'short' }))[1]),
      /it has fewer than 32 characters$/,
    )
    chmodSync(join(here.cwd, 'token'), 0o666)
    assert.equal((await refused(here, [...AT, '--token-file', 'token']))[0], 3)
  })
})

interface Posted {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** A request of 2026-07-28. */
function newest(method: string, params: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer from outside, looked at member by member
type Answered = { readonly status: number | undefined; readonly body: any }

/** One request as it is: `fetch` lets no Host be set. */
function posted(
  url: string,
  message: ReturnType<typeof newest>,
  change: Partial<Posted> = {},
): Promise<Answered> {
  const { name } = message.params as { name?: string }
  const body = change.body ?? JSON.stringify(message)
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${TOKEN}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': message.method,
    ...(name !== undefined && { 'mcp-name': name }),
    'content-length': String(Buffer.byteLength(body)),
    ...change.headers,
  }
  const kept = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const { method = 'POST', path = new URL(url).pathname } = change
    const sent = request(url, { method, path, headers: kept }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, body: text && JSON.parse(text) }))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? body : undefined)
  })
}
