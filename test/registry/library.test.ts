// What the library offers of registries: the same as the commands, with progress and an end on demand.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sha256Of } from '../../src/oci/manifest.ts'
import { openCarried } from '../../src/registry/open-carried.ts'
import { temporary } from '../support/folder.ts'
import { made, policyText, RELEASE, STRANGER, world } from '../support/install-world.ts'
import * as rlp from '../support/library.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { authFile } from '../support/registry-access.ts'
import { KEYS, keyFile } from '../support/trust-world.ts'

const folder = temporary('registry-library')
const BUNDLE = made({ files: { 'bin/data': Buffer.alloc(300_000, 'abc') } }, RELEASE)
const trust = { trustPolicy: policyText(), home: false } as const

let server: FakeRegistry
before(async () => {
  server = await new FakeRegistry({ login: 'alice:canary-3b1f' }).start()
})
after(() => server.stop())

const places: Readonly<
  Record<string, () => { readonly at: string; readonly given: { readonly env?: Record<string, string> } }>
> = {
  'a layout folder': () => ({ at: 'oci-layout:store', given: {} }),
  'a registry': () => ({
    at: `oci://${server.host}/agents/mini`,
    given: { env: authFile(folder('auth'), { [server.host]: 'alice:canary-3b1f' }) },
  }),
} as const

for (const [what, place] of Object.entries(places)) {
  describe(what, () => {
    test('a bundle is pushed, listed, verified, pulled and installed, and told how far', async () => {
      const { cwd, put } = world(folder(`flow ${what}`))
      const { at, given } = place()
      const options = { cwd, ...given }
      put('b', BUNDLE)
      const seen: rlp.Progress[] = []
      const onProgress = (progress: rlp.Progress) => void seen.push(progress)
      const pushed = await rlp.push('b', at, { ...options, onProgress })
      assert.deepEqual([pushed.changed, pushed.digest], [true, sha256Of(BUNDLE)])
      assert.deepEqual([seen.at(-1)?.done, seen.at(-1)?.total], [BUNDLE.length, BUNDLE.length])
      assert.deepEqual(await rlp.push('b', at, options), {
        ...pushed,
        changed: false,
        isNew: false,
        sent: 0,
      })
      assert.deepEqual(await rlp.listVersions(at, options), {
        stored: at,
        versions: [{ tag: '1.0.0', version: '1.0.0' }],
        others: [],
        attached: 0,
      })
      seen.length = 0
      const pulling = { ...options, ...trust, expect: 'mini', outDir: 'out' }
      const pulled = await rlp.pull(`${at}:1.0.0`, { ...pulling, onProgress })
      assert.deepEqual([pulled.bundle, pulled.changed], [join(cwd, 'out/mini-1.0.0.agent.bundle'), true])
      assert.deepEqual(readFileSync(pulled.bundle), BUNDLE)
      assert.deepEqual([seen.at(-1)?.done, seen.at(-1)?.total], [BUNDLE.length, BUNDLE.length])
      assert.equal(pulled.report.carried?.manifest, pushed.manifest)
      assert.equal((await rlp.pull(`${at}:1.0.0`, pulling)).changed, false)
      // Every function that reads a bundle takes the reference.
      const from = `${at.replace('oci-layout:', `oci-layout:${cwd}/`)}:1.0.0`
      const judged = { ...trust, expect: 'mini' }
      // These two take no `env`.
      Object.assign(process.env, options.env)
      assert.equal((await rlp.verifyBundle(from, judged)).verdict, 'trusted')
      assert.equal((await rlp.loadBundle(from, judged)).agent.version, '1.0.0')
      assert.equal(
        (await rlp.inspect(`${at}:1.0.0`, { ...options, ...trust })).report.identity,
        pushed.identity,
      )
      assert.deepEqual((await rlp.diff(`${at}:1.0.0`, 'b', { ...options, ...trust })).widened, [])
      const installing = { ...options, trustPolicy: trust.trustPolicy, home: 'home', expect: 'mini' }
      assert.equal(
        (await rlp.install(`${at}:1.0.0`, { ...installing, mayBegin: () => true })).version,
        '1.0.0',
      )
    })

    test('a signature is added beside it', async () => {
      const { cwd, put } = world(folder(`signed ${what}`))
      const { at, given } = place()
      const options = { cwd, ...given }
      put('b', BUNDLE)
      const { manifest } = await rlp.push('b', at, options)
      const key = join(cwd, 'key.pem')
      writeFileSync(key, readFileSync(keyFile('release')), { mode: 0o600 })
      const policy = `[anchors]\nrelease = "${RELEASE.anchor}"\nsecond = "${KEYS.release.anchor}"\n[rules]\nrelease = { allow_caps = "any" }\n[require]\nanchors = ["release", "second"]\n`
      const pull = () =>
        rlp.pull(`${at}:1.0.0`, { ...options, home: false, trustPolicy: policy, expect: 'mini', outDir: 'o' })
      await assert.rejects(pull(), { code: 'NOT_VERIFIED', verdict: 'untrusted' })
      assert.equal(existsSync(join(cwd, 'o')), false)
      assert.equal(
        (await rlp.countersign(`${at}:1.0.0`, { ...options, key, expect: 'mini@1.0.0' })).signer,
        KEYS.release.anchor,
      )
      const { report } = await pull()
      assert.deepEqual([report.verdict, report.carried?.manifest], ['trusted', manifest])
      await assert.rejects(rlp.sign(`${at}:1.0.0`, { cwd, key }), {
        code: 'USAGE',
        hint: /countersign/,
      })
    })

    test('a key adds no signature to what is unsigned: it is signed and stored again', async () => {
      const { cwd, put } = world(folder(`unsigned ${what}`))
      const { at, given } = place()
      const options = { cwd, ...given }
      put('b', made({ version: '9.0.0' }))
      await assert.rejects(rlp.push('b', at, options), { code: 'NOT_VERIFIED', message: /it is unsigned$/ })
      await rlp.push('b', at, { ...options, allowUnsigned: true })
      const key = join(cwd, 'key.pem')
      writeFileSync(key, readFileSync(keyFile('release')), { mode: 0o600 })
      await assert.rejects(rlp.countersign(`${at}:9.0.0`, { ...options, key, expect: 'mini@9.0.0' }), {
        code: 'NOT_VERIFIED',
        message: /the stored bundle is unsigned$/,
      })
    })

    test('is left as it was by what is given up, and by what progress throws', async () => {
      const { cwd, put } = world(folder(`given-up ${what}`))
      const { at, given } = place()
      put('b', BUNDLE)
      await rlp.push('b', at, { cwd, ...given })
      const before = await rlp.listVersions(at, { cwd, ...given })
      const stop = new AbortController()
      const enough = new Error('enough')
      const pulling = { cwd, ...given, ...trust, expect: 'mini', outDir: 'out' }
      const ways: [options: object, error: object][] = [
        [{ signal: AbortSignal.abort() }, { code: 'CANCELLED' }],
        [{ signal: stop.signal, onProgress: () => stop.abort() }, { code: 'CANCELLED' }],
        [
          {
            onProgress: () => {
              throw enough
            },
          },
          enough,
        ],
      ]
      for (const [index, [how, error]] of ways.entries()) {
        put(
          'c',
          made({ version: '2.0.0', files: { 'bin/data': Buffer.alloc(300_000, `c${index}`) } }, RELEASE),
        )
        await assert.rejects(rlp.push('c', at, { cwd, ...given, ...how }), error)
        await assert.rejects(rlp.pull(`${at}:1.0.0`, { ...pulling, ...how }), error)
      }
      await assert.rejects(rlp.listVersions(at, { cwd, ...given, signal: AbortSignal.abort() }), {
        code: 'CANCELLED',
      })
      assert.deepEqual(await rlp.listVersions(at, { cwd, ...given }), before)
      assert.deepEqual(
        readdirSync(cwd).filter(name => name === 'out'),
        [],
      )
    })

    test('a reference with a digest leads to the same bytes after the tag has moved', async () => {
      const { cwd, put } = world(folder(`resolved ${what}`))
      const { at: named, given } = place()
      const at = named.replace('oci-layout:', `oci-layout:${cwd}/`)
      put('b', BUNDLE)
      put('other', made({ files: { 'a.md': 'x' } }, RELEASE))
      const { manifest } = await rlp.push('b', at, { cwd, ...given, force: true })
      const access = { env: {}, ...given }
      const signal = new AbortController().signal
      const bytesAt = async (reference: string) => {
        const opened = await openCarried(reference, { access, signal })
        const chunks: Uint8Array[] = []
        for await (const chunk of opened.chunks()) chunks.push(Uint8Array.from(chunk))
        await opened.close()
        return Buffer.concat(chunks)
      }
      assert.deepEqual(await bytesAt(`${at}:1.0.0`), BUNDLE)
      await rlp.push('other', at, { cwd, ...given, force: true })
      assert.notDeepEqual(await bytesAt(`${at}:1.0.0`), BUNDLE)
      assert.deepEqual(await bytesAt(`${at}:1.0.0@${manifest}`), BUNDLE)
      await assert.rejects(bytesAt(`${at}:9.9.9`), { code: 'NOT_STORED' })
    })
  })
}

test('a target may have a tag of its own, for one bundle; without a folder it is pulled into that of the caller', async () => {
  const { cwd, put } = world(folder('tagged'))
  put('b', BUNDLE)
  const { reference, manifest } = await rlp.push('b', 'oci-layout:store:mine', { cwd })
  const copied = await rlp.copy('oci-layout:store:mine', 'oci-layout:other:theirs', { cwd })
  assert.deepEqual(
    [reference, copied.reference, copied.manifest],
    [`oci-layout:${cwd}/store:mine`, `oci-layout:${cwd}/other:theirs`, manifest],
  )
  const pulled = await rlp.pull('oci-layout:other:theirs', { cwd, ...trust, expect: 'mini' })
  assert.equal(pulled.bundle, join(cwd, 'mini-1.0.0.agent.bundle'))
})

test('what a lock pins is signed where it is stored, and nothing else', async () => {
  const { cwd, home, put } = world(folder('locked'))
  put('b', BUNDLE)
  await rlp.push('b', 'oci-layout:store', { cwd })
  const from = 'oci-layout:store:1.0.0'
  await rlp.lockAdd([from], { cwd, home, expect: 'mini' })
  const key = join(cwd, 'key.pem')
  writeFileSync(key, readFileSync(keyFile('second')), { mode: 0o600 })
  const sign = () => rlp.countersign(from, { cwd, home, key, ifTrusted: true, lock: join(cwd, 'rlp.lock') })
  const { signer, attached } = await sign()
  assert.equal(signer, KEYS.second.anchor)
  assert.match(attached, /^sha256:[0-9a-f]{64}$/)
  // The tag is moved: what is pinned is still there by its digest, and is what is signed.
  put('other', made({}, RELEASE))
  await rlp.push('other', 'oci-layout:store', { cwd, force: true })
  assert.equal(
    (await sign()).identity,
    (await rlp.verifyBundle(join(cwd, 'b'), { home, expect: 'mini' })).identity,
  )
  const lock = readFileSync(join(cwd, 'rlp.lock'), 'utf8')
  writeFileSync(join(cwd, 'rlp.lock'), lock.replace(/^version = .*$/m, 'version = "1.0.1"'))
  await assert.rejects(sign(), { code: 'NOT_VERIFIED' })
})

test('a stored bundle that cannot be read is not signed, and that is no word about its content', async () => {
  const { cwd, put } = world(folder('damaged'))
  put('b', BUNDLE)
  const { digest, manifest } = await rlp.push('b', 'oci-layout:store', { cwd })
  const blob = join(cwd, 'store/blobs/sha256', digest.slice('sha256:'.length))
  const key = join(cwd, 'key.pem')
  writeFileSync(key, readFileSync(keyFile('second')), { mode: 0o600 })
  const damaged = Buffer.from(BUNDLE)
  damaged[200_000] = 0
  writeFileSync(blob, damaged)
  const sign = (which: string) =>
    rlp.countersign(`oci-layout:store${which}`, { cwd, key, expect: 'mini@1.0.0' })
  await assert.rejects(sign(':1.0.0'), { code: 'STORE' })
  writeFileSync(blob, BUNDLE)
  // A digest says nothing of the agent; what is expected does.
  for (const which of [':1.0.0', `@${manifest}`]) assert.equal((await sign(which)).signer, KEYS.second.anchor)
})

test('a copy tells how far it is, by the bytes of the bundle alone', async () => {
  const { cwd, put } = world(folder('copy-progress'))
  put('b', BUNDLE)
  await rlp.push('b', 'oci-layout:store', { cwd })
  const seen: rlp.Progress[] = []
  await rlp.copy('oci-layout:store:1.0.0', 'oci-layout:other', {
    cwd,
    onProgress: progress => void seen.push(progress),
  })
  assert.ok(seen.length > 0)
  assert.deepEqual([...new Set(seen.map(({ total }) => total))], [BUNDLE.length])
  assert.deepEqual([seen.at(-1)?.done, seen.at(-1)?.unit], [BUNDLE.length, 'bytes'])
})

test('a tag with other content is moved only with force', async () => {
  const { cwd, put } = world(folder('moved'))
  put('b', BUNDLE)
  put('other', made({}, RELEASE))
  const first = await rlp.push('b', 'oci-layout:store', { cwd })
  for (const options of [{}, { force: false }])
    await assert.rejects(rlp.push('other', 'oci-layout:store', { cwd, ...options }), { code: 'EXISTS' })
  const moved = await rlp.push('other', 'oci-layout:store', { cwd, force: true })
  assert.equal(moved.reference, first.reference)
  assert.notEqual(moved.manifest, first.manifest)
  await rlp.copy(`oci-layout:store@${first.manifest}`, 'oci-layout:copies', { cwd })
  for (const options of [{}, { force: false }]) {
    const copying = rlp.copy('oci-layout:store:1.0.0', 'oci-layout:copies', { cwd, ...options })
    await assert.rejects(copying, { code: 'EXISTS' })
  }
  const copied = await rlp.copy('oci-layout:store:1.0.0', 'oci-layout:copies', { cwd, force: true })
  assert.equal(copied.manifest, moved.manifest)
})

test('a copy below a target is called after the agent, with its variant, as its manifest says', async () => {
  const { cwd, put } = world(folder('variants'))
  for (const [name, variant] of [
    ['mini', undefined],
    ['mini.pro', 'pro'],
  ] as const) {
    put('b', made({ ...(variant && { variant }) }, RELEASE))
    await rlp.push('b', `oci-layout:store-${name}:mine`, { cwd })
    const { reference } = await rlp.copy(`oci-layout:store-${name}:mine`, 'oci-layout:other/', { cwd })
    assert.match(reference, new RegExp(`/other/${name}:(?:mine|1\\.0\\.0)$`))
  }
})

test('a bundle that its policy does not accept is not written, and the report says why', async () => {
  const { cwd, put } = world(folder('stranger'))
  put('b', made({}, STRANGER))
  await rlp.push('b', 'oci-layout:store', { cwd })
  const pulling = { cwd, ...trust, expect: 'mini', outDir: 'out' }
  await assert.rejects(
    rlp.pull('oci-layout:store:1.0.0', pulling),
    (error: unknown) => error instanceof rlp.NotVerifiedError && error.report.verdict === 'untrusted',
  )
  assert.equal(existsSync(join(cwd, 'out')), false)
})

test('a stored bundle that is not read has no verdict, and a wrong reference or a call that is given up is an error', async () => {
  const judged = { ...trust, expect: 'mini@^1.0.0' }
  for (const missing of [`oci-layout:${folder('none')}/store:1.0.0`, `oci-layout:${folder('none')}/store`]) {
    const { verdict, reasons } = await rlp.verifyBundle(missing, judged)
    assert.deepEqual([verdict, reasons.map(({ code }) => code)], ['indeterminate', ['unreadable']], missing)
    await assert.rejects(rlp.verifyBundle(missing, { ...judged, signal: AbortSignal.abort() }), {
      code: 'CANCELLED',
    })
  }
  await assert.rejects(rlp.verifyBundle('oci://Host/A:1', judged), { code: 'USAGE' })
})

test('wrong calls are refused by name, and no password is repeated', async () => {
  const { cwd, put } = world(folder('wrong'))
  put('b', BUNDLE)
  const wrong: [call: () => Promise<unknown>, says: RegExp][] = [
    [() => rlp.push('b', 'store', { cwd }), /does not begin with oci/],
    [() => rlp.push('oci-layout:store:1.0.0', 'oci-layout:other', { cwd }), /stored already/],
    [() => rlp.pull('store', { cwd }), /does not begin with oci/],
    [() => rlp.pull('oci-layout:store:1.0.0', { cwd }), /does not say which agent/],
    [() => rlp.listVersions('oci-layout:store:1.0.0', { cwd }), /names one bundle/],
    [() => rlp.countersign('b', { cwd, key: 'x', expect: 'mini@1.0.0' }), /does not begin with oci/],
    [
      () => rlp.countersign('oci-layout:store:1.0.0', { cwd, key: 'x' }),
      /not said which bundle this has to be/,
    ],
    [
      () =>
        rlp.countersign('oci-layout:store:1.0.0', {
          cwd,
          key: 'x',
          keyless: {},
          expect: 'mini@1.0.0',
        } as never),
      /^Cannot use key with keyless$/,
    ],
  ]
  for (const [call, says] of wrong)
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof rlp.RlpError)
      assert.equal(error.code, 'USAGE')
      assert.match(error.message, says)
      assert.doesNotMatch(`${error.message} ${error.hint}`, /canary/)
      return true
    })
})
