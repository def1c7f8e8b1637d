// A stored bundle on its way from place to place: the same digest, what is attached to it, and nothing sent twice.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { encodeHeader } from '../../src/bundle/archive.ts'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { countersign } from '../../src/library/generated/registry.ts'
import { PARSE_LIMITS } from '../../src/model/limits.ts'
import type { Report } from '../../src/model/report.ts'
import { attestationDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { type Copied, readOn, statedAgent } from '../../src/registry/copy.ts'
import { find } from '../../src/registry/open-carried.ts'
import type { Store } from '../../src/registry/store.ts'
import { agentTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, REVIEW, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say, sha256 } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'

const folder = temporary('copy')
const BUNDLE = made({ files: { 'assets/noise': randomBytes(70_000) } }, RELEASE)
const STATEMENT = attestationDocument(Buffer.from('{"payload":""}'))
const BILL = {
  artifactType: 'application/vnd.cyclonedx+json',
  mediaType: 'application/vnd.cyclonedx+json',
  content: Buffer.from('{"bomFormat":"CycloneDX"}'),
}
const deadline = () => new Deadline(new AbortController().signal)

const servers: FakeRegistry[] = []
async function server(options: ConstructorParameters<typeof FakeRegistry>[0]): Promise<FakeRegistry> {
  const started = await new FakeRegistry(options).start()
  servers.push(started)
  return started
}
after(() => Promise.all(servers.map(one => one.stop())))

async function copy(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'copy', ...args)
  const result = envelope.result as unknown as { changed: boolean; bundles: Copied[] } | undefined
  return { exit, code: envelope.code, message: envelope.message ?? '', copied: result?.bundles[0], result }
}

/** A world with a bundle in a layout, signed once more there, with a statement and a foreign document beside it. */
async function stored(name: string): Promise<World> {
  const here = world(folder(name))
  here.put('b', BUNDLE)
  assert.equal((await here.rlp('agent', 'push', 'b', 'oci-layout:store')).exit, 0)
  const at = referenceIn(`oci-layout:${join(here.cwd, 'store')}:1.0.0`, 'read')
  const { store, manifest } = await find(
    at,
    { access: { env: {} }, deadline: deadline() },
    { writes: true },
    'store',
  )
  const key = { key: REVIEW.key, sign: async (message: Uint8Array) => REVIEW.sign(message) }
  await countersign('oci-layout:store:1.0.0', { cwd: here.cwd, key, expect: 'mini@1.0.0' })
  await attachDocument(store, manifest, STATEMENT)
  await attachDocument(store, manifest, BILL)
  return here
}

async function verdictOf(here: World, at: string): Promise<Report> {
  const { envelope } = await here.rlp('agent', 'verify', at)
  return envelope.result?.bundles?.[0] as Report
}

/** Method and path of each question, without repository and digests. */
const questions = ({ asked }: FakeRegistry) =>
  asked.map(
    ({ method, url }) =>
      `${method} ${url.replace(/^\/v2\/agents\/mini\//, '').replace(/sha256[-:][0-9a-f]{64}/, 'DIGEST')}`,
  )

describe('a bundle and what is attached to it', () => {
  let here: World
  let withReferrers: FakeRegistry
  let without: FakeRegistry
  before(async () => {
    here = await stored('around')
    withReferrers = await server({ referrers: true })
    without = await server({ referrers: false })
  })

  test('go from a folder to a registry, to another, and back into a folder, byte for byte', async () => {
    const ways = [
      ['oci-layout:store:1.0.0', `oci://${withReferrers.host}/agents/`],
      [`oci://${withReferrers.host}/agents/mini:1.0.0`, `oci://${without.host}/agents/mini`],
      [`oci://${without.host}/agents/mini:1.0.0`, 'oci-layout:far:kept'],
    ] as const
    const first = await verdictOf(here, 'oci-layout:store:1.0.0')
    for (const [from, to] of ways) {
      const { exit, copied, result } = await copy(here, from, to)
      assert.equal(exit, 0)
      assert.deepEqual(Object.keys(result ?? {}).sort(), ['bundles', 'changed'])
      assert.equal(result?.changed, true)
      assert.equal(copied?.changed, true)
      assert.equal(copied?.manifest, first.carried?.manifest)
      assert.equal(copied?.digest, sha256(BUNDLE))
      assert.equal(copied?.attached.length, 2)
      const at = copied?.reference ?? ''
      const report = await verdictOf(here, to.endsWith(':kept') ? `${to}@${copied?.manifest}` : at)
      assert.equal(report.verdict, 'trusted')
      assert.deepEqual(
        report.signatures.map(({ keyid }) => keyid),
        first.signatures.map(({ keyid }) => keyid),
      )
      assert.equal(report.signatures.length, 2)
      // What is neither a signature nor a statement stays behind, and that is said.
      assert.equal(copied?.left.length, from.startsWith('oci-layout:') ? 1 : 0)
    }
    const blob = (place: string) =>
      readFileSync(join(here.cwd, place, 'blobs/sha256', sha256(BUNDLE).slice(7)))
    assert.ok(blob('store').equals(blob('far')))
    assert.ok(blob('far').equals(BUNDLE))
  })

  test('are not sent again, and a question is asked once', async () => {
    withReferrers.asked.length = 0
    withReferrers.received = 0
    const again = await copy(here, 'oci-layout:store:1.0.0', `oci://${withReferrers.host}/agents/`)
    assert.deepEqual([again.copied?.changed, again.copied?.sent], [false, 0])
    assert.equal(withReferrers.received, 0)
    assert.deepEqual(questions(withReferrers), [
      'GET /v2/',
      'GET manifests/1.0.0',
      'HEAD blobs/DIGEST',
      'HEAD blobs/DIGEST',
      'GET referrers/DIGEST',
      'GET manifests/DIGEST',
    ])
  })

  test('what is attached later is added to what is there', async () => {
    const here = await stored('later')
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', 'oci-layout:far')).copied?.attached.length, 2)
    const at = referenceIn(`oci-layout:${join(here.cwd, 'store')}:1.0.0`, 'read')
    const { store, manifest } = await find(
      at,
      { access: { env: {} }, deadline: deadline() },
      { writes: true },
      'store',
    )
    await attachDocument(store, manifest, attestationDocument(Buffer.from('{"payload":"later"}')))
    const again = await copy(here, 'oci-layout:store:1.0.0', 'oci-layout:far')
    assert.deepEqual([again.copied?.changed, again.copied?.attached.length], [true, 3])
    const far = referenceIn(`oci-layout:${join(here.cwd, 'far')}:1.0.0`, 'read')
    const there = await find(far, { access: { env: {} }, deadline: deadline() }, { writes: false }, 'far')
    const { manifests } = await there.store.attachedTo(manifest.digest, 10)
    assert.deepEqual(manifests.map(({ digest }) => digest).sort(), [...(again.copied?.attached ?? [])].sort())
  })

  test('only what is missing is sent', async () => {
    without.blobs.delete(sha256(BUNDLE))
    const { copied } = await copy(here, 'oci-layout:store:1.0.0', `oci://${without.host}/agents/`)
    assert.deepEqual([copied?.changed, copied?.sent], [true, BUNDLE.length])
    without.blobs.delete(sha256(STATEMENT.content))
    // A document that is listed there is taken to be there.
    assert.equal(
      (await copy(here, 'oci-layout:store:1.0.0', `oci://${without.host}/agents/`)).copied?.sent,
      0,
    )
  })
})

describe('a dry run', () => {
  test('says what would be sent, and sends and writes nothing', async () => {
    const here = await stored('dry')
    const there = await server({ referrers: true })
    const to = `oci://${there.host}/agents/`
    const dry = await copy(here, 'oci-layout:store:1.0.0', to, '--dry-run')
    assert.deepEqual([dry.exit, dry.result?.changed, dry.copied?.changed], [0, true, true])
    assert.ok(there.asked.every(({ method }) => method === 'GET' || method === 'HEAD'))
    const shown = async (...args: string[]) =>
      (await run(['agent', 'copy', 'oci-layout:store:1.0.0', 'oci-layout:shown', ...args], undefined, here))
        .stdout
    assert.match(await shown('--dry-run'), / would be copied to .*; [0-9,]+ bytes would be sent\n/s)
    assert.match(await shown(), / copied to .*; [0-9,]+ bytes sent\n/s)
    assert.match(
      await shown(),
      / is already at oci-layout:shown:1\.0\.0\n {2}stored as sha256:[0-9a-f]{64}\n/,
    )
    const real = await copy(here, 'oci-layout:store:1.0.0', to)
    assert.equal(real.copied?.sent, dry.copied?.sent)
    const then = await copy(here, 'oci-layout:store:1.0.0', to, '--dry-run')
    assert.deepEqual([then.copied?.changed, then.copied?.sent], [false, 0])
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', 'oci-layout:new', '--dry-run')).exit, 0)
    assert.equal(existsSync(join(here.cwd, 'new')), false)
  })
})

describe('within one registry', () => {
  const inOther = (url = '') => url.startsWith('/v2/prod/')

  test('the registry takes a blob from the other repository without being sent it', async () => {
    const here = await stored('mount')
    const there = await server({ login: 'alice:pw' })
    const env = authFile(here.cwd, { [there.host]: 'alice:pw' })
    const rlp = (...args: string[]) => {
      process.env['RUNLOOP_HOME'] = here.home
      return run([...args, '--json'], undefined, { cwd: here.cwd, env })
    }
    const dev = `oci://${there.host}/dev/mini`
    assert.equal((await rlp('agent', 'copy', 'oci-layout:store:1.0.0', dev)).exit, 0)
    const mounted: string[] = []
    there.meddle = (request, response) => {
      if (request.headers.authorization?.startsWith('Bearer') !== true) return false
      if (request.method === 'HEAD' && inOther(request.url)) return say(response, 404, '')
      if (request.method !== 'POST') return false
      const { searchParams } = new URL(request.url ?? '', 'http://x')
      assert.equal(searchParams.get('from'), 'dev/mini')
      mounted.push(searchParams.get('mount') ?? '')
      return say(response, 201, '')
    }
    there.asked.length = 0
    there.received = 0
    const { exit, stdout } = await rlp('agent', 'copy', `${dev}:1.0.0`, `oci://${there.host}/prod/`)
    assert.equal(exit, 0, stdout)
    assert.equal(JSON.parse(stdout).result.bundles[0].sent, 0)
    assert.ok(mounted.includes(sha256(BUNDLE)))
    // Manifests alone were sent, and the token was asked for both repositories.
    assert.ok(there.received < 10_000, String(there.received))
    const scopes = there.asked
      .filter(({ url }) => url.startsWith('/token'))
      .map(({ url }) => new URL(url, 'http://x').searchParams.getAll('scope'))
    assert.ok(
      scopes.some(list => list.join() === 'repository:prod/mini:pull,push,repository:dev/mini:pull'),
      JSON.stringify(scopes),
    )
  })

  test('a registry that does not is sent it', async () => {
    const here = await stored('no-mount')
    const there = await server({})
    const dev = `oci://${there.host}/dev/mini`
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', dev)).exit, 0)
    const layer = sha256(BUNDLE)
    there.meddle = (request, response) =>
      request.method === 'HEAD' && inOther(request.url) && request.url?.endsWith(layer) === true
        ? say(response, 404, '')
        : false
    const { copied } = await copy(here, `${dev}:1.0.0`, `oci://${there.host}/prod/`)
    assert.equal(copied?.sent, BUNDLE.length)
  })
})

describe('what is refused', () => {
  test('a tag with other content, unless it is meant to move', async () => {
    const here = await stored('taken')
    here.put('other', made({ files: { 'assets/x': 'another' } }, RELEASE))
    assert.equal((await here.rlp('agent', 'push', 'other', 'oci-layout:there')).exit, 0)
    const refused = await copy(here, 'oci-layout:store:1.0.0', 'oci-layout:there')
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.match(
      refused.message,
      /^Cannot copy "oci-layout:store:1\.0\.0": .*there:1\.0\.0 names other content/,
    )
    const moved = await copy(here, 'oci-layout:store:1.0.0', 'oci-layout:there', '--force')
    assert.equal(moved.copied?.changed, true)
    assert.equal((await verdictOf(here, 'oci-layout:there:1.0.0')).carried?.bundle, sha256(BUNDLE))
  })

  test('wrong references and targets, before anything is asked', async () => {
    const here = await stored('wrong')
    for (const [args, words] of [
      [['oci-layout:store:1.0.0'], /the target is missing/],
      [['oci-layout:store:1.0.0', 'got'], /"got" is no target/],
      [['b', 'oci-layout:there'], /"b": it is no reference of a stored bundle/],
      [['oci-layout:store', 'oci-layout:there'], /neither a tag nor a digest/],
      [
        ['oci-layout:store:1.0.0', `oci-layout:there@sha256:${'0'.repeat(64)}`],
        /the digest follows from the bundle/,
      ],
      [['oci-layout:store:1.0.0', 'oci-layout:store:1.0.0', 'oci-layout:there:x'], /Cannot copy 2 bundles/],
      [
        ['oci-layout:store:1.0.0', 'oci://localhost:1/agents/other'],
        /it is mini 1\.0\.0, and readers would expect another/,
      ],
      [['oci-layout:store:1.0.0', 'oci-layout:there:2.0.0'], /readers would expect another/],
    ] as const) {
      const { exit, code, message } = await copy(here, ...args)
      assert.deepEqual([exit, code], [2, 'USAGE'], args.join(' '))
      assert.match(message, words)
    }
    assert.equal((await copy(here, 'oci-layout:store:9.9.9', 'oci-layout:there')).code, 'NOT_STORED')
    assert.equal(existsSync(join(here.cwd, 'there')), false)
  })

  test('a list of attached things that is not whole: a copy would hide a signature', async () => {
    const here = await stored('part')
    const there = await server({ referrers: true })
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', `oci://${there.host}/agents/`)).exit, 0)
    there.meddle = (request, response) =>
      request.url?.includes('/referrers/') === true ? say(response, 500, '{}') : false
    const { exit, code, message } = await copy(
      here,
      `oci://${there.host}/agents/mini:1.0.0`,
      'oci-layout:there',
    )
    assert.deepEqual([exit, code], [3, 'STORE'])
    assert.match(message, /with what is attached to it/)
    assert.equal(existsSync(join(here.cwd, 'there')), false)
  })

  test('bytes that are not those that the manifest names: nothing gets a tag', async () => {
    const here = await stored('bytes')
    const there = await server({})
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', `oci://${there.host}/agents/`)).exit, 0)
    const layer = sha256(BUNDLE)
    const bent = Buffer.from(BUNDLE)
    bent[bent.length - 2000] = (bent.at(-2000) ?? 0) ^ 1
    there.blobs.set(layer, bent)
    for (const to of ['oci-layout:there', `oci://${(await server({})).host}/agents/`]) {
      const { exit, code } = await copy(here, `oci://${there.host}/agents/mini:1.0.0`, to)
      assert.deepEqual([exit, code], [3, 'STORE'], to)
      assert.deepEqual(servers.at(-1)?.tags.size ?? 0, to.startsWith('oci:') ? 0 : servers.at(-1)?.tags.size)
    }
    assert.equal((await copy(here, 'oci-layout:there:1.0.0', 'oci-layout:more')).code, 'NOT_STORED')
  })

  test('what does not begin like a bundle', async () => {
    const here = await stored('other')
    const there = await server({})
    const at = `oci://${there.host}/agents/mini:1.0.0`
    assert.equal((await copy(here, 'oci-layout:store:1.0.0', `oci://${there.host}/agents/`)).exit, 0)
    there.blobs.set(sha256(BUNDLE), Buffer.alloc(BUNDLE.length))
    assert.match((await copy(here, at, 'oci-layout:there')).message, /it does not begin like a bundle/)
  })
})

test('of a manifest that is longer than one may be, no more is fetched than its header', async () => {
  const asked: number[] = []
  const stated = (size: number, path = 'manifest.toml') => {
    asked.length = 0
    const text = Buffer.alloc(size, '#')
    text.write(`${agentTree()['manifest.toml']}\n`)
    const bytes = Buffer.concat([encodeHeader(path, size), text])
    const store = {
      part: async (_: unknown, from: number, count: number) => {
        asked.push(count)
        return bytes.subarray(from, from + count)
      },
    } as unknown as Store
    const layer = { mediaType: 'x/y', digest: sha256(bytes), size: bytes.length }
    return statedAgent({ store, layer } as unknown as Parameters<typeof statedAgent>[0], 'it')
  }
  assert.deepEqual(await stated(7488), { name: 'mini', version: '1.0.0' })
  assert.deepEqual(asked, [8000])
  assert.deepEqual(await stated(100_000), { name: 'mini', version: '1.0.0' })
  assert.deepEqual(asked, [8000, 100_000])
  assert.deepEqual(await stated(PARSE_LIMITS.textBytes), { name: 'mini', version: '1.0.0' })
  await assert.rejects(stated(PARSE_LIMITS.textBytes + 1), { code: 'STORE' })
  assert.deepEqual(asked, [8000])
  await assert.rejects(stated(100_000, 'other.toml'), { code: 'STORE' })
  assert.deepEqual(asked, [8000])
})

test('only a name, a variant and a version that an agent may have decide where a copy goes', async () => {
  const manifest = `${agentTree({ variant: 'pro' })['manifest.toml']}`
  const stated = (from: string, to: string) => {
    const text = Buffer.from(manifest.replace(from, to))
    const bytes = Buffer.concat([encodeHeader('manifest.toml', text.length), text])
    const store = { part: async (_: unknown, at: number, count: number) => bytes.subarray(at, at + count) }
    const layer = { mediaType: 'x/y', digest: sha256(bytes), size: bytes.length }
    return statedAgent({ store, layer } as unknown as Parameters<typeof statedAgent>[0], 'it')
  }
  const named = { name: 'mini', version: '1.0.0' }
  assert.deepEqual(await stated('', ''), { ...named, variant: 'pro' })
  assert.deepEqual(await stated('variant = "pro"', ''), named)
  assert.deepEqual(await stated('variant = "pro"', 'variant = ""'), named)
  for (const [from, to] of [
    ['name = "mini"', ''],
    ['name = "mini"', 'name = "../mini"'],
    ['version = "1.0.0"', ''],
    ['version = "1.0.0"', 'version = "1.0"'],
    ['variant = "pro"', 'variant = "../pro"'],
  ] as const) {
    assert.ok(manifest.includes(from), from)
    await assert.rejects(stated(from, to), { code: 'STORE', message: /does not begin like a bundle/ })
  }
})

test('a copy goes to the agent that its manifest states, if that is the name of one', async () => {
  const stated = (change: (manifest: string) => string) => {
    const text = Buffer.from(change(String(agentTree()['manifest.toml'])))
    const bytes = Buffer.concat([encodeHeader('manifest.toml', text.length), text])
    const store = { part: async () => bytes } as unknown as Store
    const layer = { mediaType: 'x/y', digest: sha256(bytes), size: bytes.length }
    return statedAgent({ store, layer } as unknown as Parameters<typeof statedAgent>[0], 'it')
  }
  const named = (name: string) => (manifest: string) => manifest.replace(/^name = .*$/m, name)
  assert.deepEqual(await stated(named('name = "other"')), { name: 'other', version: '1.0.0' })
  assert.deepEqual(await stated(named('name = "other"\nvariant = "pro"')), {
    name: 'other',
    version: '1.0.0',
    variant: 'pro',
  })
  for (const wrong of [
    'name = "../other"',
    'name = "Other"',
    'name = "other"\nvariant = "../x"',
    'title = "x"',
  ])
    await assert.rejects(
      stated(named(wrong)),
      { code: 'STORE', message: /does not begin like a bundle/ },
      wrong,
    )
  await assert.rejects(
    stated(manifest => manifest.replace(/^version = .*$/m, 'version = "one"')),
    { code: 'STORE' },
  )
})

test('of many, one that is missing hides no other', async () => {
  const here = await stored('many')
  const { exit, result } = await copy(
    here,
    'oci-layout:store:9.9.9',
    'oci-layout:store:1.0.0',
    'oci-layout:there/',
  )
  assert.equal(exit, 3)
  assert.deepEqual(
    result?.bundles.map(({ from }) => from),
    ['oci-layout:store:1.0.0'],
  )
  assert.deepEqual(
    (result as unknown as { failed: { code: string }[] }).failed.map(({ code }) => code),
    ['NOT_STORED'],
  )
  assert.equal((await verdictOf(here, 'oci-layout:there/mini:1.0.0')).verdict, 'trusted')
})

test('a password is sent to its own registry alone', async () => {
  const here = await stored('passwords')
  const from = await server({ login: 'alice:pw' })
  const to = await server({ login: 'bob:other' })
  process.env['RUNLOOP_HOME'] = here.home
  let env = authFile(here.cwd, { [from.host]: 'alice:pw', [to.host]: 'bob:other' })
  const rlp = (...args: string[]) => run(args, undefined, { cwd: here.cwd, env })
  assert.equal((await rlp('agent', 'copy', 'oci-layout:store:1.0.0', `oci://${from.host}/agents/`)).exit, 0)
  const copied = () =>
    rlp('agent', 'copy', `oci://${from.host}/agents/mini:1.0.0`, `oci://${to.host}/agents/`)
  const sent = (one: FakeRegistry) =>
    new Set(
      one.asked.flatMap(({ authorization = '' }) =>
        authorization.startsWith('Basic') ? [authorization] : [],
      ),
    )
  const basic = (login: string) => new Set([`Basic ${Buffer.from(login).toString('base64')}`])
  from.asked.length = 0
  assert.equal((await copied()).exit, 0)
  assert.deepEqual([sent(from), sent(to)], [basic('alice:pw'), basic('bob:other')])
  env = authFile(here.cwd, { [to.host]: 'bob:other' })
  from.asked.length = 0
  const ran = await copied()
  assert.equal(ran.exit, 3, ran.stdout)
  assert.deepEqual(sent(from), new Set())
})

test('the expectation of a copied digest is that of the version', async () => {
  const here = await stored('pinned')
  const { carried } = await verdictOf(here, 'oci-layout:store:1.0.0')
  const { copied } = await copy(here, `oci-layout:store@${carried?.manifest}`, 'oci-layout:there')
  assert.match(copied?.reference ?? '', /:1\.0\.0$/)
})

test('one reading goes on from piece to piece, and begins again where it has to', async () => {
  const bytes = randomBytes(10_000)
  let readings = 0
  const store = {
    async *read() {
      readings++
      for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700)
    },
  } as unknown as Store
  const blob = { mediaType: 'x', digest: sha256(bytes), size: bytes.length }
  const { open, close } = readOn(store, blob)
  const some = async (from: number, count: number) => {
    const chunks: Uint8Array[] = []
    let left = count
    for await (const chunk of open(from)) {
      chunks.push(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) break
    }
    return Buffer.concat(chunks)
  }
  for (const [from, count] of [
    [0, 4000],
    [4000, 4000],
    [8000, 2000],
  ] as const)
    assert.deepEqual(await some(from, count), bytes.subarray(from, from + count))
  assert.equal(readings, 1)
  // The last piece did not arrive whole: what is read still is enough.
  assert.deepEqual(await some(9900, 100), bytes.subarray(9900))
  // Nor did any of it: the last chunk begins at 9800.
  assert.deepEqual(await some(9800, 200), bytes.subarray(9800))
  assert.equal(readings, 1)
  assert.deepEqual(await some(100, 50), bytes.subarray(100, 150))
  assert.equal(readings, 2)
  await close()
})
