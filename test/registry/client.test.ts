// One conversation with a registry: which redirects and links are followed, what is told behind them, and how long a token counts.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { fetchToken } from '../../src/registry/http/authorization.ts'
import { downloaded, ranged } from '../../src/registry/http/blobs.ts'
import { Client, refusedAnswer } from '../../src/registry/http/client.ts'
import { pagesOf } from '../../src/registry/http/referrers.ts'
import { serverOf } from '../../src/registry/http/registry-server.ts'
import { RegistryWire } from '../../src/registry/http/wire.ts'
import { Impatient } from '../support/impatient.ts'
import { FakeRegistry, type Meddle, say, sha256 } from '../support/oci-registry.ts'

const running: FakeRegistry[] = []
const open: Client[] = []
after(() => {
  for (const client of open) client.close()
  return Promise.all(running.map(one => one.stop()))
})

async function talk(meddle: Meddle) {
  const server = await new FakeRegistry({ meddle }).start()
  running.push(server)
  const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: 'a/mini' } as const
  const deadline = new Impatient(new AbortController().signal)
  const access = { env: {}, login: { username: 'alice', password: 'secret' } }
  const client = Client.open(place, { access, deadline }, { writes: true })
  open.push(client)
  return { server, client, place, deadline }
}

const WANTS_BASIC: Meddle = ({ url = '', headers }, response) => {
  if (!url.endsWith('/private') || headers.authorization !== undefined) return false
  response.setHeader('www-authenticate', 'Basic realm="x"')
  return say(response, 401, '')
}

test('a password that the registry refuses is told once, and asked for no more', async () => {
  const { server, client } = await talk((_, response) => {
    response.setHeader('www-authenticate', 'Basic realm="x"')
    return say(response, 401, '')
  })
  const asking = client.ask({ method: 'GET', to: 'private', doing: 'look' })
  await assert.rejects(asking, { code: 'NO_PERMISSION' })
  assert.equal(server.asked.filter(({ authorization }) => authorization !== undefined).length, 1)
})

test('a password that was taken and is refused later is not told again, and the next request does not ask', async () => {
  let isTaken = true
  const { server, client } = await talk(({ headers }, response) => {
    if (headers.authorization !== undefined && isTaken) return say(response, 200, '{}')
    response.setHeader('www-authenticate', 'Basic realm="x"')
    return say(response, 401, '')
  })
  const ask = async () => {
    const { answer } = await client.ask({ method: 'GET', to: 'private', doing: 'look' })
    await client.skip(answer)
    return answer.statusCode
  }
  assert.equal(await ask(), 200)
  assert.equal(await ask(), 200)
  isTaken = false
  const before = server.asked.length
  await assert.rejects(ask(), { code: 'NO_PERMISSION' })
  assert.equal(server.asked.length, before + 1)
})

test('a request that the registry asked about while another one was answered is sent again with what was taken', async () => {
  const held: (() => void)[] = []
  const { server, client } = await talk(({ url = '', headers }, response) => {
    if (headers.authorization !== undefined) return say(response, 200, '{}')
    response.setHeader('www-authenticate', 'Basic realm="x"')
    if (!url.endsWith('/late')) return say(response, 401, '')
    held.push(() => say(response, 401, ''))
    return true
  })
  const ask = async (to: string) => {
    const { answer } = await client.ask({ method: 'GET', to, doing: 'look' })
    await client.skip(answer)
    return answer.statusCode
  }
  const late = ask('late')
  while (held.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  assert.equal(await ask('now'), 200)
  for (const answer of held) answer()
  assert.equal(await late, 200)
  assert.equal(server.asked.filter(({ url }) => url.endsWith('/late')).length, 2)
})

test('a token is asked for what is done in the repository, and for nothing where none is named', async () => {
  const scopes = async (repository: string, writes: boolean, service = ',service="x"') => {
    const { server, place, deadline } = await talk(({ url = '', headers }, response, self) => {
      if (url.startsWith('/token')) return say(response, 200, '{"token":"x"}')
      if (headers.authorization !== undefined) return say(response, 200, '{}')
      response.setHeader('www-authenticate', `Bearer realm="http://${self.host}/token"${service}`)
      return say(response, 401, '')
    })
    const client = Client.open({ ...place, repository }, { access: { env: {} }, deadline }, { writes })
    open.push(client)
    const { answer } = await client.ask({ method: 'GET', to: '', doing: 'look' })
    await client.skip(answer)
    assert.equal(answer.statusCode, 200)
    const asked = server.asked.filter(({ url }) => url.startsWith('/token'))
    return asked.map(({ url }) => {
      const { searchParams } = new URL(url, 'http://x')
      assert.deepEqual(searchParams.getAll('service'), service === '' ? [] : ['x'])
      return searchParams.getAll('scope')
    })
  }
  assert.deepEqual(await scopes('a/mini', false, ''), [['repository:a/mini:pull']])
  assert.deepEqual(await scopes('a/mini', false), [['repository:a/mini:pull']])
  assert.deepEqual(await scopes('a/mini', true), [['repository:a/mini:pull,push']])
  assert.deepEqual(await scopes('', true), [[]])
})

describe('a redirect', () => {
  test('to the registry itself is followed, and what asks there who we are is not told', async () => {
    const { server, client } = await talk((request, response, self) => {
      if (request.url?.endsWith('/moved') !== true) return WANTS_BASIC(request, response, self)
      response.writeHead(307, { location: '/v2/a/mini/private' }).end()
      return true
    })
    const moved = await client.ask({ method: 'GET', to: 'moved', doing: 'look' })
    assert.equal(moved.answer.statusCode, 401)
    await client.skip(moved.answer)
    assert.ok(server.asked.every(({ authorization }) => authorization === undefined))
    // The control: asked there at once, it is told.
    const { answer } = await client.ask({ method: 'GET', to: 'private', doing: 'look' })
    await client.skip(answer)
    assert.equal(
      server.asked.at(-1)?.authorization,
      `Basic ${Buffer.from('alice:secret').toString('base64')}`,
    )
  })

  test('that leads nowhere is refused', async () => {
    const { client } = await talk((_, response) => {
      response.writeHead(307, { location: 'http://[' }).end()
      return true
    })
    const asking = client.ask({ method: 'GET', to: 'moved', doing: 'look' })
    await assert.rejects(asking, {
      code: 'STORE',
      message: /another place that is not used: it is no address$/,
    })
  })

  for (const method of ['POST', 'PUT', 'PATCH'] as const) {
    test(`takes no body along: ${method}`, async () => {
      const { server, client } = await talk(({ url = '' }, response) => {
        if (!url.endsWith('/moved')) return false
        response.writeHead(307, { location: '/v2/a/mini/elsewhere' }).end()
        return true
      })
      const body = {
        size: 4,
        open: async function* () {
          yield Buffer.from('body')
        },
      }
      const { answer } = await client.ask({ method, to: 'moved', body, doing: 'send' })
      await client.skip(answer)
      assert.equal(answer.statusCode, 307)
      assert.ok(server.asked.every(({ url }) => !url.includes('elsewhere')))
    })
  }
})

describe('a link to the next page', () => {
  const pages = async (link: (host: string) => string) => {
    const { server, client } = await talk(({ url = '' }, response, self) => {
      if (!url.includes('/tags/')) return false
      if (!url.includes('second')) response.setHeader('link', `<${link(self.host)}>; rel="next"`)
      return say(response, 200, '{"tags":[]}')
    })
    let count = 0
    for await (const _ of pagesOf(client, 'tags/list', { doing: 'list', most: 5 })) count += 1
    return [count, server.asked.filter(({ authorization }) => authorization !== undefined).length]
  }

  test('leads to the same server', async () => {
    assert.deepEqual(await pages(host => `http://${host}/v2/a/mini/tags/list?second`), [2, 0])
  })

  test('leads to an address', async () => {
    await assert.rejects(
      pages(() => 'http://['),
      { code: 'STORE', message: /its list goes on at another server/ },
    )
  })

  for (const who of ['eve', 'eve:word', ':word']) {
    test(`holds no name or password: ${who}`, async () => {
      const refused = pages(host => `http://${who}@${host}/v2/a/mini/tags/list?second`)
      await assert.rejects(refused, /its list goes on at another server/)
    })
  }
})

describe('a part of a blob', () => {
  const BYTES = Buffer.from('0123456789')
  const BLOB = { mediaType: 'text/plain', digest: sha256(BYTES), size: BYTES.length }
  const part = async (range: string | undefined, bytes = BYTES.subarray(2, 5), status = 206) => {
    const { client } = await talk(({ url = '' }, response) => {
      if (!url.includes('/blobs/')) return false
      if (range !== undefined) response.setHeader('content-range', range)
      return say(response, status, bytes)
    })
    return Buffer.from(await ranged(client, BLOB, 2, 3)).toString()
  }

  test('is the part that was asked for', async () => {
    assert.equal(await part('bytes 2-4/10'), '234')
    for (const other of [undefined, 'bytes 3-5/10', 'bytes 2-5/10', 'bytes 2-4/11', 'bytes 2-4/*'])
      await assert.rejects(part(other), /something else than the part that was asked for/, `${other}`)
    await assert.rejects(part('bytes 2-4/10', BYTES.subarray(2, 4)), /2 of 3 bytes came/)
    // A status that does not say that it is a part is not believed for the sake of a header.
    await assert.rejects(part('bytes 2-4/10', undefined, 200), /something else than the part/)
    await assert.rejects(part('bytes 2-4/10', undefined, 404), /answered 404/)
  })

  /** The first answer breaks in its middle; the next one names `range`. */
  const rest = async (range: string | undefined, again = 206) => {
    const { client } = await talk(({ url = '', headers }, response) => {
      if (!url.includes('/blobs/')) return false
      if (headers.range === undefined) {
        response.writeHead(200, { 'content-length': 10 })
        response.write(BYTES.subarray(0, 4), () => response.destroy())
        return true
      }
      if (range !== undefined) response.setHeader('content-range', range)
      return say(response, again, again === 200 ? BYTES : BYTES.subarray(4))
    })
    return textOf(downloaded(client, BLOB))
  }

  test('is nothing that was asked for from the beginning', async () => {
    const { client } = await talk(({ url = '' }, response) => {
      if (!url.includes('/blobs/')) return false
      response.setHeader('content-range', 'bytes 0-9/10')
      return say(response, 206, BYTES)
    })
    await assert.rejects(textOf(downloaded(client, BLOB)), /answered 206/)
  })

  test('goes on where the connection broke, or not at all', async () => {
    assert.equal(await rest('bytes 4-9/10'), '0123456789')
    // Some registries send all of it again.
    assert.equal(await rest(undefined, 200), '0123456789')
    for (const other of [undefined, 'bytes 3-9/10', 'bytes 4-8/10', 'bytes 4-9/11'])
      await assert.rejects(rest(other), /answered 206/, `${other}`)
  })
})

test('what is asked is below the repository, or the address that it names', async () => {
  const { server, client } = await talk((_, response) => say(response, 200, ''))
  for (const to of ['tags/list', new URL(`http://${server.host}/v2/other/it?x=1`)])
    await client.skip((await client.ask({ method: 'GET', to, doing: 'look' })).answer)
  assert.deepEqual(
    server.asked.map(({ url }) => url),
    ['/v2/', '/v2/a/mini/tags/list', '/v2/other/it?x=1'],
  )
})

test('a registry that is busy is asked three times, and its last answer counts', async () => {
  let asked = 0
  const { client, deadline } = await talk(({ url = '' }, response) => {
    if (!url.endsWith('/busy')) return false
    asked++
    response.setHeader('retry-after', '7')
    return say(response, 503, '')
  })
  const { answer } = await client.ask({ method: 'GET', to: 'busy', doing: 'look' })
  await client.skip(answer)
  assert.deepEqual([answer.statusCode, asked], [503, 3])
  assert.deepEqual(deadline.pauses, [7000, 7000])
})

test('a connection that breaks before its answer is tried three times, with longer pauses', async () => {
  let asked = 0
  const { client, deadline } = await talk(({ url = '' }, response) => {
    if (!url.endsWith('/breaks')) return false
    asked++
    response.destroy()
    return true
  })
  await assert.rejects(client.ask({ method: 'GET', to: 'breaks', doing: 'look' }), { code: 'UNREACHABLE' })
  assert.deepEqual([asked, deadline.pauses], [3, [200, 800]])
})

test('a registry on another machine is asked by https from the start, and nothing before', async t => {
  const urls: string[] = []
  t.mock.method(RegistryWire.prototype, 'send', async ({ url }: { url: URL }) => {
    urls.push(url.href)
    return { statusCode: 200, headers: {} }
  })
  const place = { in: 'registry', host: 'r.example', port: undefined, repository: 'a/mini' } as const
  const deadline = new Impatient(new AbortController().signal)
  const client = Client.open(place, { access: { env: {} }, deadline }, { writes: false })
  open.push(client)
  await client.ask({ method: 'GET', to: 'it', doing: 'look' })
  assert.deepEqual(urls, ['https://r.example/v2/a/mini/it'])
})

for (const status of [300, 413])
  test(`a server that answers a body early with ${status} is not sent the rest of it: the connection ends`, async () => {
    const most = 64
    let sent = 0
    let closed: Promise<unknown> | undefined
    let body = { size: 0, open: async function* () {} as () => AsyncGenerator<Buffer> }
    const { client } = await talk(({ method, socket }, response) => {
      if (method !== 'PUT') return false
      closed = new Promise(resolve => socket.once('close', resolve))
      return say(response, status, '')
    })
    const ended = new Promise(resolve => {
      async function* chunks() {
        try {
          for (; sent < most; sent++) yield Buffer.alloc(1024 * 1024)
        } finally {
          resolve('ended')
        }
      }
      body = { size: most * 1024 * 1024, open: chunks }
    })
    const { answer } = await client.ask({ method: 'PUT', to: 'large', body, doing: 'send', tries: 1 })
    assert.equal(answer.statusCode, status)
    await client.skip(answer)
    assert.ok(closed !== undefined)
    // What is read to be sent is let go as well.
    for (const end of [closed, ended])
      assert.notEqual(
        await Promise.race([end, new Promise(resolve => setTimeout(resolve, 2000, 'open'))]),
        'open',
      )
    assert.ok(sent < most, `${sent}`)
  })

describe('a connection that breaks again and again', () => {
  const MEBIBYTE = 1024 * 1024

  /** Breaks when so many bytes have been read, the last number for ever. */
  const broken = async (size: number, ...portions: readonly number[]) => {
    const bytes = Buffer.alloc(size, 'abcdefg')
    let count = 0
    let brokenAt = size
    let breakOff = () => {}
    const { client } = await talk(({ url = '', headers }, response) => {
      if (!url.includes('/blobs/')) return false
      const from = Number(/bytes=([0-9]+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': size - from,
        ...(from > 0 && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
      })
      const portion = portions[Math.min(count++, portions.length - 1)] ?? 0
      const end = from + portion
      brokenAt = Math.min(end, size)
      breakOff = () => response.destroy()
      if (end >= size) response.end(bytes.subarray(from))
      else response.write(bytes.subarray(from, end))
      return true
    })
    const blob = { mediaType: 'text/plain', digest: sha256(bytes), size }
    async function* read() {
      let at = 0
      for await (const chunk of downloaded(client, blob)) {
        yield chunk
        at += chunk.length
        // Not before: what a reader has not taken yet is lost with its connection.
        if (at === brokenAt && at < size) breakOff()
      }
    }
    const text = await textOf(read()).catch(({ code }) => code)
    return [text === bytes.toString() ? 'whole' : text, count]
  }

  test('after a mebibyte each time is another mishap', async () => {
    assert.deepEqual(await broken(4 * MEBIBYTE, MEBIBYTE), ['whole', 4])
  })

  test('after less is the same one: three tries', async () => {
    assert.deepEqual(await broken(10_000, 1000), ['UNREACHABLE', 3])
    assert.deepEqual(await broken(4 * MEBIBYTE, MEBIBYTE - 1), ['UNREACHABLE', 3])
    assert.deepEqual(await broken(2 * MEBIBYTE, MEBIBYTE + 1, 1000), ['UNREACHABLE', 3])
  })
})

test('a token that did not come is asked for again by the next request', async () => {
  let tokens = 0
  const { client } = await talk(({ url = '', headers }, response, self) => {
    if (url.startsWith('/token'))
      return ++tokens === 1 ? say(response, 404, '{}') : say(response, 200, '{"token":"x"}')
    if (headers.authorization !== undefined) return say(response, 200, '{}')
    response.setHeader('www-authenticate', `Bearer realm="http://${self.host}/token"`)
    return say(response, 401, '')
  })
  const ask = () => client.ask({ method: 'GET', to: 'it', doing: 'look' })
  await assert.rejects(ask(), /answered 404/)
  const { answer } = await ask()
  await client.skip(answer)
  assert.deepEqual([answer.statusCode, tokens], [200, 2])
})

test('a realm that is not reached is said to be so', async () => {
  const { client } = await talk((_, response) => {
    response.setHeader('www-authenticate', 'Bearer realm="http://127.0.0.1:1/token"')
    return say(response, 401, '')
  })
  const asking = client.ask({ method: 'GET', to: 'it', doing: 'look', tries: 1 })
  await assert.rejects(asking, { code: 'UNREACHABLE', message: /^Cannot log in at 127\.0\.0\.1:1: / })
})

test('a token is a text that a header can hold, under one of two names', async () => {
  const fetched = async (answer: object | string) => {
    const { server, place, deadline } = await talk(({ url = '' }, response) =>
      url.startsWith('/token')
        ? say(response, 200, typeof answer === 'string' ? answer : JSON.stringify(answer))
        : false,
    )
    const wire = new RegistryWire({})
    try {
      const token = await fetchToken({
        server: serverOf(place),
        realm: new URL(`http://${server.host}/token`),
        challenge: { scheme: 'bearer', params: new Map() },
        scopes: [],
        credentials: undefined,
        wire,
        deadline,
      })
      return typeof token === 'object' ? token.text : token
    } finally {
      wire.close()
    }
  }
  assert.equal(await fetched({ token: 'x.y~z' }), 'x.y~z')
  assert.equal(await fetched({ access_token: 'y' }), 'y')
  assert.equal(await fetched({ token: 'x', access_token: 'y' }), 'x')
  for (const wrong of [
    {},
    { token: '' },
    { token: 'a b' },
    { token: 'a\r\nb: c' },
    { token: 5 },
    { token: 'ü' },
    'no JSON',
  ])
    await assert.rejects(fetched(wrong), { code: 'STORE', message: /its answer holds no token$/ })
})

test('a token counts as long as it says, within a day, and is renewed before its end', async () => {
  for (const [stated, seconds] of [
    [300, 290],
    [24 * 3600, 24 * 3600 - 10],
    [1e9, 24 * 3600 - 10],
    [5, 1],
    [0, 50],
    [-1, 50],
    ['300', 50],
    [undefined, 50],
  ] as const) {
    const { server, place, deadline } = await talk(({ url = '' }, response) =>
      url.startsWith('/token')
        ? say(response, 200, JSON.stringify({ token: 'x', expires_in: stated }))
        : false,
    )
    const wire = new RegistryWire({})
    const before = performance.now()
    const token = await fetchToken({
      server: serverOf(place),
      realm: new URL(`http://${server.host}/token`),
      challenge: { scheme: 'bearer', params: new Map() },
      scopes: ['repository:a/mini:pull'],
      credentials: undefined,
      wire,
      deadline,
    })
    wire.close()
    assert.ok(typeof token === 'object')
    const [least, most] = [token.until - performance.now(), token.until - before]
    assert.ok(least <= seconds * 1000 && seconds * 1000 <= most + 1, `${stated}: ${least} ${most}`)
  }
})

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

describe('an answer that is not needed', () => {
  /** Asks twice, with the first answer skipped. @returns by how many connections, and whether the first was given up */
  async function skippedThenAsked(first: Meddle) {
    const sockets = new Set<unknown>()
    let isGivenUp = false
    const { client } = await talk((request, response, self) => {
      if (request.url?.endsWith('/skipped'))
        response.once('close', () => (isGivenUp = !response.writableFinished))
      if (request.url?.endsWith('/skipped') || request.url?.endsWith('/next')) sockets.add(request.socket)
      return request.url?.endsWith('/skipped') ? first(request, response, self) : false
    })
    const { answer } = await client.ask({ method: 'GET', to: 'skipped', doing: 'look', tries: 1 })
    await client.skip(answer)
    const next = await client.ask({ method: 'GET', to: 'next', doing: 'look', tries: 1 })
    await client.skip(next.answer)
    return { connections: sockets.size, isGivenUp }
  }

  test('leaves its connection for the next question', async () => {
    const read = await skippedThenAsked((_, response) => say(response, 403, 'no'))
    assert.deepEqual(read, { connections: 1, isGivenUp: false })
  })

  test('and is given up with its connection where it does not end soon', async () => {
    const read = await skippedThenAsked((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
      return true
    })
    assert.deepEqual(read, { connections: 2, isGivenUp: true })
  })
})

test('content that is compressed on the way is not taken, since its digest is of what is stored', async () => {
  const bytes = Buffer.from('content')
  const blob = { mediaType: 'x/y', digest: sha256(bytes), size: bytes.length }
  for (const [encoding, isTaken] of [
    [undefined, true],
    ['identity', true],
    ['gzip', false],
    ['br', false],
  ] as const) {
    const { client } = await talk((_, response) => {
      if (encoding !== undefined) response.setHeader('content-encoding', encoding)
      return say(response, 200, bytes)
    })
    const read = textOf(downloaded(client, blob))
    if (isTaken) assert.equal(await read, 'content', encoding)
    else await assert.rejects(read, { code: 'STORE', message: /compressed, which was not asked for/ })
  }
})

describe('an answer that refuses', () => {
  /** @param send the body of an answer with this status */
  async function saidOf(status: number, send: Meddle) {
    const { client } = await talk((request, response, self) => {
      if (!request.url?.endsWith('/refused')) return false
      response.statusCode = status
      return send(request, response, self)
    })
    const { answer } = await client.ask({ method: 'GET', to: 'refused', doing: 'look', tries: 1 })
    return (await refusedAnswer(client, answer, 'look')).message.replace(/127[.\d:]+/, 'HOST')
  }

  test('says its status, and a code of the specification where it has one', async () => {
    const body = JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'no' }] })
    const said = await saidOf(404, (_, response) => say(response, 404, body))
    assert.equal(said, 'Cannot look: it is not there (HOST answered 404 MANIFEST_UNKNOWN)')
  })

  test('says its status where the body is too long', async () => {
    const said = await saidOf(404, (_, response) => say(response, 404, '"MANIFEST_UNKNOWN"'.repeat(1000)))
    assert.equal(said, 'Cannot look: it is not there (HOST answered 404)')
  })

  test('says its status where the connection breaks in the body', async () => {
    const said = await saidOf(404, (_, response) => {
      response.writeHead(404, { 'content-length': 100 })
      response.write('part', () => response.destroy())
      return true
    })
    assert.equal(said, 'Cannot look: it is not there (HOST answered 404)')
  })
})
