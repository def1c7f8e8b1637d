// What a call asks of a registry once, for all of its bundles: how it answers, and whether it has the referrers API. Nothing of it outlives the
// call, and nothing of it reaches another registry.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { countersign } from '../../src/library/generated/registry.ts'
import type { SeenRegistries } from '../../src/model/carried.ts'
import { Client } from '../../src/registry/http/client.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, REVIEW, world } from '../support/install-world.ts'
import { FakeRegistry, say } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'

const folder = temporary('asked-once')
const here = world(folder('world'))
here.put('b', made({}, RELEASE))
const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

async function started(options: ConstructorParameters<typeof FakeRegistry>[0] = {}): Promise<FakeRegistry> {
  const server = await new FakeRegistry(options).start()
  running.push(server)
  return server
}

/** References to one bundle, under as many repositories. */
async function pushed(server: FakeRegistry, count: number, env = {}): Promise<string[]> {
  const references = Array.from({ length: count }, (_, at) => `oci://${server.host}/r${at}/mini:1.0.0`)
  // Its repositories share what it stores.
  const ran = await run(['agent', 'push', 'b', `${references[0]}`], undefined, inWorld(env))
  assert.equal(ran.exit, 0, ran.stderr)
  server.asked.length = 0
  return references
}

function inWorld(env: object) {
  process.env['RUNLOOP_HOME'] = here.home
  return { cwd: here.cwd, env: { RUNLOOP_HOME: here.home, ...env } }
}

async function records(references: readonly string[], env = {}): Promise<FleetRecord[]> {
  const words = ['agent', 'verify', ...references, '--format', 'ndjson']
  const { stdout } = await run(words, undefined, inWorld(env))
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as FleetRecord)
  return lines.filter(({ type }) => type === 'bundle')
}

async function verdicts(references: readonly string[], env = {}): Promise<string[]> {
  return (await records(references, env)).map(({ verdict }) => verdict)
}

function counts({ asked }: FakeRegistry) {
  const of = (pattern: RegExp) => asked.filter(({ url }) => pattern.test(url)).length
  return {
    first: of(/^\/v2\/$/),
    api: of(/\/referrers\//),
    tag: of(/\/manifests\/sha256-/),
    manifest: of(/\/manifests\/1\.0\.0$/),
    blob: of(/\/blobs\//),
  }
}

const each = (word: string, count: number) => Array<string>(count).fill(word)

test('of a registry without the referrers API, twelve bundles cost three requests each and two more', async () => {
  const server = await started()
  const references = await pushed(server, 12)
  assert.deepEqual(await verdicts(references), each('trusted', 12))
  const { api, ...more } = counts(server)
  assert.deepEqual(more, { first: 1, tag: 12, manifest: 12, blob: 12 })
  // Four are read at once, before the first of them has its answer.
  assert.ok(api >= 1 && api <= 4, `${api}`)
})

test('of a registry with it, the API is asked about each', async () => {
  const server = await started({ referrers: true })
  const references = await pushed(server, 6)
  assert.deepEqual(await verdicts(references), each('trusted', 6))
  assert.deepEqual(counts(server), { first: 1, api: 6, tag: 6, manifest: 6, blob: 6 })
})

test('an API that fails is not one that is missing: it is asked again for the next bundle', async () => {
  const server = await started({ referrers: true })
  const references = await pushed(server, 6)
  server.meddle = ({ url = '' }, response) => /\/referrers\//.test(url) && say(response, 400, '{}')
  assert.deepEqual(await verdicts(references), each('trusted', 6))
  assert.equal(counts(server).api, 6)
})

test('the next call asks again', async () => {
  const server = await started()
  const [one = ''] = await pushed(server, 1)
  for (const call of [1, 2]) {
    assert.deepEqual(await verdicts([one]), ['trusted'])
    const { first, api } = counts(server)
    assert.deepEqual([first, api], [call, call])
  }
})

describe('two registries in one call', () => {
  test('the one that lacks the API hides nothing of the other', async () => {
    const bare = await started()
    const full = await started({ referrers: true })
    const references = [...(await pushed(bare, 6)), ...(await pushed(full, 1))]
    const sign = async (message: Uint8Array) => REVIEW.sign(message)
    await countersign(`${references.at(-1)}`, {
      cwd: here.cwd,
      key: { key: REVIEW.key, sign },
      expect: 'mini@1.0.0',
    })
    full.asked.length = 0
    const found = await records(references)
    const signed = found.filter(({ signers }) => signers.includes(REVIEW.anchor))
    assert.deepEqual(
      signed.map(({ target }) => target),
      references.slice(-1),
    )
    assert.equal(counts(full).api, 1)
  })

  test('the login of one is never sent to the other', async () => {
    const login = 'alice:pw-17'
    const guarded = await started({ login })
    const open = await started()
    const env = authFile(here.cwd, { [guarded.host]: login })
    const references = [...(await pushed(guarded, 4, env)), ...(await pushed(open, 4))]
    assert.deepEqual(await verdicts(references, env), each('trusted', 8))
    // The control: where it belongs, it is sent.
    assert.ok(guarded.asked.some(({ authorization }) => authorization !== undefined))
    assert.ok(open.asked.every(({ authorization }) => authorization === undefined))
  })
})

describe('operations that ask for the first answer at the same time', () => {
  const talk = (
    { port }: Pick<FakeRegistry, 'port'>,
    seen: SeenRegistries,
    signal = new AbortController().signal,
  ) => {
    const place = { in: 'registry', host: '127.0.0.1', port, repository: 'a/mini' } as const
    const deadline = new Deadline(signal)
    return Client.open(place, { access: { env: {}, seen }, deadline }, { writes: false })
  }
  const look = async (client: Client, doing: string) => {
    try {
      const { answer } = await client.ask({ method: 'GET', to: 'x', doing, tries: 1 })
      await client.skip(answer)
      return `${answer.statusCode}`
    } catch (error) {
      return (error as Error).message
    } finally {
      client.close()
    }
  }
  const firsts = ({ asked }: FakeRegistry) => asked.filter(({ url }) => url === '/v2/').length

  test('share it', async () => {
    const server = await started()
    const seen: SeenRegistries = new Map()
    const clients = Array.from({ length: 5 }, () => talk(server, seen))
    assert.deepEqual(await Promise.all(clients.map(one => look(one, 'look'))), each('404', 5))
    assert.equal(firsts(server), 1)
  })

  test('share its failure, each in its own words, and a later one tries again', async () => {
    const server = await new FakeRegistry().start()
    const { host, port } = server
    await server.stop()
    const seen: SeenRegistries = new Map()
    const asking = ['a', 'b', 'c'].map(doing => look(talk({ port }, seen), doing))
    const tried = seen.get(`http://${host}`)?.firstAnswer
    const said = await Promise.all(asking)
    assert.deepEqual(
      said,
      ['a', 'b', 'c'].map(doing => `Cannot ${doing}: no connection to ${host} (ECONNREFUSED)`),
    )
    assert.ok(tried !== undefined && seen.get(`http://${host}`)?.firstAnswer === undefined)
  })

  test('and one that is given up takes none of the others with it', async () => {
    const held: (() => void)[] = []
    const server = await started({
      meddle: ({ url }, response) => {
        if (url !== '/v2/') return false
        held.push(() => say(response, 200, '{}'))
        return true
      },
    })
    const seen: SeenRegistries = new Map()
    const stop = new AbortController()
    const first = look(talk(server, seen, stop.signal), 'a')
    while (held.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
    const second = look(talk(server, seen), 'b')
    stop.abort()
    assert.match(await first, /^Cancelled/)
    while (held.length === 1) await new Promise(resolve => setTimeout(resolve, 5))
    for (const answer of held) answer()
    assert.equal(await second, '404')
    assert.equal(firsts(server), 2)
  })
})
