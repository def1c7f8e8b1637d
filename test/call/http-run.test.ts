// Tools of kind http against real servers on the loopback: what is sent, what is followed, and what becomes of every kind of answer.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { RunOutcome } from '../../src/model/run.ts'
import { REQUEST_ENFORCED } from '../../src/model/sandbox.ts'
import { SecretMask } from '../../src/secret/secret-mask.ts'
import { contentOf, httpTool, listen, runTool, serve, serveBytes } from '../support/http-tool.ts'

const CANARY = 'canary-Zk3~"\\/+%'

function output(outcome: RunOutcome): string {
  assert.equal(outcome.status, 'answered', JSON.stringify(outcome))
  return outcome.status === 'answered' ? outcome.output : ''
}

/** Kind, message and extra members of a failure. */
function failureOf(outcome: RunOutcome) {
  if (outcome.status !== 'failed') assert.fail(JSON.stringify(outcome))
  const { kind, message, retryable, field, extra } = outcome
  return {
    kind,
    message: message.replaceAll(/127\.0\.0\.1:[0-9]+/g, 'HERE'),
    ...(retryable !== undefined && { retryable }),
    ...(field !== undefined && { field }),
    ...(extra !== undefined && { extra }),
  }
}

test('a request holds what the tool says, and its body the arguments byte for byte', async t => {
  const port = await serve(t, async (request, response) => {
    const { method, url, headers } = request
    response.end(JSON.stringify({ method, url, headers, content: await contentOf(request) }))
  })
  const url = `http://127.0.0.1:${port}/users/{{input.user.id}}?q={{input.q}}`
  const headers = { 'X-Key': 'k {{secret:a/key}}', 'X-Flag': '{{input.flags.0}}' }
  const input = { user: { id: 7 }, q: 'ä&=#?/ +', flags: [true], rest: [1, { deep: null }] }
  const tool = httpTool({ method: 'POST', url, headers, secrets: ['a/key'] })
  const outcome = await runTool(tool, { input, secrets: { 'a/key': 'SECRET' } })
  const { ms, ...facts } = outcome.facts
  assert.deepEqual(JSON.parse(output(outcome)), {
    method: 'POST',
    url: '/users/7?q=%C3%A4%26%3D%23%3F%2F%20%2B',
    headers: {
      host: `127.0.0.1:${port}`,
      'x-key': 'k SECRET',
      'x-flag': 'true',
      accept: 'application/json, */*;q=0.5',
      'accept-encoding': 'identity',
      'user-agent': 'rlp',
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(JSON.stringify(input))}`,
      connection: 'close',
    },
    content: JSON.stringify(input),
  })
  assert.ok(ms >= 0)
  assert.deepEqual(facts, {
    started: true,
    exit: 0,
    outputBytes: Buffer.byteLength(output(outcome)),
    errorBytes: 0,
    truncated: false,
    notices: [],
    enforced: REQUEST_ENFORCED,
  })
})

test('methods without content send none', async t => {
  const port = await serve(t, async (request, response) => {
    const { method, headers } = request
    response.end(
      JSON.stringify([method, headers['content-length'], headers['content-type'], await contentOf(request)]),
    )
  })
  for (const method of ['GET', 'DELETE', 'OPTIONS']) {
    const outcome = await runTool(httpTool({ method, url: `http://127.0.0.1:${port}/` }), { input: { a: 1 } })
    assert.deepEqual(JSON.parse(output(outcome)), [method, null, null, ''])
  }
  const typed = { 'content-type': 'application/vnd.api+json' }
  const put = await runTool(httpTool({ method: 'PUT', url: `http://127.0.0.1:${port}/`, headers: typed }))
  assert.deepEqual(JSON.parse(output(put)), ['PUT', '2', 'application/vnd.api+json', '{}'])
})

test('an answer without content is null', async t => {
  const port = await serve(t, ({ url }, response) => {
    if (url === '/204') response.writeHead(204)
    response.end(url === '/blank' ? ' \n' : undefined)
  })
  for (const path of ['204', 'blank', 'empty']) {
    assert.equal(output(await runTool(httpTool({ url: `http://127.0.0.1:${port}/${path}` }))), 'null')
  }
  assert.equal(output(await runTool(httpTool({ method: 'HEAD', url: `http://127.0.0.1:${port}/` }))), 'null')
})

test('an envelope passes through as it is', async t => {
  const envelope = '{ "ok":false,"kind":"not_found",\t"message":"\\u00e4" }\n'
  const port = await serve(t, (_, response) => void response.end(envelope))
  assert.equal(output(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))), envelope)
})

test('every status has its kind', async t => {
  const port = await serve(t, ({ url = '' }, response) => {
    response.writeHead(Number(url.slice(1)), { 'retry-after': '7' }).end('{"error":"no\u202e such\n thing"}')
  })
  const said = ': {"error":"no such thing"}'
  const table: readonly (readonly [
    status: number,
    kind: string,
    retryable: boolean | undefined,
    text: string,
  ])[] = [
    [300, 'execution_error', false, `The server answered 300 Multiple Choices${said}`],
    [304, 'execution_error', false, 'The server answered 304 Not Modified'],
    [400, 'execution_error', false, `The server answered 400 Bad Request${said}`],
    [
      401,
      'execution_error',
      false,
      `The server answered 401 Unauthorized; its secrets may be wrong, or may not do this${said}`,
    ],
    [
      403,
      'execution_error',
      false,
      `The server answered 403 Forbidden; its secrets may be wrong, or may not do this${said}`,
    ],
    [404, 'not_found', undefined, `The server answered 404 Not Found${said}`],
    [407, 'execution_error', false, `The server answered 407 Proxy Authentication Required${said}`],
    [408, 'timeout', undefined, `The server answered 408 Request Timeout${said}`],
    [410, 'not_found', undefined, `The server answered 410 Gone${said}`],
    [418, 'execution_error', false, `The server answered 418 I'm a Teapot${said}`],
    [422, 'execution_error', false, `The server answered 422 Unprocessable Entity${said}`],
    [429, 'unavailable', undefined, `The server answered 429 Too Many Requests${said}`],
    [500, 'execution_error', undefined, `The server answered 500 Internal Server Error${said}`],
    [501, 'execution_error', false, `The server answered 501 Not Implemented${said}`],
    [502, 'unavailable', undefined, `The server answered 502 Bad Gateway${said}`],
    [503, 'unavailable', undefined, `The server answered 503 Service Unavailable${said}`],
    [504, 'timeout', undefined, `The server answered 504 Gateway Timeout${said}`],
    [999, 'execution_error', false, `The server answered 999${said}`],
  ]
  for (const [status, kind, retryable, message] of table) {
    const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${port}/${status}` }))
    const expected = { kind, message, ...(retryable !== undefined && { retryable }) }
    assert.deepEqual(failureOf(outcome), { ...expected, extra: { status, retry_after: 7 } })
    assert.equal(outcome.facts.exit, 0)
  }
})

test('what an error says is cut, and pages for people are left out', async t => {
  const port = await serve(t, ({ url }, response) => {
    response.writeHead(500, { 'content-type': url === '/html' ? 'text/html; charset=utf-8' : 'text/plain' })
    response.end('word '.repeat(100_000))
  })
  const long = failureOf(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` })))
  assert.match(long.message, /^The server answered 500 Internal Server Error: (?:word ){40}…$/)
  const page = failureOf(await runTool(httpTool({ url: `http://127.0.0.1:${port}/html` })))
  assert.equal(page.message, 'The server answered 500 Internal Server Error')
})

test('no message repeats a secret that a server says again', async t => {
  const port = await serve(t, ({ url = '', headers }, response) => {
    const key = headers['x-key'] as string
    const said: Readonly<Record<string, string>> = {
      '/plain': `bad key ${key}`,
      '/json': JSON.stringify({ key }),
      '/url': `see /login?key=${encodeURIComponent(key)}`,
      '/split': `bad key ${key.slice(0, 8)}\u200b${key.slice(8)}`,
      '/long': `${'x'.repeat(190)}${key}`,
      '/far': `${'x'.repeat(8185)}${key}`,
    }
    if (url === '/redirect')
      response.writeHead(302, { location: `https://${key.replace(/[^a-z]/gi, '')}.example/` })
    else response.writeHead(403)
    response.end(said[url])
  })
  for (const path of ['plain', 'json', 'url', 'split', 'long', 'far']) {
    const tool = httpTool({
      url: `http://127.0.0.1:${port}/${path}`,
      headers: { 'x-key': '{{secret:key}}' },
      secrets: ['key'],
    })
    const { message } = failureOf(await runTool(tool, { secrets: { key: CANARY } }))
    assert.match(message, /403 Forbidden/)
    assert.doesNotMatch(message, /canary/, path)
  }
  const tool = httpTool({
    url: `http://127.0.0.1:${port}/redirect`,
    headers: { 'x-key': '{{secret:key}}' },
    secrets: ['key'],
  })
  // A parsed url has its host in lower case.
  for (const value of ['canaryword', 'CanaryWord', 'CANA']) {
    const outcome = await runTool(tool, { secrets: { key: value } })
    assert.equal(
      failureOf(outcome).message,
      'The server answered 302, a redirect to another origin ("https://***REDACTED***.example"), which is not followed',
    )
  }
})

test('redirects within the origin are followed, with the method that clients use', async t => {
  const port = await serve(t, async (request, response) => {
    const { method, url = '', headers } = request
    const content = await contentOf(request)
    const [, status] = url.split('/')
    if (status === 'end') {
      response.end(JSON.stringify([method, content, headers['content-type'], headers['x-key']]))
      return
    }
    // Relative, absolute and without scheme are the same place.
    const base = { 301: '', 302: `http://127.0.0.1:${port}`, 303: `//127.0.0.1:${port}` }[status ?? ''] ?? ''
    response.writeHead(Number(status), { location: `${base}/end#part` }).end('moved')
  })
  const follow = async (method: string, status: number) => {
    const url = `http://127.0.0.1:${port}/${status}`
    const headers = { 'X-Key': '{{secret:key}}', 'Content-Type': 'text/plain' }
    const tool = httpTool({ method, url, headers, secrets: ['key'] })
    return JSON.parse(output(await runTool(tool, { secrets: { key: 'S' } }))) as unknown
  }
  const asGet = ['GET', '', null, 'S']
  const kept = (method: string) => [method, '{}', 'text/plain', 'S']
  assert.deepEqual(await follow('POST', 301), asGet)
  assert.deepEqual(await follow('POST', 302), asGet)
  assert.deepEqual(await follow('POST', 303), asGet)
  assert.deepEqual(await follow('PUT', 303), asGet)
  assert.deepEqual(await follow('PUT', 302), kept('PUT'))
  assert.deepEqual(await follow('POST', 307), kept('POST'))
  assert.deepEqual(await follow('POST', 308), kept('POST'))
})

test('nothing else is followed', async t => {
  let requests = 0
  const elsewhere = await serve(t, (_, response) => {
    requests++
    response.end()
  })
  let location: string | undefined
  const port = await serve(t, (_, response) => {
    response.writeHead(302, location === undefined ? {} : { location }).end()
  })
  const places: readonly (readonly [location: string | undefined, why: RegExp])[] = [
    [`http://127.0.0.1:${elsewhere}/`, /another origin \("http:\/\/HERE"\)/],
    [`https://127.0.0.1:${port}/`, /another origin \("https:\/\/HERE"\)/],
    [`http://localhost:${port}/`, /another origin \("http:\/\/localhost:/],
    ['file:///etc/passwd', /another origin \("file:"\)/],
    ['javascript:alert(1)', /another origin \("javascript:"\)/],
    [`http://evil@127.0.0.1:${port}/`, /user name or password/],
    ['http://', /an invalid url/],
    [undefined, /does not say where to/],
  ]
  for (const [place, why] of places) {
    location = place
    const failure = failureOf(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` })))
    assert.match(failure.message, why)
    assert.deepEqual(
      [failure.kind, failure.retryable, failure.extra],
      ['execution_error', false, { status: 302 }],
    )
  }
  assert.equal(requests, 0)
})

test('five redirects are followed, and no sixth', async t => {
  const port = await serve(t, ({ url = '' }, response) => {
    const left = Number(url.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(307, { location: `/${left - 1}` }).end()
  })
  assert.equal(output(await runTool(httpTool({ url: `http://127.0.0.1:${port}/5` }))), 'there')
  assert.deepEqual(failureOf(await runTool(httpTool({ url: `http://127.0.0.1:${port}/6` }))), {
    kind: 'execution_error',
    message: 'The server answered 307, one redirect more than the 5 that are followed',
    retryable: false,
    extra: { status: 307 },
  })
})

test('an answer that is too long is cut, and an endless one ends', async t => {
  const port = await serve(t, ({ url }, response) => {
    response.on('error', () => {})
    const more = () => {
      while (!response.destroyed && response.write('é'.repeat(1000)));
    }
    if (url === '/endless') response.on('drain', more)
    if (url === '/endless') more()
    else response.end('é'.repeat(75))
  })
  const cut = await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }), { outputBytes: 101 })
  assert.equal(output(cut), 'é'.repeat(50))
  assert.deepEqual(
    [cut.facts.truncated, cut.facts.outputBytes, cut.facts.notices],
    [true, 150, ['The answer was cut: the first 101 of 150 bytes were kept']],
  )
  const endless = await runTool(httpTool({ url: `http://127.0.0.1:${port}/endless` }), { outputBytes: 1000 })
  assert.equal(output(endless), 'é'.repeat(500))
  assert.match(
    endless.facts.notices[0] ?? '',
    /^The answer was cut: the first 1000 of more than [0-9]{4,} bytes/,
  )
})

test('what is not UTF-8 is replaced, and said', async t => {
  const port = await serveBytes(t, 'HTTP/1.1 200 OK\r\n\r\n', Buffer.from([0x61, 0xff, 0x62]))
  const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))
  assert.equal(output(outcome), 'a\ufffdb')
  assert.deepEqual(outcome.facts.notices, ['The answer is not UTF-8: what cannot be read was replaced'])
})

test('a compressed answer is expanded, and a bomb is cut', async t => {
  const encoders = { gzip: gzipSync, 'X-GZIP': gzipSync, deflate: deflateSync, br: brotliCompressSync }
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x61))
  const port = await serve(t, ({ url = '' }, response) => {
    const name = url.slice(1)
    const encode = encoders[name as keyof typeof encoders]
    const content = name === 'bomb' ? bomb : encode === undefined ? gzipSync('x') : encode('plain text')
    const encoding =
      { bomb: 'gzip', twice: 'gzip, gzip', strange: 'zstd', broken: 'br', half: 'gzip' }[name] ?? name
    response.writeHead(200, { 'content-encoding': encoding })
    response.end(name === 'half' ? content.subarray(0, 12) : content)
  })
  const at = (path: string, outputBytes = 4096) =>
    runTool(httpTool({ url: `http://127.0.0.1:${port}/${path}` }), { outputBytes })
  for (const name of Object.keys(encoders)) assert.equal(output(await at(name)), 'plain text')
  const cut = await at('bomb')
  assert.equal(output(cut), 'a'.repeat(4096))
  assert.ok(cut.facts.outputBytes < 1024 * 1024, `${cut.facts.outputBytes} bytes were expanded`)
  for (const name of ['twice', 'strange']) {
    const { kind, message } = failureOf(await at(name))
    assert.equal(kind, 'execution_error')
    assert.match(message, /in the content encoding "(?:gzip, gzip|zstd)", which was not asked for/)
  }
  assert.deepEqual(failureOf(await at('broken')), {
    kind: 'execution_error',
    message: 'Cannot use the answer of HERE: it cannot be expanded',
  })
  assert.deepEqual(failureOf(await at('half')), {
    kind: 'execution_error',
    message: 'Cannot use the answer of HERE: its compressed answer is not whole',
  })
})

test('an answer that is no HTTP, or not whole, is a failure', async t => {
  const broken: readonly (readonly [answer: string, why: string])[] = [
    ['', 'the connection ended before it was whole'],
    ['HTTP/1.1 200 OK\r\n', 'the connection ended before it was whole'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal', 'the connection ended before it was whole'],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal',
      'the connection ended before it was whole',
    ],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc', 'its answer is not HTTP'],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc',
      'its answer is not HTTP',
    ],
    ['HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n', 'its answer is not HTTP'],
    ['SSH-2.0-OpenSSH_9.9\r\n', 'its answer is not HTTP'],
    [`HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(10_000)}\r\n`, 'the headers of its answer are too large'],
    [`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(70_000)}\r\n\r\n`, 'the headers of its answer are too large'],
    [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      'it wants to speak another protocol',
    ],
  ]
  for (const [answer, why] of broken) {
    const port = await serveBytes(t, answer)
    const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))
    const expected = { kind: 'execution_error', message: `Cannot use the answer of HERE: ${why}` }
    assert.deepEqual(failureOf(outcome), expected, answer.slice(0, 60))
    assert.equal(outcome.facts.started, true)
  }
  // The positive control: the same server, and an answer that is whole.
  const port = await serveBytes(t, 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc')
  assert.equal(output(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))), 'abc')
})

test('a status stays known when its body is broken', async t => {
  const port = await serveBytes(t, 'HTTP/1.1 503 No\r\nContent-Length: 50\r\nRetry-After: 3\r\n\r\nhal')
  assert.deepEqual(failureOf(await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }))), {
    kind: 'unavailable',
    message: 'The server answered 503 Service Unavailable',
    extra: { status: 503, retry_after: 3 },
  })
})

test('where nothing listens, the tool is unavailable', async t => {
  const port = await listen(t, createServer())
  const gone = await new Promise<number>(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
  assert.notEqual(gone, port)
  const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${gone}/` }))
  assert.deepEqual(failureOf(outcome), {
    kind: 'unavailable',
    message: 'Cannot reach HERE: nothing listens there',
    retryable: true,
  })
  assert.deepEqual([outcome.facts.started, outcome.facts.exit], [false, -1])
})

test('the time limit covers every part of a call', async t => {
  const slow: Readonly<Record<string, Parameters<typeof serve>[1]>> = {
    'no head': () => {},
    'dripping head': (_, response) => {
      const timer = setInterval(() => response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'), 5)
      response.socket?.on('close', () => clearInterval(timer))
    },
    'dripping body': (_, response) => {
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
    },
    'dripping error': (_, response) => {
      response.writeHead(500)
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
    },
    'slow redirects': (_, response) => {
      void setTimeout(30).then(() => response.writeHead(307, { location: '/' }).end())
    },
  }
  for (const [what, answer] of Object.entries(slow)) {
    const port = await serve(t, answer)
    const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }), { timeoutMs: 80 })
    assert.deepEqual(
      failureOf(outcome),
      { kind: 'timeout', message: "Tool 'web.get' exceeded the 0.08s execution budget.", retryable: true },
      what,
    )
  }
  const never = () => new Promise<never>(() => {})
  const outcome = await runTool(httpTool({ url: 'https://api.example/' }), {
    timeoutMs: 20,
    internet: { lookup: never },
  })
  assert.equal(failureOf(outcome).kind, 'timeout')
  assert.equal(outcome.facts.started, false)
})

test('a cancelled call closes its connection', async t => {
  const controller = new AbortController()
  let onClosed = () => {}
  const closed = new Promise<void>(resolve => {
    onClosed = resolve
  })
  const port = await serve(t, (_, response) => {
    response.write('some')
    response.on('close', onClosed)
    controller.abort()
  })
  const outcome = await runTool(httpTool({ url: `http://127.0.0.1:${port}/` }), { signal: controller.signal })
  await closed
  const expected = { kind: 'execution_error', message: "Tool 'web.get' was cancelled.", retryable: false }
  assert.deepEqual(failureOf(outcome), expected)
  // Cancelled before it began, it never begins: the name is not even looked up.
  const early = await runTool(httpTool({ url: 'https://api.example/' }), { signal: controller.signal })
  assert.deepEqual(failureOf(early), expected)
})

test('calls leave nothing behind', async t => {
  const port = await serve(t, ({ url }, response) => {
    if (url === '/302') response.writeHead(302, { location: '/' })
    response.end('x'.repeat(100_000))
  })
  const controller = new AbortController()
  const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
  // What the files before have left, which run in this process too.
  const before = timers()
  const run = (path: string) =>
    runTool(httpTool({ url: `http://127.0.0.1:${port}/${path}` }), {
      signal: controller.signal,
      outputBytes: 10,
    })
  for (let round = 0; round < 20; round++) await run(round % 2 === 0 ? '' : '302')
  assert.deepEqual(getEventListeners(controller.signal, 'abort'), [])
  const left = () => process.getActiveResourcesInfo().filter(kind => kind === 'TCPSocketWrap')
  // The server's side of the last connection closes a moment later.
  for (let round = 0; round < 200 && (left().length > 0 || timers() > before); round++) await setTimeout(5)
  assert.deepEqual(left(), [])
  assert.ok(timers() <= before, `${timers()} timers, ${before} before`)
})

test('a failure is masked for every secret of the session, and only then cut', async t => {
  const other = 'other-tools-key-0123456789'
  const mask = new SecretMask()
  mask.add(other)
  const hide = (text: string) => mask.cutText(text)
  const at = (path: string) => `${'x'.repeat(Number(path))}${other}${'y'.repeat(500)}`
  const port = await serve(t, ({ url = '' }, response) => {
    const [, kind, path = ''] = url.split('/')
    if (kind === 'redirect')
      response.writeHead(302, { location: `https://${'a.'.repeat(20)}${other}.example/` })
    else if (kind === 'encoding') response.writeHead(200, { 'content-encoding': at(path) })
    else response.writeHead(500)
    response.end(kind === 'split' ? at(path).replace('-key', '\u200b-key') : at(path))
  })
  for (const path of ['body/185', 'body/195', 'split/185', 'encoding/45', 'redirect/0']) {
    const tool = httpTool({ url: `http://127.0.0.1:${port}/${path}` })
    const { message } = failureOf(await runTool(tool, { hide }))
    assert.match(message, /^The server answered/)
    assert.doesNotMatch(message, /other-|-tools/, path)
  }
})
