// --since for bundles in registries: a verdict is used again if the manifest, everything that is attached and the expectation are the same, and
// then the bytes are not fetched. Whatever a registry changes is judged anew.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { FleetRecord } from '../../src/fleet/task.ts'
import { countersign } from '../../src/library/generated/registry.ts'
import { REF_NAME } from '../../src/oci/document.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE, REVIEW, type World, world } from '../support/install-world.ts'
import { FakeRegistry, say, sha256 } from '../support/oci-registry.ts'
import { upTo } from '../support/runs.ts'

const folder = temporary('since-stored')
const running: FakeRegistry[] = []
after(() => Promise.all(running.map(one => one.stop())))

interface Shop {
  readonly here: World
  readonly server: FakeRegistry
  /** A reference by tag. */
  readonly at: string
}

/** A registry with one signed bundle, in every repository. */
async function shop(
  name: string,
  options: ConstructorParameters<typeof FakeRegistry>[0] = {},
): Promise<Shop> {
  const here = world(folder(name))
  const server = await new FakeRegistry(options).start()
  running.push(server)
  const at = `oci://${server.host}/agents/mini:1.0.0`
  here.put('b', made({}, RELEASE))
  const pushed = await here.say('agent', 'push', 'b', at)
  assert.equal(pushed.exit, 0, pushed.stderr)
  return { here, server, at }
}

async function verified({ here, server }: Shop, ...words: string[]) {
  server.asked.length = 0
  const ran = await here.say('agent', 'verify', ...words, '--format', 'ndjson')
  const lines = ran.stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  const records = lines.filter(({ type }) => type === 'bundle') as FleetRecord[]
  writeFileSync(join(here.cwd, 'report'), ran.stdout, { mode: 0o600 })
  return {
    ...ran,
    records,
    summary: lines.find(({ type }) => type === 'summary'),
    said: records.map(({ verdict, reused, fetched }) => [verdict, reused, fetched]),
    blobs: server.asked.filter(({ url }) => url.includes('/blobs/')).length,
    requests: server.asked.length,
  }
}

const REUSED = ['trusted', true, false]
const ANEW = ['trusted', false, undefined]

describe('a bundle that did not change', () => {
  test('is not fetched, and the summary counts it', async () => {
    const one = await shop('same')
    const first = await verified(one, one.at)
    assert.deepEqual([first.said, first.blobs], [[ANEW], 1])
    assert.equal(first.summary.unfetched, undefined)
    const second = await verified(one, one.at, '--since', 'report')
    assert.deepEqual([second.exit, second.said, second.blobs], [0, [REUSED], 0])
    assert.deepEqual([second.summary.reused, second.summary.unfetched], [1, 1])
    assert.match(
      second.stderr,
      /1 judged before, and nothing has changed since \(of 1 only the manifest was read\)/,
    )
    const { fetched: _, reused: __, ...again } = second.records[0] as FleetRecord
    const { reused: ___, ...before } = first.records[0] as FleetRecord
    assert.deepEqual(again, before)
    // And from the report of that night, and from both.
    const third = await verified(one, one.at, '--since', 'report')
    assert.deepEqual([third.said, third.blobs], [[REUSED], 0])
    writeFileSync(join(one.here.cwd, 'both'), first.stdout + second.stdout, { mode: 0o600 })
    assert.deepEqual((await verified(one, one.at, '--since', 'both')).said, [REUSED])
  })

  test('costs two requests, and two more for all of them, without the referrers API', async () => {
    const one = await shop('two-hundred')
    const count = upTo(20, 200)
    const tags = Array.from({ length: count }, (_, at) => `oci://${one.server.host}/r${at}/mini:1.0.0`)
    const digests = tags.map(tag => `${tag.replace(':1.0.0', '')}@${one.server.tags.get('1.0.0')}`)
    for (const [references, most] of [
      [tags, 3],
      [digests, 2],
    ] as const) {
      one.here.put('list', Buffer.from(`${references.join('\n')}\n`))
      const first = await verified(one, '--bundles-from', 'list')
      assert.deepEqual([first.exit, first.records.length, first.blobs], [0, count, count])
      const second = await verified(one, '--bundles-from', 'list', '--since', 'report')
      assert.deepEqual([second.summary.unfetched, second.blobs], [count, 0])
      const api = one.server.asked.filter(({ url }) => url.includes('/referrers/')).length
      assert.ok(second.requests - api - 1 <= most * count, `${second.requests} requests`)
      assert.ok(api <= 4)
      assert.equal(second.requests - api - 1, 2 * count)
    }
  })

  test('costs three with it', async () => {
    const one = await shop('api', { referrers: true })
    await verified(one, one.at)
    const { said, requests } = await verified(one, one.at, '--since', 'report')
    assert.deepEqual([said, requests], [[REUSED], 4])
  })

  test('is found in a repository and below a prefix as well', async () => {
    const one = await shop('found')
    one.server.repositories = ['agents/mini']
    for (const place of [one.at.replace(/:1\.0\.0$/, ''), `oci://${one.server.host}/`]) {
      await verified(one, place)
      const { said, blobs } = await verified(one, place, '--since', 'report')
      assert.deepEqual([said, blobs], [[REUSED], 0])
    }
  })

  test('is judged anew as the newest in a range, and in a layout folder', async () => {
    const one = await shop('anew')
    const repository = one.at.replace(/:1\.0\.0$/, '')
    await one.here.say('agent', 'push', 'b', 'oci-layout:store')
    for (const words of [[repository, '--expect', 'mini@^1'], ['oci-layout:store:1.0.0']]) {
      const { records } = await verified(one, ...words)
      assert.equal(records[0]?.basis, null)
      assert.deepEqual((await verified(one, ...words, '--since', 'report')).said, [ANEW])
    }
  })
})

/** Night, a change, and the next night; the control is the same without the change. */
async function afterChange(
  one: Shop,
  change: () => unknown,
  { words = [one.at], next = words }: { words?: readonly string[]; next?: readonly string[] } = {},
) {
  await verified(one, ...words)
  const control = await verified(one, ...words, '--since', 'report')
  assert.deepEqual(control.said, [REUSED], 'the control is used again')
  await change()
  return verified(one, ...next, '--since', 'report')
}

/** Puts another manifest in the place of a tag. */
function retag({ server }: Shop, change: (manifest: Record<string, unknown>) => object) {
  const digest = `${server.tags.get('1.0.0')}`
  const { bytes = Buffer.alloc(0), type = '' } = server.manifests.get(digest) ?? {}
  const changed = Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString()))))
  return server.put(changed, type, '1.0.0')
}

describe('a registry that shows something else', () => {
  test('another manifest of the same bytes: it is read', async () => {
    const one = await shop('manifest')
    const found = await afterChange(one, () => retag(one, all => ({ ...all, annotations: { a: 'b' } })))
    assert.deepEqual([found.said, found.blobs], [[ANEW], 1])
  })

  test('a manifest that no reader accepts: the verdict of before is not used', async () => {
    for (const [name, change] of [
      ['two layers', (all: Record<string, unknown>) => ({ ...all, layers: [...(all['layers'] as []), {}] })],
      ['an index beside it', (all: Record<string, unknown>) => ({ ...all, manifests: [] })],
      ['another type', (all: Record<string, unknown>) => ({ ...all, artifactType: 'x/y' })],
    ] as const) {
      const one = await shop(name.replaceAll(' ', '-'))
      const found = await afterChange(one, () => retag(one, change))
      assert.deepEqual([found.exit, found.said], [3, [['indeterminate', false, undefined]]], name)
    }
  })

  test('the same manifest under another type', async () => {
    const one = await shop('type')
    const found = await afterChange(one, () => {
      const digest = `${one.server.tags.get('1.0.0')}`
      const { bytes = Buffer.alloc(0) } = one.server.manifests.get(digest) ?? {}
      one.server.put(bytes, 'application/vnd.oci.image.index.v1+json', '1.0.0')
    })
    assert.deepEqual(found.said, [['indeterminate', false, undefined]])
  })

  test('other bytes under a digest', async () => {
    const one = await shop('lie')
    const digest = `${one.server.tags.get('1.0.0')}`
    const words = [`${one.at.replace(':1.0.0', '')}@${digest}`]
    const found = await afterChange(
      one,
      () => {
        const { type = '' } = one.server.manifests.get(digest) ?? {}
        one.server.manifests.set(digest, { bytes: Buffer.from('{}'), type })
      },
      { words },
    )
    assert.deepEqual(found.said, [['indeterminate', false, undefined]])
  })

  test('another bundle under the tag', async () => {
    const one = await shop('moved')
    const found = await afterChange(one, async () => {
      one.here.put('c', made({ caps: 'time = true\n' }, RELEASE))
      assert.equal((await one.here.say('agent', 'push', 'c', one.at, '--force')).exit, 0)
    })
    assert.deepEqual([found.said, found.blobs], [[ANEW], 1])
    assert.deepEqual(found.records[0]?.caps, ['time'])
  })

  test('nothing: it is indeterminate', async () => {
    const one = await shop('gone')
    const found = await afterChange(one, () => one.server.tags.clear())
    assert.deepEqual(found.said, [['indeterminate', false, undefined]])
    const closed = await shop('closed')
    await verified(closed, closed.at)
    running.splice(running.indexOf(closed.server), 1)
    await closed.server.stop()
    const unreached = await verified(closed, closed.at, '--since', 'report')
    assert.deepEqual(unreached.said, [['indeterminate', false, undefined]])
  })
})

describe('what is attached', () => {
  /** Two have to have signed, and the second signature is attached. */
  async function countersigned(name: string, options = {}): Promise<Shop> {
    const one = await shop(name, options)
    writeFileSync(join(one.here.home, 'trust-policy.toml'), policyText('[require]\nsignatures = 2\n'), {
      mode: 0o644,
    })
    const sign = async (message: Uint8Array) => REVIEW.sign(message)
    await countersign(one.at, { cwd: one.here.cwd, key: { key: REVIEW.key, sign }, expect: 'mini@1.0.0' })
    return one
  }
  const attachedIn = ({ server }: Shop) => {
    const tag = `${server.tags.get('1.0.0')}`.replace(':', '-')
    return { tag, list: server.manifests.get(`${server.tags.get(tag)}`) }
  }

  for (const referrers of [false, true])
    test(`a signature that is needed is hidden${referrers ? ' by the referrers API' : ''}`, async () => {
      const one = await countersigned(`hidden-${referrers}`, { referrers })
      const found = await afterChange(one, () => {
        const { tag } = attachedIn(one)
        one.server.tags.delete(tag)
        one.server.meddle = ({ url = '' }, response) =>
          url.includes('/referrers/') &&
          say(
            response,
            200,
            JSON.stringify({
              schemaVersion: 2,
              mediaType: 'application/vnd.oci.image.index.v1+json',
              manifests: [],
            }),
            'application/vnd.oci.image.index.v1+json',
          )
      })
      assert.deepEqual(found.said, [['untrusted', false, undefined]])
    })

  test('cannot be listed: it is not decided by the report of before', async () => {
    const one = await countersigned('broken')
    const found = await afterChange(one, () => {
      const { tag } = attachedIn(one)
      one.server.put(Buffer.from('{}'), 'application/vnd.oci.image.index.v1+json', tag)
    })
    assert.deepEqual(found.said, [['indeterminate', false, undefined]])
  })

  test('is listed with another size', async () => {
    const one = await countersigned('size')
    const found = await afterChange(one, () => {
      const { tag, list } = attachedIn(one)
      const index = JSON.parse(`${list?.bytes}`)
      for (const entry of index.manifests) entry.size++
      one.server.put(Buffer.from(JSON.stringify(index)), list?.type ?? '', tag)
    })
    assert.deepEqual(found.said, [['indeterminate', false, undefined]])
  })

  test('is more than before: one more manifest makes it read', async () => {
    const one = await countersigned('more')
    const found = await afterChange(one, () => {
      const { tag, list } = attachedIn(one)
      const index = JSON.parse(`${list?.bytes}`)
      const other = Buffer.from('{"schemaVersion":2}')
      const mediaType = 'application/vnd.oci.image.manifest.v1+json'
      one.server.put(other, mediaType)
      index.manifests.push({ mediaType, digest: sha256(other), size: other.length })
      one.server.put(Buffer.from(JSON.stringify(index)), list?.type ?? '', tag)
    })
    assert.deepEqual([found.said, found.blobs > 0], [[ANEW], true])
  })

  test('in another order, or with notes of others, is the same', async () => {
    const one = await countersigned('order')
    const found = await afterChange(one, () => {
      const { tag, list } = attachedIn(one)
      const index = JSON.parse(`${list?.bytes}`)
      for (const entry of index.manifests) entry.annotations = { [REF_NAME]: 'x' }
      index.manifests.reverse()
      one.server.put(Buffer.from(JSON.stringify(index)), list?.type ?? '', tag)
    })
    assert.deepEqual([found.said, found.blobs], [[REUSED], 0])
  })

  test('was not complete when the report was written: it has no basis', async () => {
    const one = await shop('incomplete')
    const tag = `${one.server.tags.get('1.0.0')}`.replace(':', '-')
    one.server.put(Buffer.from('{}'), 'application/vnd.oci.image.index.v1+json', tag)
    const { said, records } = await verified(one, one.at)
    assert.deepEqual([said, records[0]?.basis], [[ANEW], null])
  })
})

describe('another question about the same bytes', () => {
  test('another expectation: of the call, of the tag, or of the repository', async () => {
    for (const [name, next, verdict] of [
      ['call', (at: string) => [at, '--expect', 'other'], 'untrusted'],
      ['tag', (at: string) => [at.replace('1.0.0', '2.0.0')], 'untrusted'],
      ['repository', (at: string) => [at.replace('/mini:', '/other:')], 'untrusted'],
      // The control: a place that implies the same.
      ['place', (at: string) => [at.replace('/agents/', '/more/')], 'trusted'],
    ] as const) {
      const one = await shop(`expect-${name}`)
      const found = await afterChange(
        one,
        () => one.server.tags.set('2.0.0', `${one.server.tags.get('1.0.0')}`),
        { next: next(one.at) },
      )
      assert.deepEqual(found.said, verdict === 'trusted' ? [REUSED] : [[verdict, false, undefined]], name)
    }
  })

  test('a line about the file with these bytes is not used for the registry, nor the other way', async () => {
    const one = await shop('file')
    one.here.put('mini-1.0.0.agent.bundle', made({}, RELEASE))
    const names = ['mini-1.0.0.agent.bundle', one.at]
    const [file = '', stored = ''] = names
    await verified(one, file)
    assert.deepEqual((await verified(one, file, '--since', 'report')).said, [['trusted', true, undefined]])
    assert.deepEqual((await verified(one, stored, '--since', 'report')).said, [ANEW])
    assert.deepEqual((await verified(one, file, '--since', 'report')).said, [ANEW])
  })

  test('a line that was renamed to another reference is used only for what it was judged for', async () => {
    const one = await shop('renamed')
    const other = one.at.replace('/mini:', '/other:')
    const { stdout } = await verified(one, one.at)
    writeFileSync(join(one.here.cwd, 'renamed'), stdout.replaceAll('/mini:', '/other:'), { mode: 0o600 })
    assert.deepEqual((await verified(one, one.at, '--since', 'renamed')).said, [REUSED])
    assert.deepEqual((await verified(one, other, '--since', 'renamed')).said, [
      ['untrusted', false, undefined],
    ])
  })

  test('two lines that differ are both left alone', async () => {
    const one = await shop('two-lines')
    const { stdout } = await verified(one, one.at)
    const [line = ''] = stdout.split('\n')
    const forged = line.replace('"caps":[]', '"caps":["time"]')
    assert.notEqual(forged, line)
    writeFileSync(join(one.here.cwd, 'forged'), `${line}\n${forged}\n`, { mode: 0o600 })
    assert.deepEqual((await verified(one, one.at, '--since', 'forged')).said, [ANEW])
  })

  test('another policy, or another lock', async () => {
    const one = await shop('policy')
    const found = await afterChange(one, () => one.here.policy('# changed\n'))
    assert.deepEqual(found.said, [ANEW])
    const locked = await shop('lock')
    assert.equal((await locked.here.say('lock', 'add', locked.at)).exit, 0)
    const held = await afterChange(locked, () => undefined, { next: [locked.at, '--locked'] })
    assert.deepEqual(held.said, [ANEW])
    // By the lock its digest is read, whatever the tag leads to.
    const pinned = await afterChange(locked, () => locked.server.tags.clear(), {
      words: [locked.at, '--locked'],
    })
    assert.deepEqual([pinned.said, pinned.blobs], [[REUSED], 0])
  })
})

test('a signed report is believed if its key is demanded, and an unsigned one is not', async () => {
  const one = await shop('signed')
  assert.equal((await one.here.say('key', 'generate', 'night', '--no-passphrase')).exit, 0)
  const key = ['--key', 'night']
  await verified(one, one.at, ...key)
  const since = ['--since', 'report', '--since-key', 'night']
  assert.deepEqual((await verified(one, one.at, ...since, ...key)).said, [REUSED])
  const { stdout } = await verified(one, one.at)
  writeFileSync(join(one.here.cwd, 'report'), stdout, { mode: 0o600 })
  const refused = await one.here.rlp('agent', 'verify', one.at, ...since).catch(() => undefined)
  assert.notEqual(refused?.exit, 0)
})
