// Programs that are granted a host and try to reach others (fixtures/sandbox/hosts.py). The control of each attack is the granted host, which answers.
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { ADDRESS, type GrantedWorld, grantedWorld, type Names } from '../support/granted-world.ts'
import { callHeld, requiredSandbox } from '../support/held-call.ts'
import { until } from '../support/host.ts'
import { missing } from '../support/needs.ts'
import { grantable } from '../support/sandbox-folder.ts'
import { NO_SANDBOX_HERE } from '../support/sandbox-works.ts'

const folder = grantable('hosts')
const HOST = 'api.example'
const NAMES: Names = {
  [HOST]: [[ADDRESS]],
  'loop.example': [['127.0.0.1']],
  'private.example': [['10.1.2.3']],
  'both.example': [[ADDRESS, '10.1.2.3']],
  'changes.example': [[ADDRESS], ['127.0.0.1']],
  'gone.example': [],
}
const HELLO = `hello ${HOST}`

/** What comes of each attack. */
const ATTACKS: Readonly<Record<string, unknown>> = {
  'the granted host': HELLO,
  'HTTP/1.0': '200',
  capitals: '200',
  'another host': '403',
  'a host below it': '403',
  'a trailing dot': '403',
  'its address': '403',
  'its address, directly': 'Network is unreachable',
  'an IPv6 address': '403',
  'IPv6, directly': 'Network is unreachable',
  'this host by a mapped address': '403',
  'UDP to a resolver': 'Network is unreachable',
  'a resolver by the proxy': '403',
  'looking a name up': 'not found',
  'another port': '403',
  'no port': '403',
  'zeros before the port': '403',
  'user info': '403',
  'user info before it': '403',
  'a NUL': '403',
  'a NUL behind it': '403',
  'a NUL in a header': '403',
  'a line without CR': '403',
  'a folded header': '403',
  'two requests at once': '403',
  'a second request': 'closed',
  'TLS before the answer': '403',
  'plain http': '403',
  'plain http by a library': '403',
  'plain http in a tunnel': 'closed',
  'another name in TLS': 'closed',
  'no name in TLS': 'closed',
  'another name, byte by byte': 'closed',
  'another name in small records': 'closed',
  'an alert before TLS': 'closed',
  'the granted name, byte by byte': HELLO,
  'the granted name in small records': HELLO,
  'a name that leads to this host': '403',
  'a name that leads to a private address': '403',
  'a name that leads to both': '403',
  'a name that changes': ['200', '200'],
  'a name that is not there': '502',
  'this host by its name': '403',
  'a head of 4 KiB': '200',
  'a head of 4 KiB and one byte': '403',
  'seventeen at once': ['503', '200'],
  'forty in turn': [HELLO],
  'descriptors of others': [],
}

interface Tried {
  readonly world: GrantedWorld
  readonly attacks: readonly string[]
  readonly hosts?: readonly string[]
  readonly others?: readonly string[]
  readonly timeoutMs?: number
  readonly sandbox?: Sandbox
}

/** One call of the script. */
function tried({
  world,
  attacks,
  hosts = Object.keys(NAMES),
  others = [],
  timeoutMs = 60_000,
  sandbox,
}: Tried) {
  const { ca, internet } = world
  const at = folder('script')
  const script = join(at, 'hosts.py')
  copyFileSync(join(import.meta.dirname, '../../fixtures/sandbox/hosts.py'), script)
  const given = { attacks, host: hosts[0], address: ADDRESS, ca, others }
  return callHeld(
    { command: '/usr/bin/python3', args: [script, JSON.stringify(given).replaceAll('{{', '{ {')] },
    { reads: [at, ca], hosts, internet, timeoutMs, ...(sandbox !== undefined && { sandbox }) },
  )
}

function world(t: TestContext): Promise<GrantedWorld> {
  return grantedWorld(t, folder('ca'), NAMES)
}

describe('a program that is granted a host', { skip: NO_SANDBOX_HERE || missing('python3') }, () => {
  test('reaches it, and nothing else', async t => {
    const here = await world(t)
    const attacks = [...Object.keys(ATTACKS), 'its descriptors']
    const { envelope, enforced, facts } = await tried({ world: here, attacks })
    assert.ok(envelope.ok, JSON.stringify(envelope))
    const { 'its descriptors': own, ...answers } = envelope.result as Record<string, unknown>
    assert.deepEqual(answers, ATTACKS)
    // It depends on who starts the tests whether there are any; none of them leads to the proxy.
    assert.ok(Array.isArray(own) && own.every(one => one === '/dev/null'), JSON.stringify(own))
    assert.equal(enforced?.network, 'hosts')
    // Only the addresses of granted names were connected to, and each name was looked up once.
    assert.deepEqual([...new Set(here.dialled)], [`${ADDRESS}:443`])
    assert.deepEqual([...here.asked].sort(), Object.keys(NAMES).sort())
    const told = facts?.notices ?? []
    assert.ok(told.includes('A connection was refused: evil.example:443 is not granted'), told.join('\n'))
    assert.equal(told.length, 8)
  })

  test('sends its server nothing before it has named it in TLS', async t => {
    const here = await world(t)
    const refused = Object.keys(ATTACKS).filter(name => ATTACKS[name] === 'closed')
    const { envelope } = await tried({ world: here, attacks: [...refused, 'the granted host'] })
    assert.ok(envelope.ok, JSON.stringify(envelope))
    const sent = here.sockets.map(({ bytesWritten }) => bytesWritten)
    assert.deepEqual([sent.length, sent.slice(0, -1).every(bytes => bytes === 0)], [refused.length + 1, true])
    assert.ok((sent.at(-1) ?? 0) > 200)
  })

  test('a tunnel that never ends is ended by the time of the call', async t => {
    const here = await world(t)
    const begun = performance.now()
    const { envelope, remarks } = await tried({
      world: here,
      attacks: ['a tunnel that never ends'],
      timeoutMs: 4000,
    })
    assert.deepEqual([envelope.ok, !envelope.ok && envelope.kind], [false, 'timeout'])
    assert.match(remarks ?? '', /begun/)
    assert.ok(performance.now() - begun < 15_000)
  })

  test('two calls at once reach each its own host', async t => {
    const here = await world(t)
    const hosts = ['changes.example', HOST]
    const ran = await Promise.all(
      hosts.map(host =>
        tried({
          world: here,
          attacks: ['the granted host', 'only its own host'],
          hosts: [host],
          others: hosts,
        }),
      ),
    )
    assert.deepEqual(
      ran.map(({ envelope }) => envelope.ok && envelope.result),
      hosts.map(host => ({
        'the granted host': `hello ${host}`,
        'only its own host': hosts.map(other => (other === host ? '200' : '403')),
      })),
    )
  })

  test('when the proxy ends first, the program reaches nothing any more', async t => {
    const here = await world(t)
    const streams: Duplex[] = []
    const held = await requiredSandbox()
    const sandbox: Sandbox = {
      ...held,
      hold(what) {
        const made = held.hold(what)
        if ('kind' in made) return made
        const watched = made.streams.map(stream =>
          typeof stream === 'string' || !('serve' in stream)
            ? stream
            : {
                serve(end: Duplex) {
                  streams.push(end)
                  stream.serve(end)
                },
              },
        )
        return { ...made, streams: watched }
      },
    }
    const call = tried({ world: here, attacks: ['the end of the proxy'], sandbox })
    await until('a tunnel is open', () => here.dialled.length > 0)
    await wait(300)
    for (const stream of streams) stream.destroy()
    const { envelope } = await call
    assert.deepEqual(envelope.ok && envelope.result, { 'the end of the proxy': ['closed', '503'] })
  })

  test('without a host it finds no proxy', async t => {
    const here = await world(t)
    const { envelope, enforced } = await callHeld(
      { command: '/bin/sh', args: ['-c', 'env | grep -ci proxy'] },
      { internet: here.internet },
    )
    assert.equal(enforced?.network, 'denied')
    assert.equal(envelope.ok, false, JSON.stringify(envelope))
  })
})
