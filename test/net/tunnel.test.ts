// What the proxy of a sandbox reads: frames, the head of a CONNECT, a ClientHello. Whatever comes, in whatever pieces: no crash, and one answer.
import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { connect as startTls } from 'node:tls'
import fc from 'fast-check'
import { TUNNEL_LIMITS } from '../../src/model/limits.ts'
import { HeadReader, HelloReader, type ReadHead, type ReadHello } from '../../src/net/tunnel/first-bytes.ts'
import { END, FrameReader, framesOf, Lane, type Tunnel } from '../../src/net/tunnel/lane.ts'
import { HostProxy } from '../../src/net/tunnel/proxy.ts'
import { listen } from '../support/http-tool.ts'
import { runs } from '../support/runs.ts'

const bytes = fc.uint8Array({ maxLength: 300 })
/** Where a text is cut. */
const cuts = fc.array(fc.nat(400), { maxLength: 20 })

function cutAt(whole: Uint8Array, at: readonly number[]): readonly Uint8Array[] {
  const places = [...new Set([0, ...at.map(one => Math.min(one, whole.length)), whole.length])].sort(
    (one, other) => one - other,
  )
  return places.slice(1).map((place, index) => whole.subarray(places[index], place))
}

/** What a reader says of pieces, the first time that it says something. */
function firstSaid<T>(reader: { read(piece: Uint8Array): T | undefined }, pieces: readonly Uint8Array[]) {
  for (const piece of pieces) {
    const said = reader.read(piece)
    if (said !== undefined) return said
  }
  return undefined
}

describe('frames', () => {
  const tunnels = fc.array(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 4 }))

  test('tunnels come out as they went in, wherever they are cut', () => {
    fc.assert(
      fc.property(tunnels, cuts, (sent, at) => {
        const wire = Buffer.concat(sent.flatMap(pieces => [...pieces, END].flatMap(framesOf)))
        const reader = new FrameReader()
        const got: Uint8Array[][] = [[]]
        for (const part of cutAt(wire, at))
          for (const piece of reader.read(part)) {
            if (piece.length === 0) got.push([])
            else got.at(-1)?.push(piece)
          }
        assert.deepEqual(
          got.slice(0, -1).map(pieces => Buffer.concat(pieces)),
          sent.map(pieces => Buffer.concat(pieces)),
        )
      }),
      { numRuns: runs(500) },
    )
  })

  test('a piece that is longer than a length says becomes several', () => {
    const long = Buffer.alloc(200_000, 'x')
    const pieces = new FrameReader().read(Buffer.concat(framesOf(long)))
    assert.deepEqual([pieces.length, Buffer.concat(pieces).equals(long)], [4, true])
  })

  test('every sequence of bytes can be read', () => {
    fc.assert(
      fc.property(bytes, sent => {
        const got = new FrameReader().read(sent)
        assert.ok(got.reduce((sum, piece) => sum + piece.length, 0) <= sent.length)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('the head of a CONNECT', () => {
  const read = (text: string): ReadHead | undefined => new HeadReader().read(Buffer.from(text, 'latin1'))
  const brief = (text: string) => {
    const said = read(text)
    if (said === undefined) return undefined
    return 'problem' in said ? said.problem : `${said.host}:${said.port}`
  }

  for (const [text, expected] of [
    ['CONNECT a.example:443 HTTP/1.1\r\n\r\n', 'a.example:443'],
    ['CONNECT A.Example:8443 HTTP/1.0\r\nHost: x\r\nX-Y:\tz\r\n\r\n', 'a.example:8443'],
    ['CONNECT [2606:4700:0:0::1111]:443 HTTP/1.1\r\n\r\n', '[2606:4700::1111]:443'],
    ['CONNECT 93.184.215.14:443 HTTP/1.1\r\n\r\n', '93.184.215.14:443'],
    ['CONNECT a.example:443 HTTP/1.1\r\n', undefined],
    ['connect a.example:443 HTTP/1.1\r\n\r\n', 'it is no CONNECT: only https is passed on'],
    ['CONNECT a.example:443 HTTP/2.0\r\n\r\n', 'it is no CONNECT: only https is passed on'],
    ['CONNECT  a.example:443 HTTP/1.1\r\n\r\n', 'it is no CONNECT: only https is passed on'],
    ['CONNECT a.example:443 HTTP/1.1 \r\n\r\n', 'it is no CONNECT: only https is passed on'],
    ['CONNECT a.example HTTP/1.1\r\n\r\n', 'it names no host:port'],
    ['CONNECT a.example:0 HTTP/1.1\r\n\r\n', 'it names no host:port'],
    [
      'CONNECT a.example:65536 HTTP/1.1\r\n\r\n',
      'it names no host:port: the port is not between 1 and 65535',
    ],
    [
      'CONNECT a.example.:443 HTTP/1.1\r\n\r\n',
      'it names no host:port: the host is not a valid name or address',
    ],
    ['CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n', 'it names no host:port: the host is not a valid name or address'],
    ['CONNECT a@b.example:443 HTTP/1.1\r\n\r\n', 'it names no host:port'],
    ['CONNECT http://a.example:443 HTTP/1.1\r\n\r\n', 'it names no host:port'],
    ['CONNECT a.example:443 HTTP/1.1\r\nX\r\n\r\n', 'its head is not HTTP'],
    ['CONNECT a.example:443 HTTP/1.1\r\nX : y\r\n\r\n', 'its head is not HTTP'],
    ['CONNECT a.example:443 HTTP/1.1\r\nX: a\nb\r\n\r\n', 'its head is not HTTP'],
    ['CONNECT a.example:443 HTTP/1.1\r\n\r\nx', 'bytes came before the answer'],
    [`CONNECT a.example:443 HTTP/1.1\r\nX: ${'a'.repeat(4058)}\r\n\r\n`, 'its head has more than 4096 bytes'],
    [`CONNECT a.example:443 HTTP/1.1\r\nX: ${'a'.repeat(4057)}\r\n\r\n`, 'a.example:443'],
    [`CONNECT ${'a'.repeat(4096)}`, 'its head has more than 4096 bytes'],
  ] as const)
    test(JSON.stringify(text.slice(0, 60)), () => assert.equal(brief(text), expected))

  test('the same wherever it is cut', () => {
    const head = fc.oneof(
      fc.constantFrom(
        'CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
        'CONNECT a\r\n\r\n',
        'GET / HTTP/1.1\r\n\r\n',
      ),
      fc.string({
        unit: fc.constantFrom('C', ' ', ':', '\r', '\n', '\r\n\r\n', '\0', '\xff', 'a'),
        maxLength: 60,
      }),
      bytes.map(some => Buffer.from(some).toString('latin1')),
    )
    fc.assert(
      fc.property(head, cuts, (text, at) => {
        const whole = Buffer.from(text, 'latin1')
        const once = new HeadReader().read(whole)
        const cut = firstSaid(new HeadReader(), cutAt(whole, at))
        const end = whole.indexOf('\r\n\r\n') + 4
        // What comes behind a head is refused by the tunnel, if it comes later.
        if (end < whole.length && once !== undefined && 'problem' in once) assert.ok(cut !== undefined)
        else assert.deepEqual(cut, once)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('no more of it is kept than a head may have', () => {
    const reader = new HeadReader()
    for (let at = 0; at < TUNNEL_LIMITS.headBytes; at++)
      assert.equal(reader.read(Buffer.from('x')), undefined)
    assert.deepEqual(reader.read(Buffer.from('x')), { problem: 'its head has more than 4096 bytes' })
  })
})

/** The first bytes of Node's own TLS. */
async function helloOf(name: string | undefined, more: object = {}): Promise<Buffer> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const got = new Promise<Buffer>(resolve =>
    server.once('connection', socket => {
      socket.on('error', () => {})
      socket.once('data', chunk => {
        socket.destroy()
        resolve(chunk)
      })
    }),
  )
  const client = startTls({ host: '127.0.0.1', port, ...(name && { servername: name }), ...more })
  client.on('error', () => {})
  const hello = await got
  client.destroy()
  server.close()
  return hello
}

/** The same message with other extensions. */
function withExtensions(hello: Buffer, change: (all: Buffer) => Buffer): Buffer {
  const body = hello.subarray(9)
  let at = 34
  at += 1 + (body[at] ?? 0)
  at += 2 + body.readUInt16BE(at)
  at += 1 + (body[at] ?? 0)
  const extensions = change(body.subarray(at + 2, at + 2 + body.readUInt16BE(at)))
  const made = Buffer.concat([body.subarray(0, at), sized(2, extensions)])
  return Buffer.concat([Buffer.from([22, 3, 1]), sized(2, Buffer.concat([Buffer.from([1]), sized(3, made)]))])
}

function sized(size: 1 | 2 | 3, content: Uint8Array): Buffer {
  const length = Buffer.alloc(size)
  length.writeUIntBE(content.length, 0, size)
  return Buffer.concat([length, content])
}

function extension(type: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 0xff]), sized(2, content)])
}

const serverName = (...names: readonly string[]) =>
  extension(
    0,
    sized(
      2,
      Buffer.concat(names.map(name => Buffer.concat([Buffer.from([0]), sized(2, Buffer.from(name))]))),
    ),
  )

/** The same message in records of so many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5)
  const parts: Buffer[] = []
  for (let at = 0; at < message.length; at += size)
    parts.push(Buffer.from([22, 3, 1]), sized(2, message.subarray(at, at + size)))
  return Buffer.concat(parts)
}

describe('a ClientHello', async () => {
  const read = (all: Uint8Array): ReadHello | undefined => new HelloReader().read(all)
  const named = await helloOf('a.example')
  const unnamed = await helloOf(undefined)
  const old = await helloOf('a.example', { maxVersion: 'TLSv1.2' })

  test('of Node, with a name and without', () => {
    assert.deepEqual(read(named), { name: 'a.example' })
    assert.deepEqual(read(old), { name: 'a.example' })
    assert.deepEqual(read(unnamed), { name: undefined })
  })

  test('what hides a name, or could be read in two ways, is refused', () => {
    const broken = { problem: 'its ClientHello cannot be read' }
    for (const [change, expected] of [
      [(all: Buffer) => all, { name: undefined }],
      [() => Buffer.alloc(0), { name: undefined }],
      [(all: Buffer) => Buffer.concat([all, serverName('A.Example')]), { name: 'a.example' }],
      [(all: Buffer) => Buffer.concat([serverName('a.example', 'b.example'), all]), broken],
      [(all: Buffer) => Buffer.concat([serverName(), all]), broken],
      [(all: Buffer) => Buffer.concat([serverName(''), all]), broken],
      [(all: Buffer) => Buffer.concat([extension(0, Buffer.alloc(0)), all]), broken],
      [(all: Buffer) => all.subarray(0, -1), broken],
      [
        (all: Buffer) => Buffer.concat([serverName('a.example'), all, serverName('b.example')]),
        { problem: 'its ClientHello has an extension twice' },
      ],
      [
        (all: Buffer) => Buffer.concat([serverName('a.example'), all, extension(0xfe0d, Buffer.from([0]))]),
        { problem: 'its ClientHello may hide another name (ECH)' },
      ],
    ] as const)
      assert.deepEqual(read(withExtensions(unnamed, change)), expected)
    for (const [all, problem] of [
      [Buffer.from('GET / HTTP/1.1\r\n'), 'what came first is no TLS'],
      [Buffer.from([21, 3, 3, 0, 2, 1, 0]), 'what came first is no TLS'],
      [Buffer.from([22, 3, 1, 0, 0]), 'what came first is no TLS'],
      [Buffer.from([22, 2, 1, 0, 4]), 'what came first is no TLS'],
      [Buffer.from([22, 3, 1, 0x40, 1]), 'what came first is no TLS'],
      [Buffer.from([22, 3, 1, 0, 1, 2]), 'what came first is no TLS'],
      [
        inRecords(Buffer.concat([named, Buffer.from([1, 0, 0, 0])]), 10_000),
        'more than a ClientHello came first',
      ],
    ] as const)
      assert.deepEqual(read(all), { problem })
    const longer = Buffer.from(named)
    longer.writeUInt16BE(named.length - 5 + 1, 3)
    assert.deepEqual(read(longer), { problem: 'more than a ClientHello came first' })
    const body = Buffer.concat([named.subarray(9), Buffer.from([0])])
    const behind = inRecords(Buffer.concat([Buffer.alloc(5), Buffer.from([1]), sized(3, body)]), 10_000)
    assert.deepEqual(read(behind), broken)
    const endless = inRecords(
      Buffer.concat([Buffer.alloc(5), Buffer.from([1, 0xff, 0xff, 0xff]), Buffer.alloc(20_000)]),
      9000,
    )
    assert.deepEqual(read(endless), { problem: 'its ClientHello has more than 16384 bytes' })
  })

  test('the same in all records and pieces', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(named, unnamed, old),
        fc.integer({ min: 1, max: 400 }),
        cuts,
        (hello, size, at) => {
          const made = inRecords(hello, size)
          assert.deepEqual(firstSaid(new HelloReader(), cutAt(made, at)), read(hello))
        },
      ),
      { numRuns: runs(300) },
    )
  })

  test('whatever comes: no crash, and the same wherever it is cut', () => {
    const change = fc.record({ at: fc.nat(600), to: fc.nat(255) })
    const anything = fc.oneof(
      bytes,
      fc.tuple(fc.constantFrom(named, old), fc.array(change, { maxLength: 5 })).map(([hello, changes]) => {
        const made = Buffer.from(hello)
        for (const { at, to } of changes) made[at % made.length] = to
        return made
      }),
    )
    fc.assert(
      fc.property(anything, cuts, (all, at) => {
        assert.deepEqual(firstSaid(new HelloReader(), cutAt(all, at)), read(all))
      }),
      { numRuns: runs(2000) },
    )
  })
})

/** Both ends of a descriptor. */
async function pair(t: TestContext): Promise<readonly [inside: Socket, outside: Socket]> {
  const server = createServer({ allowHalfOpen: true, noDelay: true })
  const outside = new Promise<Socket>(resolve => server.once('connection', resolve))
  const port = await listen(t, server)
  return [connect({ host: '127.0.0.1', port, noDelay: true }), await outside]
}

interface Inside {
  readonly lane: Lane
  said(): string
  isOver(): boolean
  begin(): void
}

/** The end inside, as an attacker has it. */
function insideOf(socket: Socket): Inside {
  let said = ''
  let isOver = false
  const end = () => {
    isOver = true
  }
  const tunnel: Tunnel = {
    piece(piece) {
      said += Buffer.from(piece).toString('latin1')
    },
    ended: end,
    lost: end,
  }
  const lane = new Lane(socket, { begin: () => tunnel, moved: () => {} })
  return {
    lane,
    said: () => said,
    isOver: () => isOver,
    begin() {
      said = ''
      isOver = false
      lane.begin(tunnel)
    },
  }
}

/** By no timer: some tests move the clock. */
async function until(holds: () => boolean): Promise<void> {
  const begun = performance.now()
  while (!holds()) {
    assert.ok(performance.now() < begun + 20_000, 'it never came to this')
    await new Promise(resolve => setImmediate(resolve))
  }
}

const HEAD = 'CONNECT a.example:443 HTTP/1.1\r\n\r\n'
const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'
const PUBLIC = '93.184.215.14'

describe('the proxy', () => {
  const never = () => assert.fail('an address was dialled')
  const closed = { lookup: async () => assert.fail('a name was looked up'), dial: never }

  for (const [what, sent, ms, told] of [
    ['a head that does not come to its end', 'CONNECT a', TUNNEL_LIMITS.headMs, 'its head took too long'],
    [
      'a name that is looked up for ever',
      'CONNECT a.example:443 HTTP/1.1\r\n\r\n',
      TUNNEL_LIMITS.connectMs,
      'a.example:443 does not answer',
    ],
  ] as const)
    test(`${what} has its time`, async t => {
      const [near, far] = await pair(t)
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const internet = { ...closed, lookup: () => new Promise<never>(() => {}) }
      const proxy = new HostProxy(['a.example'], internet)
      proxy.serve(far)
      const { lane, begin, said, isOver } = insideOf(near)
      begin()
      lane.send(Buffer.from(sent))
      await until(() => far.bytesRead > sent.length)
      for (let left = 20; left > 0; left--) await new Promise(resolve => setImmediate(resolve))
      t.mock.timers.tick(ms - 1)
      assert.equal(said(), '')
      t.mock.timers.tick(1)
      await until(isOver)
      assert.match(said(), /^HTTP\/1\.1 403 Forbidden\r\n/)
      assert.deepEqual(proxy.notices(), [`A connection was refused: ${told}`])
    })

  test('a tunnel after another, on one descriptor', async t => {
    const [near, far] = await pair(t)
    const proxy = new HostProxy(['a.example'], closed)
    proxy.serve(far)
    const { lane, begin, said, isOver } = insideOf(near)
    for (let turn = 0; turn < 3; turn++) {
      begin()
      lane.send(Buffer.from('CONNECT b.example:443 HTTP/1.1\r\n\r\n'))
      await until(isOver)
      assert.match(said(), /^HTTP\/1\.1 403 /)
      assert.equal(lane.isFree, false)
      lane.end()
      assert.equal(lane.isFree, true)
    }
  })

  test('bytes that come while a name is looked up are too early', async t => {
    const [near, far] = await pair(t)
    let asked = 0
    const lookup = () => {
      asked++
      return new Promise<never>(() => {})
    }
    const proxy = new HostProxy(['a.example'], { ...closed, lookup })
    proxy.serve(far)
    const { lane, begin, said, isOver } = insideOf(near)
    begin()
    lane.send(Buffer.from(HEAD))
    await until(() => asked === 1)
    lane.send(Buffer.from('x'))
    await until(isOver)
    assert.match(said(), /^HTTP\/1\.1 403 /)
    assert.deepEqual(proxy.notices(), ['A connection was refused: bytes came before the answer'])
  })

  test('a server that hangs up before TLS ends the tunnel', async t => {
    const [near, far] = await pair(t)
    const server = createServer(socket => socket.destroy())
    const port = await listen(t, server)
    const dialled: Socket[] = []
    const dial = () => {
      const socket = connect({ host: '127.0.0.1', port })
      dialled.push(socket)
      return socket
    }
    new HostProxy(['a.example'], { lookup: async () => [{ address: PUBLIC }], dial }).serve(far)
    const { lane, begin, said, isOver } = insideOf(near)
    begin()
    lane.send(Buffer.from(HEAD))
    await until(() => said().startsWith('HTTP/1.1 200 ') && dialled[0]?.destroyed === true)
    lane.send(await helloOf('a.example'))
    await until(isOver)
  })

  for (const [what, says, ms] of [
    ['a ClientHello that does not come has its time', false, TUNNEL_LIMITS.headMs],
    ['a server that goes on when the program has hung up has its time', true, TUNNEL_LIMITS.lingerMs],
  ] as const)
    test(what, async t => {
      const [near, far] = await pair(t)
      const hello = await helloOf('a.example')
      t.mock.timers.enable({ apis: ['setTimeout'] })
      let got = 0
      const server = createServer({ allowHalfOpen: true }, socket => {
        socket.on('data', chunk => {
          got += chunk.length
        })
      })
      const port = await listen(t, server)
      const dial = () => connect({ host: '127.0.0.1', port })
      new HostProxy(['a.example'], { lookup: async () => [{ address: PUBLIC }], dial }).serve(far)
      const { lane, begin, said, isOver } = insideOf(near)
      begin()
      lane.send(Buffer.from(HEAD))
      await until(() => said() === ESTABLISHED)
      if (says) {
        lane.send(hello)
        lane.end()
        await until(() => got === hello.length)
      }
      for (let left = 20; left > 0; left--) await new Promise(resolve => setImmediate(resolve))
      t.mock.timers.tick(ms - 1)
      for (let left = 20; left > 0; left--) await new Promise(resolve => setImmediate(resolve))
      assert.equal(isOver(), false)
      t.mock.timers.tick(1)
      await until(isOver)
      // What follows the answer is TLS, or nothing.
      assert.equal(said(), ESTABLISHED)
    })

  test('much arrives whole, in both directions, however slowly it is taken', async t => {
    const [near, far] = await pair(t)
    const hello = await helloOf('a.example')
    const much = Buffer.alloc(8 * 1024 * 1024, Buffer.from('0123456789abcdefg'))
    const got: Buffer[] = []
    const server = createServer({ allowHalfOpen: true }, socket => {
      socket.on('data', chunk => {
        got.push(chunk)
        socket.pause()
        setTimeout(() => socket.resume(), 1)
      })
      socket.on('end', () => socket.end(much))
    })
    const port = await listen(t, server)
    const dial = () => connect({ host: '127.0.0.1', port })
    new HostProxy(['a.example'], { lookup: async () => [{ address: PUBLIC }], dial }).serve(far)
    const { lane, begin, said, isOver } = insideOf(near)
    begin()
    lane.send(Buffer.from(HEAD))
    await until(() => said() === ESTABLISHED)
    lane.send(hello)
    for (let at = 0; at < much.length; at += 100_000)
      if (!lane.send(much.subarray(at, at + 100_000)))
        await new Promise<void>(resolve => near.once('drain', () => resolve()))
    lane.end()
    await until(isOver)
    assert.equal(Buffer.concat(got).equals(Buffer.concat([hello, much])), true)
    assert.equal(said(), `${ESTABLISHED}${much.toString('latin1')}`)
  })

  test('more bytes than a call may have end all its tunnels', async t => {
    const [[near, far], [other, otherFar]] = [await pair(t), await pair(t)]
    const proxy = new HostProxy(['a.example'], closed, 100_000)
    proxy.serve(far)
    proxy.serve(otherFar)
    near.on('error', () => {})
    near.write(Buffer.alloc(100_001))
    await until(() => far.destroyed && otherFar.destroyed)
    other.destroy()
    assert.deepEqual(proxy.notices(), [
      'A connection was refused: all of one call carry no more than 100000 bytes',
    ])
  })

  test('empty tunnels have an end too', async t => {
    const [near, far] = await pair(t)
    const proxy = new HostProxy(['a.example'], closed, TUNNEL_LIMITS.headBytes * 100)
    proxy.serve(far)
    near.on('error', () => {})
    near.resume()
    near.write(Buffer.alloc(2 * 101))
    await until(() => far.destroyed)
    near.destroy()
  })

  test('whatever comes from inside, nothing is looked up, dialled or thrown', async t => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            bytes,
            bytes.map(some => Buffer.concat(framesOf(some))),
          ),
          { maxLength: 5 },
        ),
        async sent => {
          const [near, far] = await pair(t)
          new HostProxy(['a.example'], closed).serve(far)
          near.on('error', () => {})
          for (const one of sent) near.write(one)
          near.end()
          far.resume()
          await until(() => far.readableEnded || far.destroyed)
          far.destroy()
          near.destroy()
        },
      ),
      { numRuns: runs(50) },
    )
  })
})
