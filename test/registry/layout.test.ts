// Bundles in a layout folder: pushed, listed, and read wherever a bundle is read; and what is wrong with a folder.
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Deadline } from '../../src/io/wait/deadline.ts'
import { RlpError } from '../../src/model/error.ts'
import type { Report } from '../../src/model/report.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import { sha256Of, signatureDocument, writeAttachedManifest } from '../../src/oci/manifest.ts'
import { LayoutStore } from '../../src/registry/layout/layout.ts'
import type { PulledBundle } from '../../src/registry/pull.ts'
import { writeTree } from '../support/agent.ts'
import { run } from '../support/fake-terminal.ts'
import { snapshot, temporary } from '../support/folder.ts'
import {
  contents,
  made,
  madeTree,
  RELEASE,
  REVIEW,
  STRANGER,
  type World,
  world,
} from '../support/install-world.ts'
import { signedTree } from '../support/signed.ts'

const folder = temporary('layout')
const BUNDLE = made({}, RELEASE)

async function push(here: World, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'push', ...args)
  const result = envelope.result as unknown as { bundles: Record<string, unknown>[] } | undefined
  return { exit, envelope, code: envelope.code, pushed: result?.bundles[0] }
}

async function pull(here: World, from: string, ...args: string[]) {
  const { exit, envelope } = await here.rlp('agent', 'pull', from, ...args)
  const result = envelope.result as unknown as PulledBundle | undefined
  return { exit, envelope, code: envelope.code, reason: envelope.reason, pulled: result }
}

/** A world with one bundle in a layout. */
async function stored(name: string): Promise<World> {
  const here = world(folder(name))
  here.put('mini-1.0.0.agent.bundle', BUNDLE)
  assert.equal((await push(here, 'mini-1.0.0.agent.bundle', 'oci-layout:store')).exit, 0)
  return here
}

test('what is attached and cannot be read is said, and keeps nothing else from being found', async () => {
  const path = folder('attached')
  const subject = { mediaType: MANIFEST_TYPE, digest: sha256Of(Buffer.from('subject')), size: 7 }
  const about = (of: object, name: string) =>
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: MANIFEST_TYPE,
        artifactType: 'x/y',
        subject: of,
        config: {
          mediaType: 'application/vnd.oci.empty.v1+json',
          digest: sha256Of(Buffer.from('{}')),
          size: 2,
        },
        layers: [{ mediaType: 'x/y', digest: sha256Of(Buffer.from(name)), size: name.length }],
        annotations: { name },
      }),
    )
  const ours = about(subject, 'ours')
  const others = about({ ...subject, digest: sha256Of(Buffer.from('other')) }, 'others')
  const missing = about(subject, 'missing')
  const listed = (all: readonly Buffer[]) =>
    all.map(bytes => ({ mediaType: MANIFEST_TYPE, digest: sha256Of(bytes), size: bytes.length }))
  const attached = async (...all: Buffer[]) => {
    writeFileSync(join(path, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: listed(all) }))
    const store = new LayoutStore(path, 'store', new Deadline(new AbortController().signal))
    const { manifests, incomplete } = await store.attachedTo(subject.digest, 10)
    return { digests: manifests.map(({ digest }) => digest), incomplete }
  }
  writeTree(path, { 'oci-layout': '{"imageLayoutVersion":"1.0.0"}' })
  mkdirSync(join(path, 'blobs/sha256'), { recursive: true })
  for (const bytes of [ours, others])
    writeFileSync(join(path, 'blobs/sha256', sha256Of(bytes).slice('sha256:'.length)), bytes)
  assert.deepEqual(await attached(others, ours), { digests: [sha256Of(ours)], incomplete: undefined })
  const { digests, incomplete } = await attached(missing, ours)
  assert.deepEqual(digests, [sha256Of(ours)])
  assert.match(incomplete ?? '', /sha256:/)
})

test('what has a tag, or is no manifest, is not attached, and is not looked at', async () => {
  const path = folder('not-attached')
  const store = new LayoutStore(path, 'store', new Deadline(new AbortController().signal))
  const subject = { mediaType: MANIFEST_TYPE, digest: sha256Of(Buffer.from('subject')), size: 7 }
  const bytes = writeAttachedManifest(signatureDocument(Buffer.from('{}')), subject)
  const manifest = { mediaType: MANIFEST_TYPE, digest: sha256Of(bytes), bytes }
  const digests = async () => {
    const { manifests, incomplete } = await store.attachedTo(subject.digest, 10)
    assert.equal(incomplete, undefined)
    return manifests.map(({ digest }) => digest)
  }
  assert.deepEqual(await digests(), [])
  await store.changing(() => store.putManifest(manifest, '1.0.0'))
  assert.deepEqual(await digests(), [])
  const missing = { mediaType: 'x/y', digest: sha256Of(Buffer.from('missing')), size: 7 }
  const found = { mediaType: MANIFEST_TYPE, digest: manifest.digest, size: bytes.length }
  writeFileSync(join(path, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [missing, found] }))
  assert.deepEqual(await digests(), [manifest.digest])
})

test('an empty folder is a layout without manifests, and a folder with a lock alone as well', async () => {
  const path = folder('empty')
  const store = new LayoutStore(path, 'store', new Deadline(new AbortController().signal))
  const blob = { mediaType: 'x/y', digest: sha256Of(Buffer.from('')), size: 0 }
  for (const name of [undefined, '.rlp-lock']) {
    if (name !== undefined) writeFileSync(join(path, name), '')
    assert.equal(await store.manifest('1.0.0'), undefined)
    assert.equal(await store.has(blob), false)
    await assert.rejects(store.tags(), { code: 'NOT_STORED' })
  }
  writeFileSync(join(path, 'other'), '')
  for (const asked of [() => store.manifest('1.0.0'), () => store.has(blob)])
    await assert.rejects(asked, { code: 'STORE', message: /holds other things/ })
})

test('the mark of a layout has at most 1024 bytes', async () => {
  const path = folder('mark')
  const store = new LayoutStore(path, 'store', new Deadline(new AbortController().signal))
  writeTree(path, { 'index.json': '{"schemaVersion":2,"manifests":[]}' })
  const marked = (bytes: number) =>
    writeFileSync(join(path, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}'.padEnd(bytes))
  marked(1024)
  assert.deepEqual(await store.tags(), [])
  marked(1025)
  await assert.rejects(store.tags(), { code: 'STORE', message: /oci-layout has 1025 bytes; at most 1024/ })
})

test('a blob is read in parts, and is there only with its size and its bytes', async () => {
  const path = folder('parts')
  const deadline = new Deadline(new AbortController().signal)
  const store = new LayoutStore(path, 'store', deadline)
  const bytes = Buffer.from('a blob of twenty bytes')
  const blob = { mediaType: 'application/octet-stream', digest: sha256Of(bytes), size: bytes.length }
  assert.equal(await store.has(blob), false)
  const place = join(path, 'blobs/sha256', blob.digest.slice('sha256:'.length))
  writeTree(path, {
    'oci-layout': '{"imageLayoutVersion":"1.0.0"}',
    'index.json': '{"schemaVersion":2,"manifests":[]}',
  })
  mkdirSync(join(path, 'blobs/sha256'), { recursive: true })
  writeFileSync(place, bytes)
  assert.equal(await store.has(blob), true)
  assert.equal(String(await store.part(blob, 2, 4)), String([...Buffer.from('blob')]))
  await assert.rejects(store.part(blob, 20, 4), { code: 'STORE' })
  for (const [damaged, part] of [
    [Buffer.from('a blob of twenty bytes!'), 'STORE'],
    [bytes.subarray(0, -1), 'STORE'],
    [Buffer.from('a blob of twenty Bytes'), undefined],
  ] as const) {
    writeFileSync(place, damaged)
    assert.equal(await store.has(blob), false)
    if (part === undefined) await store.part(blob, 2, 4)
    else await assert.rejects(store.part(blob, 2, 4), { code: part })
  }
})

test('a blob that cannot be read for another reason than its bytes is not taken for one that is missing', async t => {
  const path = folder('unread')
  const store = new LayoutStore(path, 'store', new Deadline(new AbortController().signal))
  const bytes = Buffer.from('a blob')
  const blob = { mediaType: 'application/octet-stream', digest: sha256Of(bytes), size: bytes.length }
  writeTree(path, {
    'oci-layout': '{"imageLayoutVersion":"1.0.0"}',
    [`blobs/sha256/${blob.digest.slice('sha256:'.length)}`]: bytes,
  })
  assert.equal(await store.has(blob), true)
  for (const code of ['STORE', 'IO', 'NO_PERMISSION'] as const) {
    t.mock.method(store, 'read', () => {
      throw new RlpError(code, 'Cannot read it')
    })
    if (code === 'STORE') assert.equal(await store.has(blob), false)
    else await assert.rejects(store.has(blob), { code })
  }
})

describe('push', () => {
  test('stores the bundle as it is, and a second time nothing', async () => {
    const here = await stored('push')
    const before = snapshot(join(here.cwd, 'store'))
    const again = await push(here, 'mini-1.0.0.agent.bundle', 'oci-layout:store')
    assert.deepEqual([again.exit, again.pushed?.['changed'], again.pushed?.['sent']], [0, false, 0])
    assert.deepEqual(snapshot(join(here.cwd, 'store')), before)
    const blob = join(here.cwd, 'store/blobs/sha256', sha256Of(BUNDLE).slice(7))
    assert.deepEqual(readFileSync(blob), BUNDLE)
    assert.equal(readFileSync(join(here.cwd, 'store/oci-layout'), 'utf8'), '{"imageLayoutVersion":"1.0.0"}')
  })

  test('gives one manifest for a bundle, its gzip and its folder', async () => {
    const here = world(folder('forms'))
    here.put('a.agent.bundle', BUNDLE)
    here.put('b.agent.bundle', gzipSync(BUNDLE))
    writeTree(join(here.cwd, 'agent.bundle'), signedTree(madeTree(), [RELEASE]))
    const digests = []
    for (const [at, name] of ['a.agent.bundle', 'b.agent.bundle', 'agent.bundle'].entries())
      digests.push((await push(here, name, `oci-layout:store${at}`)).pushed?.['manifest'])
    assert.match(String(digests[0]), /^sha256:/)
    assert.equal(new Set(digests).size, 1)
  })

  test('takes neither what is not sound nor what is unsigned', async () => {
    const here = world(folder('unsound'))
    here.put('good', BUNDLE)
    here.put('cut', BUNDLE.subarray(0, -512))
    here.put('unsigned', made({}))
    assert.equal((await push(here, 'good', 'oci-layout:ok')).exit, 0)
    for (const name of ['cut', 'unsigned']) {
      const { exit, code } = await push(here, name, 'oci-layout:store')
      assert.deepEqual([exit, code, existsSync(join(here.cwd, 'store'))], [1, 'NOT_VERIFIED', false])
    }
    const allowed = await push(here, 'unsigned', 'oci-layout:store', '--allow-unsigned')
    assert.equal(allowed.exit, 0)
  })

  test('moves a tag to other content only if told to; the old digest stays', async () => {
    const here = await stored('moved')
    const old = sha256Of(readFileSync(manifestFile(here)))
    here.put('other', made({ files: { 'README.md': 'new' } }, RELEASE))
    const before = snapshot(join(here.cwd, 'store'))
    const refused = await push(here, 'other', 'oci-layout:store')
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.match(String(refused.envelope.hint), /end the target in \/: .*--force/)
    assert.deepEqual(snapshot(join(here.cwd, 'store')), before)
    assert.equal((await push(here, 'other', 'oci-layout:store', '--force')).exit, 0)
    for (const [reference, identity] of [
      ['oci-layout:store:1.0.0', made({ files: { 'README.md': 'new' } }, RELEASE)],
      [`oci-layout:store@${old}`, BUNDLE],
    ] as const) {
      rmSync(join(here.cwd, 'out'), { recursive: true, force: true })
      assert.equal((await pull(here, reference, '--expect', 'mini', '--out-dir', 'out')).exit, 0)
      assert.deepEqual(readFileSync(join(here.cwd, 'out/mini-1.0.0.agent.bundle')), identity)
    }
  })

  test('of many, one that is not sound hides no other, and only then there is a list of failures', async () => {
    const here = world(folder('one-of-many'))
    here.put('good', BUNDLE)
    here.put('cut', BUNDLE.subarray(0, -512))
    const both = await push(here, 'cut', 'good', 'oci-layout:store')
    const { bundles, failed } = both.envelope.result as unknown as { bundles: object[]; failed: object[] }
    assert.deepEqual([both.exit, bundles.length, failed.length], [1, 1, 1])
    assert.deepEqual(
      failed.map(one => (one as { target: string; code: string }).target),
      ['cut'],
    )
    const one = await push(here, 'good', 'oci-layout:store')
    assert.deepEqual(Object.keys(one.envelope.result ?? {}).sort(), ['bundles', 'changed'])
  })

  test('is said with the folder as it is named from here, and with the tag', async () => {
    const here = world(folder('named'))
    here.put('b', BUNDLE)
    for (const [to, named] of [
      ['store', 'store:1.0.0'],
      ['store:mine', 'store:mine'],
      ['1.0.0/', '1.0.0/mini:1.0.0'],
      ['v:1.0.0/store', 'v:1.0.0/store:1.0.0'],
      [`${here.cwd}/far`, 'far:1.0.0'],
    ] as const) {
      const { exit, stdout } = await run(['agent', 'push', '-q', 'b', `oci-layout:${to}`], undefined, here)
      assert.equal(exit, 0)
      assert.match(stdout, new RegExp(`^oci-layout:${named}@sha256:[0-9a-f]{64}\n$`))
    }
  })

  test('many bundles: tags of one folder, or a folder for each agent', async () => {
    const here = world(folder('many'))
    mkdirSync(join(here.cwd, 'dist'))
    for (const [name, facts] of [
      ['mini-1.0.0', {}],
      ['mini-1.1.0', { version: '1.1.0' }],
      ['other', { name: 'other', variant: 'pro', version: '1.0.0+b.1' }],
    ] as const)
      here.put(`dist/${name}.agent.bundle`, made(facts, RELEASE))
    const { exit, envelope } = await here.rlp('agent', 'push', 'dist', 'oci-layout:store/')
    assert.equal(exit, 0, JSON.stringify(envelope))
    assert.deepEqual(readdirSync(join(here.cwd, 'store')).sort(), ['mini', 'other.pro'])
    const list = async (from: string) => (await here.rlp('agent', 'list', from)).envelope.result
    assert.deepEqual(await list('oci-layout:store/mini'), {
      stored: 'oci-layout:store/mini',
      versions: [
        { tag: '1.1.0', version: '1.1.0' },
        { tag: '1.0.0', version: '1.0.0' },
      ],
      others: [],
      attached: 0,
    })
    assert.equal((await pull(here, 'oci-layout:store/other.pro:1.0.0_b.1', '--expect', 'other@pro')).exit, 0)
    const tagged = await push(here, 'dist', 'oci-layout:one:latest')
    assert.deepEqual([tagged.exit, tagged.code], [2, 'USAGE'])
  })

  test('refuses what every reader would refuse, and invalid targets', async () => {
    const here = world(folder('names'))
    here.put('b', BUNDLE)
    here.put('odd', made({ name: 'a__', version: '1.0.0' }, RELEASE))
    for (const [args, hint] of [
      [['b', 'oci-layout:store:2.0.0'], /without a tag/],
      [['b', 'oci://localhost:1/agents/other'], /ends in mini/],
      [['odd', 'oci://localhost:1/agents/'], /grammar allows/],
      [['b', `oci-layout:store@sha256:${'a'.repeat(64)}`], /^Name oci-layout:/],
      [['b', 'store'], /Name the target last/],
      [['b'], /Name the target last/],
      [['oci-layout:store:1.0.0', 'oci-layout:other'], /rlp agent copy/],
    ] as const) {
      const { exit, envelope } = await push(here, ...args)
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], args.join(' '))
      assert.match(String(envelope.hint), hint)
    }
    assert.deepEqual(readdirSync(here.cwd).sort(), ['b', 'home', 'odd'])
  })
})

describe('a stored bundle', () => {
  test('is read wherever a bundle is read', async () => {
    const here = await stored('everywhere')
    const reference = 'oci-layout:store:1.0.0'
    const verified = await here.rlp('agent', 'verify', reference)
    assert.deepEqual([verified.exit, verified.envelope.result?.bundles?.[0]?.verdict], [0, 'trusted'])
    assert.equal(verified.envelope.result?.bundles?.[0]?.carried?.bundle, sha256Of(BUNDLE))
    for (const args of [
      ['agent', 'inspect', reference],
      ['agent', 'diff', reference, 'mini-1.0.0.agent.bundle'],
      ['trust', 'explain', reference],
      ['tool', 'list', reference, '--expect', 'mini'],
      ['agent', 'install', reference, '--expect', 'mini', '--yes'],
    ]) {
      const { exit, envelope } = await here.rlp(...args)
      assert.equal(exit, 0, `${args.join(' ')}: ${JSON.stringify(envelope)}`)
    }
    assert.deepEqual(readFileSync(join(here.root, 'mini.agent.bundle')), BUNDLE)
  })

  test('of a folder that is named without a tag is the newest that is expected, and no other one is tried', async () => {
    const here = world(folder('newest'))
    for (const version of ['1.0.0', '1.2.0', '2.0.0'])
      assert.equal((await push(here, here.put('b', made({ version }, RELEASE)), 'oci-layout:store')).exit, 0)
    const verified = async (range: string) => {
      const { exit, envelope } = await here.rlp('agent', 'verify', 'oci-layout:store', '--expect', range)
      const { verdict, target, agent } = envelope.result?.bundles?.[0] ?? {}
      return [exit, verdict, target, agent?.version]
    }
    const at = 'oci-layout:store'
    assert.deepEqual(await verified('mini@^1.0.0'), [0, 'trusted', `${at}:1.2.0`, '1.2.0'])
    assert.deepEqual(await verified('mini@^3.0.0'), [3, 'indeterminate', at, undefined])
    const newest = indexOf(here).manifests.find(one =>
      Object.values(one['annotations'] ?? {}).includes('1.2.0'),
    )
    rmSync(join(here.cwd, 'store/blobs/sha256', newest?.digest.slice('sha256:'.length) ?? ''))
    assert.deepEqual(await verified('mini@^1.0.0'), [3, 'indeterminate', `${at}:1.2.0`, undefined])
    assert.deepEqual(await verified('mini@^2.0.0'), [0, 'trusted', `${at}:2.0.0`, '2.0.0'])
  })

  test('is used only if the caller says which agent it has to be', async () => {
    const here = await stored('unexpected')
    const reference = 'oci-layout:store:1.0.0'
    for (const args of [
      ['agent', 'pull', reference],
      ['agent', 'install', reference, '--yes'],
      ['tool', 'list', reference],
      ['tool', 'call', 'x', reference],
    ]) {
      const { exit, envelope } = await here.rlp(...args)
      assert.deepEqual([exit, envelope.code], [2, 'USAGE'], `${args.join(' ')}: ${JSON.stringify(envelope)}`)
    }
    const other = await pull(here, reference, '--expect', 'other')
    assert.deepEqual([other.exit, other.reason], [1, 'untrusted'])
    // The tag says which version it has to be.
    renameTag(here, '1.0.0', '2.0.0')
    const older = await pull(here, 'oci-layout:store:2.0.0', '--expect', 'mini')
    assert.deepEqual([older.exit, older.reason], [1, 'untrusted'])
    assert.ok(!existsSync(join(here.cwd, 'mini-1.0.0.agent.bundle.rlp')))
  })
})

describe('pull', () => {
  test('writes what verify accepts, under the name of the agent', async () => {
    const here = await stored('pull')
    const first = await pull(here, 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'out')
    assert.deepEqual(
      [first.exit, first.pulled?.bundle, first.pulled?.changed],
      [0, join(here.cwd, 'out/mini-1.0.0.agent.bundle'), true],
    )
    const file = join(here.cwd, 'out/mini-1.0.0.agent.bundle')
    assert.deepEqual([readFileSync(file), statSync(file).mode & 0o777], [BUNDLE, 0o644])
    const before = snapshot(join(here.cwd, 'out'))
    const shown = async (...args: string[]) =>
      (await run(['agent', 'pull', 'oci-layout:store:1.0.0', '--expect', 'mini', ...args], undefined, here))
        .stdout
    assert.match(await shown('--out-dir', 'new'), /\n✓ new\/mini-1\.0\.0\.agent\.bundle\n$/)
    assert.match(await shown('--out-dir', 'out'), /\n✓ out\/mini-1\.0\.0\.agent\.bundle is there already\n$/)
    const again = await pull(here, 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'out')
    assert.deepEqual([again.exit, again.pulled?.changed], [0, false])
    assert.deepEqual(snapshot(join(here.cwd, 'out')), before)
  })

  test('a large one, byte for byte: a layout is read into buffers that are used again', async () => {
    const here = world(folder('large'))
    const data = Buffer.concat(Array.from({ length: 9 }, (_, at) => Buffer.alloc(700_001, `${at}abc`)))
    const large = made({ files: { 'bin/data': data } }, RELEASE)
    here.put('b', large)
    assert.equal((await push(here, 'b', 'oci-layout:store')).exit, 0)
    const { exit } = await pull(here, 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'out')
    assert.equal(exit, 0)
    assert.ok(readFileSync(join(here.cwd, 'out/mini-1.0.0.agent.bundle')).equals(large))
  })

  test('replaces other content only if told to', async () => {
    const here = await stored('in-the-way')
    const out = join(here.cwd, 'out')
    mkdirSync(out)
    writeFileSync(join(out, 'mini-1.0.0.agent.bundle'), 'mine')
    const refused = await pull(here, 'oci-layout:store:1.0.0', '--expect', 'mini', '--out-dir', 'out')
    assert.deepEqual([refused.exit, refused.code], [2, 'EXISTS'])
    assert.deepEqual(contents(out), { 'mini-1.0.0.agent.bundle': 'mine' })
    const forced = await pull(
      here,
      'oci-layout:store:1.0.0',
      '--expect',
      'mini',
      '--out-dir',
      'out',
      '--force',
    )
    assert.equal(forced.exit, 0)
    assert.deepEqual(contents(out), { 'mini-1.0.0.agent.bundle': BUNDLE.toString('latin1') })
  })

  test('writes nothing of what is not accepted, and says the word of verify', async () => {
    const here = world(folder('refused'))
    for (const [name, bytes, args] of [
      ['stranger', made({}, STRANGER), []],
      ['unsigned', made({}), ['--allow-unsigned']],
    ] as const) {
      here.put(name, bytes)
      assert.equal((await push(here, name, `oci-layout:${name}-store`, ...args)).exit, 0)
    }
    const stranger = await pull(
      here,
      'oci-layout:stranger-store:1.0.0',
      '--expect',
      'mini',
      '--out-dir',
      'out',
    )
    assert.deepEqual([stranger.exit, stranger.reason], [1, 'untrusted'])
    const unsigned = await pull(
      here,
      'oci-layout:unsigned-store:1.0.0',
      '--expect',
      'mini',
      '--out-dir',
      'out',
    )
    assert.deepEqual([unsigned.exit, unsigned.reason], [1, 'unsigned'])
    assert.ok(!existsSync(join(here.cwd, 'out')))
    const allowed = await pull(
      here,
      'oci-layout:unsigned-store:1.0.0',
      ...['--expect', 'mini', '--out-dir', 'out', '--allow-unsigned'],
    )
    assert.deepEqual([allowed.exit, allowed.pulled?.report.verdict], [0, 'unsigned'])
    assert.deepEqual(Object.keys(contents(join(here.cwd, 'out'))), ['mini-1.0.0.agent.bundle'])
  })
})

test('verify, install and pull say the same of one stored bundle', async () => {
  for (const [word, bytes, more] of [
    ['trusted', BUNDLE, ''],
    ['untrusted', made({}, STRANGER), ''],
    ['unsigned', made({}), ''],
    ['revoked', BUNDLE, `[revoked]\n"${RELEASE.anchor}" = { reason = "lost" }\n`],
  ] as const) {
    const here = world(folder(word))
    here.policy(more)
    assert.equal((await push(here, here.put('b', bytes), 'oci-layout:store', '--allow-unsigned')).exit, 0)
    const reference = ['oci-layout:store:1.0.0', '--expect', 'mini']
    const verified = await here.rlp('agent', 'verify', ...reference)
    const report = verified.envelope.result?.bundles?.[0]
    assert.equal(report?.verdict, word)
    for (const args of [
      ['pull', ...reference],
      ['install', ...reference, '--yes'],
    ]) {
      const { exit, envelope } = await here.rlp('agent', ...args)
      const answered = envelope.result as Partial<PulledBundle> | undefined
      const said = (answered?.report ?? answered ?? envelope) as Pick<Report, 'verdict' | 'reasons'>
      assert.deepEqual([exit, said.verdict], [verified.exit, word], args.join(' '))
      if (!envelope.ok) assert.deepEqual(said.reasons, report?.reasons, args.join(' '))
    }
  }
})

describe('a folder that is wrong', () => {
  const cases: [what: string, change: (here: World) => void, says: RegExp][] = [
    ['is not there', here => rmSync(join(here.cwd, 'store'), { recursive: true }), /there is no 1\.0\.0/],
    ['is a file', here => replaced(join(here.cwd, 'store'), 'x'), /it is a file/],
    ['is no layout', here => rmSync(join(here.cwd, 'store/oci-layout')), /no file oci-layout/],
    [
      'is of another version',
      here => replaced(join(here.cwd, 'store/oci-layout'), '{"imageLayoutVersion":"2.0.0"}'),
      /version 1\.0\.0/,
    ],
    ['has no index', here => rmSync(join(here.cwd, 'store/index.json')), /there is no 1\.0\.0/],
    ['has a broken index', here => replaced(join(here.cwd, 'store/index.json'), '{'), /strict JSON/],
    [
      'names a tag twice',
      here => edited(here, list => [...list, { ...list[0], digest: `sha256:${'a'.repeat(64)}` }]),
      /twice/,
    ],
    ['has lost the manifest', here => rmSync(manifestFile(here)), /is not there/],
    [
      'has another manifest',
      here => replaced(manifestFile(here), readFileSync(manifestFile(here), 'utf8').replace('2', '3')),
      /its content is sha256/,
    ],
    ['has lost the bundle', here => rmSync(bundleFile(here)), /is not there/],
    ['has a bundle that is cut', here => replaced(bundleFile(here), BUNDLE.subarray(0, -512)), /ends after/],
    ['has a longer bundle', here => replaced(bundleFile(here), Buffer.concat([BUNDLE, BUNDLE])), /more than/],
    [
      'has another bundle',
      here => replaced(bundleFile(here), made({ files: { 'a.md': '' } }, RELEASE).subarray(0, BUNDLE.length)),
      /ends after|content is sha256/,
    ],
    ['has a link for the bundle', here => linked(here, bundleFile(here)), /symbolic link|is a link/],
    ['has a link for the manifest', here => linked(here, manifestFile(here)), /symbolic link|is a link/],
    ['has a link for the index', here => linked(here, join(here.cwd, 'store/index.json')), /is a link/],
    [
      'has a link for the folder of blobs',
      here => linked(here, join(here.cwd, 'store/blobs/sha256')),
      /is a link/,
    ],
  ]
  for (const [what, change, says] of cases) {
    test(what, async () => {
      const here = await stored(what)
      const out = ['--expect', 'mini', '--out-dir', 'out']
      assert.equal((await pull(here, 'oci-layout:store:1.0.0', ...out)).exit, 0)
      rmSync(join(here.cwd, 'out'), { recursive: true })
      change(here)
      const { exit, envelope } = await pull(here, 'oci-layout:store:1.0.0', ...out)
      assert.equal(exit, 3, JSON.stringify(envelope))
      assert.match(`${envelope.message}`, says)
      assert.ok(!existsSync(join(here.cwd, 'out')))
      const verified = await here.rlp('agent', 'verify', 'oci-layout:store:1.0.0')
      assert.deepEqual([verified.exit, verified.envelope.result?.bundles?.[0]?.verdict], [3, 'indeterminate'])
    })
  }

  test('push follows no link out of it, and does not take a folder of other things', async () => {
    const here = await stored('push-links')
    here.put('next', made({ version: '1.1.0' }, RELEASE))
    const outside = join(here.cwd, 'outside')
    mkdirSync(outside)
    cpSync(join(here.cwd, 'store/blobs/sha256'), outside, { recursive: true })
    rmSync(join(here.cwd, 'store/blobs/sha256'), { recursive: true })
    symlinkSync(outside, join(here.cwd, 'store/blobs/sha256'))
    const before = snapshot(outside)
    assert.equal((await push(here, 'next', 'oci-layout:store')).exit, 3)
    assert.deepEqual(snapshot(outside), before)
    const home = snapshot(here.home)
    assert.equal((await push(here, 'next', 'oci-layout:home')).exit, 3)
    assert.deepEqual(snapshot(here.home), home)
  })
})

test('what is no reference is not listed as one', async () => {
  const here = world(folder('no-reference'))
  const { exit, envelope } = await here.rlp('agent', 'list', 'store')
  assert.deepEqual([exit, envelope.code], [2, 'USAGE'])
  assert.match(String(envelope.message), /^Cannot list "store": it is no reference$/)
})

test('an image in the folder is no bundle', async () => {
  const here = await stored('image')
  const text = readFileSync(manifestFile(here), 'utf8').replace(
    'vnd.runloop.agent.bundle.v1"',
    'vnd.other.v1"',
  )
  const bytes = Buffer.from(text)
  writeFileSync(join(here.cwd, 'store/blobs/sha256', sha256Of(bytes).slice(7)), bytes)
  edited(here, list => [{ ...list[0], digest: sha256Of(bytes), size: bytes.length }])
  const { exit, envelope } = await pull(here, 'oci-layout:store:1.0.0', '--expect', 'mini')
  assert.equal(exit, 3)
  assert.match(`${envelope.message}`, /no manifest of an agent bundle/)
})

test('several processes push into one folder', async () => {
  const here = world(folder('at-once'))
  const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0']
  for (const version of versions) here.put(version, made({ version }, RELEASE, REVIEW))
  const all = await Promise.all(versions.map(version => push(here, version, 'oci-layout:store')))
  assert.deepEqual(
    all.map(({ exit }) => exit),
    [0, 0, 0, 0],
  )
  const { envelope } = await here.rlp('agent', 'list', 'oci-layout:store')
  const listed = envelope.result as unknown as { versions: { version: string }[] }
  assert.deepEqual(
    listed.versions.map(({ version }) => version),
    [...versions].reverse(),
  )
  assert.deepEqual(readdirSync(join(here.cwd, 'store')).sort(), ['blobs', 'index.json', 'oci-layout'])
})

type Listed = Record<string, unknown> & { digest: string }

function indexOf(here: World): { manifests: Listed[] } {
  return JSON.parse(readFileSync(join(here.cwd, 'store/index.json'), 'utf8'))
}

function edited(here: World, change: (list: Listed[]) => object[]): void {
  const index = indexOf(here)
  writeFileSync(
    join(here.cwd, 'store/index.json'),
    JSON.stringify({ ...index, manifests: change(index.manifests) }),
  )
}

function renameTag(here: World, from: string, to: string): void {
  const path = join(here.cwd, 'store/index.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace(`"${from}"`, `"${to}"`))
}

function manifestFile(here: World): string {
  return join(here.cwd, 'store/blobs/sha256', indexOf(here).manifests[0]?.digest.slice(7) ?? '')
}

function bundleFile(here: World): string {
  return join(here.cwd, 'store/blobs/sha256', sha256Of(BUNDLE).slice(7))
}

function replaced(path: string, content: string | Uint8Array): void {
  rmSync(path, { recursive: true })
  writeFileSync(path, content)
}

/** The same content, reached through a link. */
function linked(here: World, path: string): void {
  const aside = join(here.cwd, 'aside')
  cpSync(path, aside, { recursive: true })
  rmSync(path, { recursive: true })
  symlinkSync(aside, path)
}
