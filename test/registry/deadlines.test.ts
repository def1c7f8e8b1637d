// How long a registry is waited for. Each request that an operation sends is found by watching it once; then the registry is silent at it,
// or gives a byte now and then, or the caller gives up while it waits. A request that does not hear the deadline fails here.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { preferNative } from '../../src/bundle/blake3.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import type { FetchTimes, RegistryAccess } from '../../src/model/carried.ts'
import { RlpError } from '../../src/model/error.ts'
import { attestationDocument, signatureDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { statedAgent } from '../../src/registry/copy.ts'
import { uploaded } from '../../src/registry/http/blobs.ts'
import { Client } from '../../src/registry/http/client.ts'
import { find } from '../../src/registry/open-carried.ts'
import { pushBundle } from '../../src/registry/push.ts'
import { pushTarget } from '../../src/registry/push-target.ts'
import { storedVersions } from '../../src/registry/stored-versions.ts'
import { examine } from '../../src/verify/examine.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, madeTree, RELEASE, REVIEW, world } from '../support/install-world.ts'
import { type FakeOptions, FakeRegistry, sha256 } from '../support/oci-registry.ts'
import { authFile, registryTimeout } from '../support/registry-access.ts'
import { LATE } from '../support/runs.ts'
import { signedTree } from '../support/signed.ts'

const folder = temporary('deadlines')
const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

// The bundle has 200 kB, so that a part of it is worth fetching.
await preferNative()
const TREE = madeTree({ files: { 'bin/data': Buffer.alloc(200_000, 'abcdefg') } })
const BUNDLE = made({ files: { 'bin/data': Buffer.alloc(200_000, 'abcdefg') } }, RELEASE)
const LOGIN = { username: 'alice', password: 'pw-91' }
const FOREVER: Partial<FetchTimes> = { operationMs: 60_000, slowMs: 60_000 }

const here = world(folder('world'))
here.put('b', BUNDLE)

async function registry(options: FakeOptions = {}): Promise<FakeRegistry> {
  const one = await new FakeRegistry(options).start()
  running.push(one)
  return one
}

/** With a bundle, a signature and a statement beside it. */
async function filled(options: FakeOptions = {}): Promise<FakeRegistry> {
  const server = await registry({ referrers: true, login: 'alice:pw-91', ...options })
  await push(server, { env: {}, login: LOGIN }, new AbortController().signal)
  const { signal } = new AbortController()
  const access = { env: {}, login: LOGIN }
  const deadline = new Deadline(signal)
  const { store, manifest } = await find(
    referenceIn(at(server), 'read'),
    { access, deadline },
    { writes: true },
    'b',
  )
  const envelope = Buffer.from(String(signedTree(TREE, [REVIEW])['SIGNATURES/manifest.sig']))
  await attachDocument(store, manifest, signatureDocument(envelope))
  await attachDocument(store, manifest, attestationDocument(Buffer.from('{"payload":""}')))
  await store.close()
  server.asked.length = 0
  return server
}

/** A server of its own for each run, with the same content. */
async function copied(from: FakeRegistry, options: FakeOptions = {}): Promise<FakeRegistry> {
  const server = await registry({ referrers: true, login: 'alice:pw-91', ...options })
  for (const [name, blob] of from.blobs) server.blobs.set(name, blob)
  for (const [name, manifest] of from.manifests) server.manifests.set(name, manifest)
  for (const [name, tag] of from.tags) server.tags.set(name, tag)
  return server
}

const at = (server: FakeRegistry) => `oci://${server.host}/agents/mini:1.0.0`

function push(server: FakeRegistry, access: RegistryAccess, signal: AbortSignal): Promise<unknown> {
  const target = { path: join(here.cwd, 'b'), label: 'b' }
  const to = pushTarget(`oci://${server.host}/agents/mini`, 1)
  return pushBundle(target, { to, force: false, allowUnsigned: false, dryRun: false, access, signal })
}

async function verified(server: FakeRegistry, access: RegistryAccess, signal: AbortSignal) {
  const options = { access, signal, home: here.home, expect: 'any' }
  const { candidate, verification } = await examine(at(server), options, 'parsed')
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  return verification.report
}

type Operation = (server: FakeRegistry, access: RegistryAccess, signal: AbortSignal) => Promise<unknown>

/** Every operation on a registry, and what the registry has before. */
const OPERATIONS: Readonly<Record<string, readonly [Operation, isFilled: boolean]>> = {
  verify: [verified, true],
  'read the beginning': [
    async (server, access, signal) => {
      const deadline = new Deadline(signal, access.times)
      const found = await find(referenceIn(at(server), 'read'), { access, deadline }, { writes: false }, 'b')
      await statedAgent(found, 'b').finally(() => found.store.close())
    },
    true,
  ],
  'list versions': [
    ({ host }, access, signal) => storedVersions(`oci://${host}/agents/mini`, { access, signal }),
    true,
  ],
  push: [push, false],
  'push in pieces': [
    async (server, access, signal) => {
      const place = { in: 'registry', host: '127.0.0.1', port: server.port, repository: 'a/mini' } as const
      const client = Client.open(
        place,
        { access, deadline: new Deadline(signal, access.times) },
        { writes: true },
      )
      const bytes = Buffer.alloc(3000, 'x')
      const blob = { mediaType: 'x/y', digest: sha256(bytes), size: bytes.length }
      const open = async function* (from: number) {
        yield bytes.subarray(from)
      }
      await uploaded(client, blob, open, 1000).finally(() => client.close())
    },
    false,
  ],
  attach: [
    async (server, access, signal) => {
      const deadline = new Deadline(signal, access.times)
      const { store, manifest } = await find(
        referenceIn(at(server), 'read'),
        { access, deadline },
        { writes: true },
        'b',
      )
      const other = { artifactType: 'x/y', mediaType: 'x/z', content: Buffer.from('z') }
      await attachDocument(store, manifest, other).finally(() => store.close())
    },
    true,
  ],
}

type Fault = 'silence' | 'trickle'

/** What an honest registry answers: its status and its headers. */
interface Seen {
  readonly request: string
  readonly status: number
  readonly headers: OutgoingHttpHeaders
}

/** A head at once, and then a byte now and then. */
function trickle(response: ServerResponse, { status, headers }: Partial<Seen> = {}): void {
  const { 'content-length': _, ...rest } = headers ?? {}
  response.writeHead(status ?? 200, { 'content-type': 'application/json', ...rest })
  const timer = setInterval(() => response.write(' '), 60)
  response.on('close', () => clearInterval(timer))
}

/** Every request of an operation, in its order. */
async function watch(server: FakeRegistry, operation: Operation): Promise<Seen[]> {
  const seen: Promise<Seen>[] = []
  server.meddle = ({ method, url }, response) => {
    const answered = once(response, 'finish').then(() => ({
      request: `${method} ${url}`,
      status: response.statusCode,
      headers: response.getHeaders(),
    }))
    seen.push(answered)
    return false
  }
  await operation(server, { env: {}, login: LOGIN, times: FOREVER }, new AbortController().signal)
  return Promise.all(seen)
}

/** Honest, until the request with this number comes. */
function faultAt(
  server: FakeRegistry,
  { number, fault, seen }: { number: number; fault: Fault; seen: Seen | undefined },
  onFault = () => {},
): void {
  let count = 0
  server.meddle = (_, response) => {
    if (count++ !== number) return false
    if (fault === 'trickle') trickle(response, seen)
    onFault()
    return true
  }
}

/** The faults that each request can have. What has no body cannot trickle. */
function faultsOf(all: readonly Seen[]) {
  return all.flatMap((seen, number) =>
    (['silence', 'trickle'] as const)
      .filter(fault => fault === 'silence' || !seen.request.startsWith('HEAD'))
      // What comes behind the last answer is waited for no longer than there is time, and counts no more.
      .map(fault => ({ seen, number, fault, mayPass: fault === 'trickle' && number === all.length - 1 })),
  )
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    error => (error instanceof RlpError ? error : Promise.reject(error)),
  )

describe('each request of an operation', () => {
  for (const [name, [operation, isFilled]] of Object.entries(OPERATIONS)) {
    const prepared = async () => {
      const origin = await filled()
      const start = () => (isFilled ? copied(origin) : registry({ referrers: true, login: 'alice:pw-91' }))
      const seen = await watch(await start(), operation)
      assert.ok(seen.length >= 4, seen.map(({ request }) => request).join('\n'))
      return { start, runs: faultsOf(seen) }
    }

    test(`${name}: is given up in time, and named`, async () => {
      const { start, runs } = await prepared()
      const { signal } = new AbortController()
      const each = async () => {
        for (let one = runs.shift(); one !== undefined; one = runs.shift()) {
          const server = await start()
          faultAt(server, one)
          const { fault, seen, mayPass } = one
          const times =
            fault === 'silence' ? { operationMs: 400 } : { slowMs: 400, bytesPerSecond: 1_000_000 }
          const begun = performance.now()
          const error = await codeOf(operation(server, { env: {}, login: LOGIN, times }, signal))
          const what = `${seen.request}, ${fault}`
          assert.ok(performance.now() - begun < 5000, what)
          if (mayPass && error === 'done') continue
          assert.ok(error instanceof RlpError, `${what}: ${error}`)
          assert.equal(error.code, 'TIMED_OUT', `${what}: ${error.message}`)
          const says =
            fault === 'silence' ? /longer than 0\.4 s in all/ : /less than 1000000 bytes a second over 0\.4 s/
          assert.match(error.message, says)
          assert.match(error.message, /127\.0\.0\.1:[0-9]+/, what)
          const isShort = /timeout under \[registries\] in config\.toml/.test(error.hint ?? '')
          assert.equal(isShort, fault === 'silence', 'no time helps against a registry that is too slow')
        }
      }
      await Promise.all(Array.from({ length: 6 }, each))
    })

    test(`${name}: ends when the caller gives up`, { skip: name !== 'push' && LATE }, async () => {
      const { start, runs } = await prepared()
      for (const one of runs) {
        const cancelled = async () => {
          const server = await start()
          const stop = new AbortController()
          let at = Number.NaN
          faultAt(server, one, () => {
            setTimeout(() => {
              at = performance.now()
              stop.abort()
            }, 30)
          })
          const access = { env: {}, login: LOGIN, times: FOREVER }
          const error = await codeOf(operation(server, access, stop.signal))
          const took = performance.now() - at
          const says = error instanceof RlpError ? error.code : error
          if (!(one.mayPass && says === 'done'))
            assert.equal(says, 'CANCELLED', `${one.seen.request}: ${error}`)
          return took
        }
        let took = await cancelled()
        // Others may have kept this machine busy.
        for (let more = 0; took > 100 && more < 3; more++) took = await cancelled()
        assert.ok(took <= 100, `${one.seen.request}: ${took} ms`)
      }
    })
  }
})

describe('a redirect to another server', () => {
  test('is given up in time, however often it leads on', async () => {
    const server = await copied(await filled())
    let hops = 0
    server.meddle = async ({ url = '' }, response) => {
      if (!url.includes('/blobs/sha256') && !url.startsWith('/hop')) return false
      await sleep(80)
      response.writeHead(307, { location: `http://localhost:${server.port}/hop${hops++}` })
      response.flushHeaders()
      // The body of each comes slowly, too.
      const timer = setInterval(() => response.write(' '), 60)
      response.on('close', () => clearInterval(timer))
      return true
    }
    const error = await codeOf(
      verified(server, { env: {}, login: LOGIN, times: { operationMs: 600 } }, new AbortController().signal),
    )
    assert.equal(error instanceof RlpError && error.code, 'TIMED_OUT')
  })
})

describe('a credential helper that hangs', () => {
  const bin = folder('bin')
  const pid = join(bin, 'pid')
  writeFileSync(join(bin, 'docker-credential-hangs'), `#!/bin/sh\necho $$ > ${pid}\nexec sleep 60\n`)
  chmodSync(join(bin, 'docker-credential-hangs'), 0o755)
  const config = folder('config')
  const access = (server: FakeRegistry, times: Partial<FetchTimes>): RegistryAccess => {
    writeFileSync(join(config, 'config.json'), JSON.stringify({ credHelpers: { [server.host]: 'hangs' } }))
    return { env: { PATH: `${bin}:${process.env['PATH']}`, HOME: config, DOCKER_CONFIG: config }, times }
  }
  const isGone = () => {
    assert.throws(() => process.kill(Number(readFileSync(pid, 'utf8')), 0), { code: 'ESRCH' })
  }

  test('is ended with the time of the operation, and named', async () => {
    const server = await copied(await filled())
    const { signal } = new AbortController()
    const error = await codeOf(verified(server, access(server, { operationMs: 400 }), signal))
    assert.ok(error instanceof RlpError)
    assert.equal(error.code, 'TIMED_OUT')
    assert.match(error.message, /the credential helper "hangs" took longer than 0\.4 s in all/)
    isGone()
  })

  test('is ended when the caller gives up', async () => {
    const server = await copied(await filled())
    const stop = new AbortController()
    mkdirSync(config, { recursive: true })
    writeFileSync(pid, '')
    const work = codeOf(verified(server, access(server, FOREVER), stop.signal))
    while (readFileSync(pid, 'utf8') === '') await sleep(5)
    const begun = performance.now()
    stop.abort()
    const error = await work
    assert.equal(error instanceof RlpError && error.code, 'CANCELLED')
    assert.ok(performance.now() - begun < 500)
    isGone()
  })
})

describe('what is attached', () => {
  const stalls = (server: FakeRegistry, part: RegExp) => {
    server.meddle = ({ url = '' }, response) => {
      if (!part.test(url)) return false
      trickle(response)
      return true
    }
  }
  /** Eight referrers, as eight are read at once. */
  async function eight(): Promise<{ server: FakeRegistry; listed: string[]; blobs: string[] }> {
    const server = await copied(await filled())
    const before = new Set([...server.manifests.keys(), ...server.blobs.keys()])
    const deadline = new Deadline(new AbortController().signal)
    const access = { env: {}, login: LOGIN }
    const { store, manifest } = await find(
      referenceIn(at(server), 'read'),
      { access, deadline },
      { writes: true },
      'b',
    )
    for (let count = 0; count < 8; count++)
      await attachDocument(store, manifest, attestationDocument(Buffer.from(`{"payload":"${count}"}`)))
    await store.close()
    const fresh = (names: Iterable<string>) => [...names].filter(name => !before.has(name))
    return { server, listed: fresh(server.manifests.keys()), blobs: fresh(server.blobs.keys()) }
  }

  for (const [what, part] of [
    ['their list', () => /\/referrers\//],
    ['each of them', ({ listed }) => new RegExp(listed.join('|'))],
    ['the content of each', ({ blobs }) => new RegExp(blobs.join('|'))],
  ] as [string, (of: { listed: string[]; blobs: string[] }) => RegExp][])
    test(`has one time for all: ${what} trickles`, async () => {
      const all = await eight()
      stalls(all.server, part(all))
      const { signal } = new AbortController()
      const access = { env: {}, login: LOGIN, times: { ...FOREVER, attachedMs: 500 } }
      const begun = performance.now()
      const report = await verified(all.server, access, signal)
      assert.ok(performance.now() - begun < 3000)
      // What the bundle has itself counts all the same.
      assert.equal(report.verdict, 'trusted')
      assert.ok(report.carried?.incomplete)
    })
})

describe('at the command line', () => {
  const rlp = (words: readonly string[], env: Readonly<Record<string, string>>) =>
    run([...words], undefined, { cwd: here.cwd, env: { RUNLOOP_HOME: here.home, ...env } })

  /** A realm that gives a byte now and then. */
  async function slowRealm(): Promise<FakeRegistry> {
    const server = await copied(await filled())
    server.meddle = ({ url = '' }, response) => {
      if (!url.startsWith('/token')) return false
      trickle(response)
      return true
    }
    return server
  }

  test('a token realm that trickles is given up, and the verdict says so', async () => {
    const server = await slowRealm()
    process.env['RUNLOOP_HOME'] = here.home
    const env = authFile(here.cwd, { [server.host]: 'alice:pw-91' })
    registryTimeout(here.home, 1)
    const words = ['agent', 'verify', at(server)]
    const { exit, stdout } = await rlp(words, env)
    assert.equal(exit, 3)
    assert.match(stdout, /indeterminate/)
    assert.match(
      stdout.replace(/\s+/g, ' '),
      /Cannot log in at 127\.0\.0\.1:[0-9]+: 127\.0\.0\.1:[0-9]+ took longer than 1 s in all/,
    )
    assert.match(
      stdout.replace(/\s+/g, ' '),
      /allow more time with timeout under \[registries\] in config\.toml/,
    )
    const json = JSON.parse((await rlp([...words, '--json'], env)).stdout)
    const [report] = json.result.bundles
    assert.deepEqual([report.verdict, report.reasons[0].code], ['indeterminate', 'timed_out'])
    assert.match(report.reasons[0].hint, /timeout under \[registries\] in config\.toml/)
    // The same with the right name of a quick registry passes.
    server.meddle = undefined
    assert.equal((await rlp(words, env)).exit, 0)
  })
})

test('time counts while a registry is waited for, and not while others work', async () => {
  const deadline = new Deadline(new AbortController().signal, { operationMs: 200 })
  await deadline.pause(50)
  await sleep(300)
  await deadline.pause(50)
  assert.equal(deadline.over, undefined)
  await assert.rejects(deadline.pause(5000))
  assert.deepEqual(deadline.over, { why: 'late', ms: 200, part: undefined })
})

test('a registry may be as slow as the least rate, and no slower', async () => {
  const { signal } = new AbortController()
  const times = { operationMs: 60_000, slowMs: 300, bytesPerSecond: 10_000 }
  const steady = new Deadline(signal, times)
  for (let count = 0; count < 20; count++) {
    await steady.pause(40)
    steady.moved(1000)
  }
  const slow = new Deadline(signal, times)
  const begun = performance.now()
  await assert.rejects(async () => {
    // Short waits, none of which is as long as a look at the rate.
    for (;;) {
      await slow.pause(20)
      slow.moved(10)
    }
  })
  assert.equal(slow.over?.why, 'slow')
  assert.ok(performance.now() - begun < 2000)
})
