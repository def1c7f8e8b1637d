// What is attached to a stored bundle is removed: by whom it truly is, one entry of the list at a time, and nothing that someone else needs. A new
// statement takes the place of the signer's own older one.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { referenceIn } from '../../src/io/reference.ts'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { push } from '../../src/library/generated/index.ts'
import { type Detached, detach } from '../../src/library/generated/registry.ts'
import { attestationDocument, signatureDocument } from '../../src/oci/manifest.ts'
import { attachDocument } from '../../src/registry/attach.ts'
import { find } from '../../src/registry/open-carried.ts'
import { bundleOf } from '../support/agent.ts'
import { attestation, linesOf, PROVENANCE } from '../support/attested.ts'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'
import { ASKING, installKeys, KEYS, signed } from '../support/trust-world.ts'

const FILES = signed(ASKING, 'release')
const NAME = 'mini-1.0.0.agent.bundle'
const CI = KEYS.second.anchor
const SCAN = 'https://scan.example/v1'
const folder = temporary('detach')
const deadline = () => new Deadline(new AbortController().signal)
const by = (key: keyof typeof KEYS, predicate: object, type = PROVENANCE) =>
  attestation(FILES, [KEYS[key]], { type, predicate })
const [first, second, third] = [1, 2, 3].map(run => by('second', { run })) as [Buffer, Buffer, Buffer]

const servers: Record<'api' | 'list' | 'kept' | 'keptList', FakeRegistry> = {
  api: new FakeRegistry({ referrers: true }),
  list: new FakeRegistry(),
  kept: new FakeRegistry({ referrers: true, keepsAll: true }),
  keptList: new FakeRegistry({ keepsAll: true }),
}
before(async () => {
  for (const one of Object.values(servers)) await one.start()
  const home = folder('home')
  process.env['RUNLOOP_HOME'] = home
  installKeys(home)
})
after(() => Promise.all(Object.values(servers).map(one => one.stop())))

let count = 0
/** A bundle in a place of its own, and what is attached to it. */
function world(at: 'layout' | keyof typeof servers) {
  const cwd = folder('cwd')
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  const to =
    at === 'layout' ? `oci-layout:${join(cwd, 'store')}` : `oci://${servers[at].host}/w${count++}/mini`
  // One registry keeps everything under its digest: the same bundle is the same manifest.
  if (at !== 'layout') for (const all of [servers[at].manifests, servers[at].tags]) all.clear()
  const reference = `${to}:1.0.0`
  const opened = async <T>(work: (found: Awaited<ReturnType<typeof find>>) => Promise<T>) => {
    const found = await find(
      referenceIn(reference, 'read'),
      { access: { env: {} }, deadline: deadline() },
      { writes: true },
      to,
    )
    try {
      return await work(found)
    } finally {
      await found.store.close()
    }
  }
  return {
    cwd,
    to,
    reference,
    opened,
    push: (...lines: readonly Uint8Array[]) =>
      push(join(cwd, NAME), to, { cwd, attach: lines.length === 0 ? false : linesOf(...lines) }),
    detach: (options: Parameters<typeof detach>[1]) => detach(reference, { cwd, ...options }),
    attached: () =>
      opened(async ({ store, manifest }) =>
        (await store.attachedTo(manifest.digest, 1000)).manifests.map(({ digest }) => digest).sort(),
      ),
    add: (document: Parameters<typeof attachDocument>[2]) =>
      opened(async ({ store, manifest }) => (await attachDocument(store, manifest, document)).attached),
    rlp: (...args: string[]) => run(args, undefined, { cwd }),
  }
}

/** What strangers can attach to look like the statement of ci. */
function forged(line: Uint8Array, keyid: string): Buffer {
  const envelope = JSON.parse(String(Buffer.from(line)))
  envelope.signatures[0].keyid = keyid
  return Buffer.from(JSON.stringify(envelope))
}

for (const at of ['layout', 'api', 'list'] as const) {
  describe(`in ${at === 'layout' ? 'a layout folder' : `a registry with ${at === 'api' ? 'the referrers API' : 'the list at the fallback tag'}`}`, () => {
    test('what one key has stated is removed, and nothing else', async () => {
      const here = world(at)
      const { attached = [] } = await here.push(first, by('second', {}, SCAN), by('security', {}))
      await here.add(
        signatureDocument(attestation(FILES, [KEYS.security], { type: 'urn:runloop:agent-bundle:v1' })),
      )
      const stranger = await here.add(attestationDocument(forged(by('stranger', {}), CI)))
      assert.equal((await here.attached()).length, 5)
      const dry = await here.detach({ type: PROVENANCE, by: CI, dryRun: true })
      assert.deepEqual(
        dry.detached.map(({ digest }) => digest),
        [attached[0]],
      )
      assert.equal((await here.attached()).length, 5)
      const { detached } = await here.detach({ type: PROVENANCE, by: CI })
      assert.deepEqual(detached, [
        { digest: attached[0], kind: 'statement', type: PROVENANCE, signers: [CI], deleted: true },
      ])
      const left = await here.attached()
      assert.equal(left.length, 4)
      assert.ok(left.includes(stranger), 'its signature does not hold, so it is not of ci')
      assert.ok(!left.includes(attached[0] ?? ''))
      await assert.rejects(here.detach({ type: PROVENANCE, by: CI }), { code: 'NOT_FOUND' })
      // The bundle stays, and is read with what is left.
      const { manifest } = await here.opened(async ({ manifest }) => ({ manifest: manifest.digest }))
      assert.equal(manifest, dry.manifest)
    })

    test('a digest names one thing, also one that is not signed', async () => {
      const here = world(at)
      await here.push(first)
      const stranger = await here.add(attestationDocument(forged(by('stranger', {}), CI)))
      const { detached } = await here.detach({ digests: [stranger] })
      assert.deepEqual(
        detached.map(({ digest, signers }) => [digest, signers]),
        [[stranger, []]],
      )
      assert.equal((await here.attached()).length, 1)
    })

    test('what others have signed too stays, unless that is said', async () => {
      const here = world(at)
      const both = attestation(FILES, [KEYS.second, KEYS.security])
      await here.push(both, first)
      const { detached, left } = await here.detach({ type: PROVENANCE, by: CI })
      assert.equal(detached.length, 1)
      assert.match(left[0]?.why ?? '', /^2 keys have signed it/)
      await assert.rejects(here.detach({ by: CI }), { code: 'NOT_FOUND', message: /2 keys have signed it/ })
      assert.equal((await here.detach({ by: CI, all: true })).detached.length, 1)
      assert.deepEqual(await here.attached(), [])
    })

    test('a countersignature is named by its type, which the signed payload says', async () => {
      const here = world(at)
      await here.push(first)
      const signature = await here.add(
        signatureDocument(attestation(FILES, [KEYS.second], { type: 'urn:runloop:agent-bundle:v1' })),
      )
      const { detached } = await here.detach({ type: 'urn:runloop:agent-bundle:v1', by: CI })
      assert.deepEqual(
        detached.map(({ digest, kind }) => [digest, kind]),
        [[signature, 'signature']],
      )
    })

    test('a manifest that a tag names is left alone', async () => {
      const here = world(at)
      const { attached: [digest = ''] = [] } = await here.push(first)
      await here.opened(async ({ store }) => {
        const stored = await store.manifest(digest)
        assert.ok(stored !== undefined)
        // As `oras tag` does. In a layout the tag would hide it from what is attached.
        if (at !== 'layout') await store.putManifest(stored, 'kept')
      })
      if (at === 'layout') return
      await assert.rejects(here.detach({ digests: [digest] }), {
        code: 'STORE',
        message: /the tag kept names/,
      })
      assert.deepEqual(await here.attached(), [digest])
    })

    test('what is attached to another bundle is not removed', async () => {
      const here = world(at)
      await here.push(first)
      const other = `sha256:${'0'.repeat(64)}`
      await assert.rejects(here.detach({ digests: [other] }), { code: 'NOT_FOUND' })
      const manifest = await here.opened(async ({ manifest }) => manifest.digest)
      await assert.rejects(here.detach({ digests: [manifest] }), { code: 'NOT_FOUND' })
      assert.equal((await here.attached()).length, 1)
    })

    test('a push says what is new, and replaces the older statement of the same signer', async () => {
      const here = world(at)
      const before = await here.push(first, by('security', {}))
      assert.deepEqual([before.changed, before.added], [true, before.attached])
      const again = await here.push(first)
      assert.deepEqual([again.changed, again.added, again.replaced], [false, [], undefined])
      const looked = await push(join(here.cwd, NAME), here.to, { attach: linesOf(second), dryRun: true })
      assert.deepEqual([looked.changed, looked.isNew], [true, false])
      assert.deepEqual([looked.added?.length, looked.replaced], [1, undefined])
      const { added, replaced, warnings } = await here.push(second)
      assert.equal(warnings, undefined)
      assert.deepEqual(
        replaced?.map(({ digest }) => digest),
        [before.attached?.[0]],
      )
      assert.deepEqual(await here.attached(), [added?.[0] ?? '', before.attached?.[1] ?? ''].sort())
    })

    test('a push replaces nothing that is of another type, signer or bundle, or is signed by others, or not at all', async () => {
      const here = world(at)
      const both = attestation(FILES, [KEYS.second, KEYS.security])
      const subject = [{ digest: { blake3: 'a'.repeat(64), sha256: 'b'.repeat(64) } }]
      const others = [
        by('second', {}, SCAN),
        by('security', { run: 1 }),
        both,
        attestation(FILES, [KEYS.second], { subject }),
        forged(by('stranger', {}), CI),
      ]
      for (const one of others) {
        await here.push()
        await here.add(attestationDocument(one))
      }
      await here.add(signatureDocument(attestation(FILES, [KEYS.second], { predicate: { run: 9 } })))
      const positive = await here.add(attestationDocument(first))
      const { replaced } = await here.push(second)
      assert.deepEqual(
        replaced?.map(({ digest }) => digest),
        [positive],
      )
      assert.equal((await here.attached()).length, others.length + 2)
    })
  })
}

describe('a registry that forbids deletion', () => {
  test('and has the API: it is said, with what to do, and it stays', async () => {
    const here = world('kept')
    await here.push(first)
    await assert.rejects(here.detach({ type: PROVENANCE, by: CI }), {
      code: 'STORE',
      message: /the registry forbids deletion \(405\), and lists sha256:/,
      hint: /where the registry is administered/,
    })
    const { replaced, warnings, added } = await here.push(second)
    assert.deepEqual([replaced, added?.length], [undefined, 1])
    assert.match(warnings?.[0] ?? '', /^Cannot replace what was stated about .*forbids deletion \(405\)/)
    const said = await here.rlp(
      'agent',
      'detach',
      here.reference,
      '--type',
      PROVENANCE,
      '--by',
      'second',
      '--yes',
    )
    assert.equal(said.exit, 3)
    assert.match(said.stderr, /forbids deletion \(405\)/)
  })

  test('and has the list alone: nothing lists it any more', async () => {
    const here = world('keptList')
    await here.push(first, by('security', {}))
    const { detached } = await here.detach({ type: PROVENANCE, by: CI })
    assert.deepEqual(
      detached.map(({ deleted }) => deleted),
      [false],
    )
    assert.equal((await here.attached()).length, 1)
    const { replaced } = await here.push(by('security', { run: 2 }))
    assert.deepEqual(
      replaced?.map(({ deleted }) => deleted),
      [false],
    )
  })
})

describe('the list at the fallback tag', () => {
  const tagOf = (server: FakeRegistry) => {
    const [tag = ''] = [...server.tags.keys()].filter(one => one.startsWith('sha256-'))
    return tag
  }
  const listOf = (server: FakeRegistry) =>
    JSON.parse(String(server.manifests.get(server.tags.get(tagOf(server)) ?? '')?.bytes))

  test('loses exactly this entry; what others have written stays', async () => {
    const here = world('list')
    await here.push(first, by('security', {}))
    const list = listOf(servers.list)
    list.manifests.push({ mediaType: 'a/b', digest: `sha256:${'1'.repeat(64)}`, size: 3, 'x-other': [1] })
    list.annotations = { other: 'stays' }
    const bytes = Buffer.from(JSON.stringify(list))
    servers.list.put(bytes, 'application/vnd.oci.image.index.v1+json', tagOf(servers.list))
    const { detached } = await here.detach({ type: PROVENANCE, by: CI })
    const now = listOf(servers.list)
    const gone = detached[0]?.digest
    assert.deepEqual(
      now.manifests,
      list.manifests.filter((one: { digest: string }) => one.digest !== gone),
    )
    assert.deepEqual(now.annotations, { other: 'stays' })
  })

  test('may name what is attached to another bundle, which is not deleted', async () => {
    const here = world('list')
    await here.push(first)
    const [own = ''] = await here.attached()
    const manifest = JSON.parse(String(servers.list.manifests.get(own)?.bytes))
    const subject = { ...manifest.subject, digest: `sha256:${'2'.repeat(64)}` }
    const bytes = Buffer.from(JSON.stringify({ ...manifest, subject }))
    const others = servers.list.put(bytes, manifest.mediaType)
    const list = listOf(servers.list)
    list.manifests.push({ mediaType: manifest.mediaType, digest: others, size: bytes.length })
    const changed = Buffer.from(JSON.stringify(list))
    servers.list.put(changed, 'application/vnd.oci.image.index.v1+json', tagOf(servers.list))
    await assert.rejects(here.detach({ digests: [others] }), { code: 'NOT_FOUND' })
    const { detached } = await here.detach({ type: PROVENANCE, by: CI })
    assert.deepEqual(
      detached.map(({ digest }) => digest),
      [own],
    )
    assert.ok(servers.list.manifests.has(others))
  })

  test('is written before the manifest is deleted, and again if someone has put the entry back', async t => {
    const here = world('list')
    await here.push(first)
    const before = listOf(servers.list)
    const order: string[] = []
    let isBack = false
    servers.list.meddle = ({ method, url }, response, self) => {
      if (method === 'PUT' && url?.includes('/manifests/sha256-')) order.push('list')
      if (method === 'DELETE') order.push('delete')
      if (method !== 'GET' || order.length !== 1 || isBack) return false
      // Someone else writes the list that they have read before.
      isBack = true
      self.put(Buffer.from(JSON.stringify(before)), 'application/vnd.oci.image.index.v1+json', tagOf(self))
      return response.writableEnded
    }
    t.after(() => {
      servers.list.meddle = undefined
    })
    await here.detach({ type: PROVENANCE, by: CI })
    assert.deepEqual(order, ['list', 'list', 'delete'])
    assert.deepEqual(listOf(servers.list).manifests, [])
  })
})

test('a signer with 48 statements beside a bundle is warned of, with the command that lists them', async () => {
  const here = world('layout')
  const many = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => by('second', {}, `https://scan.example/${from + at}`))
  assert.equal((await here.push(...many(47))).warnings, undefined)
  const { warnings = [] } = await here.push(...many(1, 47))
  assert.match(warnings[0] ?? '', /^48 statements by ed25519:\S+ are attached to oci-layout:/)
  assert.match(warnings[0] ?? '', /readers look at 64 of one signer\. rlp agent detach .* --dry-run lists/)
  assert.equal((await here.push(...many(48))).warnings?.length, 1, 'also where nothing is new')
})

test('the right to delete is asked of a registry only to delete', async t => {
  const server = await new FakeRegistry({ referrers: true, login: 'ci:secret' }).start()
  t.after(() => server.stop())
  const cwd = folder('login')
  writeFileSync(join(cwd, NAME), bundleOf(FILES))
  const env = authFile(cwd, { [server.host]: 'ci:secret' })
  const to = `oci://${server.host}/agents/mini`
  const scopes = () =>
    server.asked.flatMap(({ url }) =>
      url.startsWith('/token') ? [/scope=[^&]*/.exec(decodeURIComponent(url))?.[0]] : [],
    )
  await push(join(cwd, NAME), to, { cwd, env, attach: linesOf(first) })
  await push(join(cwd, NAME), to, { cwd, env, attach: linesOf(first) })
  assert.deepEqual([...new Set(scopes())], ['scope=repository:agents/mini:pull,push'])
  await push(join(cwd, NAME), to, { cwd, env, attach: linesOf(second) })
  await detach(`${to}:1.0.0`, { env, by: CI })
  assert.equal(scopes().filter(one => one?.endsWith('pull,push,delete')).length, 2)
})

describe('rlp agent detach', () => {
  test('lists what it would remove, asks, and removes it for yes alone', async () => {
    const here = world('layout')
    await here.push(first, third)
    const line = ['agent', 'detach', 'oci-layout:store:1.0.0', '--type', PROVENANCE, '--by', 'second']
    const refused = await here.rlp(...line)
    assert.equal(refused.exit, 2)
    assert.match(refused.stderr, /no person can be asked\nhint: Look with --dry-run, then add --yes/)
    const dry = await here.rlp(...line, '--dry-run')
    assert.match(
      dry.stdout,
      /✓ 2 things would be removed from oci-layout:store:1\.0\.0\n {2}provenance by ed25519:/,
    )
    assert.equal((await here.attached()).length, 2)
    const { exit, stdout } = await here.rlp(...line, '--yes', '--json')
    assert.equal(exit, 0)
    const { result } = JSON.parse(stdout) as { result: Detached }
    assert.deepEqual([result.changed, result.detached.length, result.left], [true, 2, []])
    assert.deepEqual(await here.attached(), [])
  })

  for (const [args, message] of [
    [[NAME, '--by', 'second'], /it is no reference/],
    [['oci-layout:store:1.0.0'], /it is not said what/],
    [['oci-layout:store:1.0.0', '--type', SCAN], /it is not said what/],
    [['oci-layout:store:1.0.0', '--digest', 'sha256:1'], /is no digest/],
    [
      ['oci-layout:store:1.0.0', '--digest', `sha256:${'0'.repeat(64)}`, '--by', 'second'],
      /a digest names one thing/,
    ],
    [['oci-layout:store', '--by', 'second'], /neither a tag nor a digest/],
  ] as const)
    test(`refuses ${args.slice(1).join(' ') || args[0]}`, async () => {
      const here = world('layout')
      mkdirSync(join(here.cwd, 'empty'))
      await here.push(first)
      const { exit, stderr } = await here.rlp('agent', 'detach', ...args, '--yes')
      assert.equal(exit, 2, stderr)
      assert.match(stderr, message)
    })
})
