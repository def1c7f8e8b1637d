// What a name leads to decides, not what it is called: plain http is spoken to this machine alone, and a registry elsewhere sends no request here.

import assert from 'node:assert/strict'
import dns from 'node:dns'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { checkAddress, refusedPlace, serverOf } from '../../src/registry/http/registry-server.ts'
import { RegistryWire, type WireRequest } from '../../src/registry/http/wire.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'

const folder = temporary('dialled')
let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry().start()
})
after(() => server.stop())

const placeAt = (host: string) => serverOf({ in: 'registry', host, port: undefined, repository: 'a/mini' })
const HERE = ['127.0.0.1', '127.255.255.255', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', '::ffff:0.0.0.0']
const ELSEWHERE = [
  ...['10.0.0.5', '192.168.1.1', '169.254.169.254', '93.184.215.14', '2606:4700::1111', 'fe80::1%eth0'],
  // They hold a loopback address, and lead to a relay or a translator.
  ...['2002:7f00:1::', '64:ff9b::7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '0.0.0.1', 'no address'],
]
const url = (host: string, scheme = 'https') => new URL(`${scheme}://${host}/token`)

test('plain http may go to addresses of this machine alone', () => {
  const app = placeAt('app.localhost')
  for (const address of HERE) checkAddress(address, url('app.localhost', 'http'), app)
  for (const address of ELSEWHERE)
    assert.throws(
      () => checkAddress(address, url('app.localhost', 'http'), app),
      /plain http is spoken/,
      address,
    )
})

test('a registry elsewhere names no place on this machine, by name or by what its name leads to', () => {
  const there = placeAt('registry.example')
  for (const host of [
    'localhost',
    'a.localhost',
    'localhost.',
    '127.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])
    assert.equal(refusedPlace(url(host), there), 'it leads to this machine', host)
  for (const host of ['files.example', '127.files.example', 'notlocalhost', '10.0.0.5'])
    assert.equal(refusedPlace(url(host), there), undefined, host)
  checkAddress('93.184.215.14', url('files.example'), there)
  // Companies keep registry and storage in one private network.
  checkAddress('10.0.0.5', url('files.example'), there)
  for (const address of [...HERE, '2002:7f00:1::', '64:ff9b::7f00:1', '::127.0.0.1', '0.0.0.1'])
    assert.throws(() => checkAddress(address, url('files.example'), there), /may name such a place/, address)
  // Who names a registry behind a tunnel on this machine meant it.
  checkAddress('127.0.0.1', url('registry.example'), there)
  checkAddress('127.0.0.1', url('files.example'), placeAt('0.0.0.0'))
})

/** The system's lookup, as another host answers it. */
function lookupSays(t: TestContext, addresses: readonly string[]) {
  const asked: string[] = []
  const answer = ((host: string, _: unknown, done: (error: null, found: unknown) => void) => {
    asked.push(host)
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as never
  t.mock.method(dns, 'lookup', answer)
  return asked
}

test('the wire connects to no address that was not checked', async t => {
  const wire = new RegistryWire({})
  const ask = (to: URL, host = to.hostname) =>
    wire.send({
      method: 'GET',
      url: to,
      server: placeAt(host),
      headers: {},
      deadline: new Deadline(AbortSignal.timeout(5000)),
    })
  try {
    const asked = lookupSays(t, ['127.0.0.1'])
    const at = new URL(`http://app.localhost:${server.port}/v2/`)
    const answer = await ask(at)
    answer.resume()
    assert.deepEqual([answer.statusCode, asked], [200, ['app.localhost']])
    wire.close()
    for (const found of [['93.184.215.14'], ['127.0.0.1', '10.0.0.5'], ['::ffff:10.0.0.5']]) {
      t.mock.restoreAll()
      lookupSays(t, found)
      await assert.rejects(ask(at), { code: 'ERR_NOT_DIALLED' })
    }
    t.mock.restoreAll()
    lookupSays(t, ['127.0.0.1'])
    const redirected = new URL(`https://files.example:${server.port}/x`)
    await assert.rejects(ask(redirected, 'registry.example'), { code: 'ERR_NOT_DIALLED' })
    await assert.rejects(ask(new URL('http://93.184.215.14/'), 'localhost'), { code: 'ERR_NOT_DIALLED' })
    // The same as its own server is connected to; it speaks no TLS.
    await assert.rejects(ask(redirected, `files.example:${server.port}`), (error: { code?: string }) => {
      return error.code !== 'ERR_NOT_DIALLED'
    })
  } finally {
    wire.close()
  }
})

test('a name below localhost that leads elsewhere is asked by https, as any other', async t => {
  const here = world(folder('elsewhere'))
  here.put('b', made({}, RELEASE))
  process.env['RUNLOOP_HOME'] = here.home
  const send = RegistryWire.prototype.send
  for (const [found, schemes] of [
    [['127.0.0.1'], ['http:']],
    [['192.0.2.1'], ['http:', 'https:']],
  ] as const) {
    lookupSays(t, found)
    const sent: string[] = []
    t.mock.method(RegistryWire.prototype, 'send', function (this: RegistryWire, request: WireRequest) {
      sent.push(request.url.protocol)
      // A test connects to no other machine.
      if (request.url.protocol === 'http:') return send.call(this, request)
      throw Object.assign(new Error('no server'), { code: 'ECONNREFUSED' })
    })
    const args = ['agent', 'push', join(here.cwd, 'b'), 'oci://app.localhost:1/agents/mini']
    const { exit, stderr } = await run(args, undefined, { cwd: here.cwd, env: {} })
    assert.equal(exit, 3)
    assert.match(stderr, /no connection to app\.localhost:1 /)
    assert.deepEqual(sent, schemes)
    t.mock.restoreAll()
  }
})
