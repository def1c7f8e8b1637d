// Targets: archives and their wrapper. What the strict reader takes is the one byte sequence of its files, a second reader sees the same
// files in it, and nothing is written outside the folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Parser, type ReadEntry } from 'tar'
import { read } from '../../../src/agent/read-agent.ts'
import { outline } from '../../../src/agent/read-in-turns.ts'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import { NotCanonical } from '../../../src/bundle/reader.ts'
import { archiveOf } from '../../../src/bundle/writer.ts'
import { unpack } from '../../../src/install/place-bundle.ts'
import { readBundle } from '../../../src/io/bundle/read-bundle.ts'
import { readTree } from '../../../src/io/read/read-tree.ts'
import { gunzip } from '../../../src/io/wrappers/gzip.ts'
import { MANIFEST_FILE } from '../../../src/model/agent.ts'
import type { Files } from '../../../src/model/files.ts'
import { digestManifest } from '../../../src/pack/digest.ts'
import { readForeign } from '../../../src/pack/foreign.ts'
import { Survey } from '../../../src/pack/foreign-archive.ts'
import { packedBytes } from '../../../src/pack/pack.ts'
import { verify } from '../../../src/verify/verify.ts'
import { agentTree, bundleOf } from '../../../test/support/agent.ts'
import { collect } from '../../../test/support/memory.ts'
import { KEYS, signed, trustContext } from '../../../test/support/trust-world.ts'
import { mutateBytes } from '../mutate/bytes.ts'
import { mutateTar } from '../mutate/tar.ts'
import { mutateTree } from '../mutate/tree.ts'
import { demand, type Target } from './target.ts'

const TREE = signed(agentTree({ name: 'm', files: { 'docs/a.md': 'a'.repeat(600), empty: '' } }), 'release')
const BUNDLE = bundleOf(TREE)
const SOURCES = agentTree({ name: 'm', files: { 'docs/a.md': 'a'.repeat(600), empty: '' } })
const UNSIGNED = bundleOf(SOURCES)
const TRUST = trustContext({
  policies: [
    `[anchors]\nr = "${KEYS.release.anchor}"\n[rules]\nr = { allow_caps = "any", allow_net = "any" }\n`,
  ],
})

export const ARCHIVE_TARGETS: readonly Target[] = [
  { name: 'tar', share: 1200, make: random => mutateTar(random, TREE), answer: judge },
  { name: 'tree', share: 600, make: random => bundleOf(mutateTree(random, TREE)), answer: judge },
  {
    name: 'gzip',
    share: 600,
    make(random) {
      const inner = random.once(3) ? mutateTar(random, TREE) : BUNDLE
      const wrapped = gzipSync(inner, { level: random.below(10) })
      return random.once(4) ? wrapped : mutateBytes(random, wrapped)
    },
    answer: judgeGzip,
  },
  { name: 'foreign', share: 500, make: random => mutateTar(random, TREE), answer: survey },
  {
    name: 'pack',
    share: 600,
    make(random) {
      const inner = random.once(8) ? mutateBytes(random, UNSIGNED) : mutateTar(random, SOURCES)
      const wrapped = random.once(3) ? gzipSync(inner) : inner
      return random.once(10) ? mutateBytes(random, wrapped) : wrapped
    },
    answer: packForeign,
  },
]

async function judge(bytes: Uint8Array, folder: string): Promise<string> {
  const candidate = await readBundle(bytes, { keep: 'all' })
  const { report, bundle } = await verify(await outline(candidate), {
    expect: 'any',
    trust: TRUST,
    allowUnsigned: true,
  })
  if (candidate.refusal !== undefined) {
    demand(bundle === undefined && report.verdict === 'invalid', `not canonical, and ${report.verdict}`)
    return 'not canonical'
  }
  demand((await collect(archiveOf(candidate.files, 'x'))).equals(bytes), 'another byte sequence is taken')
  await sameFiles(bytes, candidate.files)
  if (report.verdict === 'trusted') demand(BUNDLE.equals(bytes), 'a changed bundle is trusted')
  if (bundle !== undefined) {
    const path = join(folder, 'bundle')
    writeFileSync(path, bytes)
    const archive = { path, label: 'x', digest: blake3Hex(bytes), files: candidate.files.list }
    await unpack(archive, join(folder, 'out'), 'out')
    const found = readdirSync(folder)
    demand(found.join() === 'bundle,out', `unpacking wrote ${found.join(', ')}`)
  }
  return report.verdict
}

/** What `tar` reads there. */
async function sameFiles(bytes: Uint8Array, files: Files): Promise<void> {
  const seen = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    const parser = new Parser({
      strict: true,
      onReadEntry(entry: ReadEntry) {
        const chunks: Buffer[] = []
        entry.on('data', chunk => chunks.push(Buffer.from(chunk)))
        entry.on('end', () => seen.set(entry.path.replace('agent.bundle/', ''), Buffer.concat(chunks)))
      },
    })
    parser.on('end', () => resolve())
    parser.on('error', reject)
    parser.end(Buffer.from(bytes))
  })
  demand(seen.size === files.list.length, 'a second reader sees another number of files')
  for (const { path, content } of files.list)
    demand(
      content !== undefined && seen.get(path)?.equals(content) === true,
      `a second reader sees another ${path}`,
    )
}

async function judgeGzip(bytes: Uint8Array, folder: string): Promise<string> {
  const inside: Buffer[] = []
  async function* input() {
    yield bytes
  }
  try {
    await gunzip(input(), piece => inside.push(Buffer.from(piece)))
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error
    await judge(bytes, folder)
    return 'not one plain member'
  }
  const inner = Buffer.concat(inside)
  demand(gunzipSync(bytes).equals(inner), 'zlib inflates something else')
  const { report } = await verify(await outline(await readBundle(bytes, { keep: 'parsed' })), {
    expect: 'any',
    trust: TRUST,
  })
  if (report.verdict === 'trusted') demand(inner.equals(BUNDLE), 'a changed bundle is trusted')
  return report.verdict
}

/** What install says of archives that are not ours. */
function survey(bytes: Uint8Array): string {
  const found = new Survey()
  for (let at = 0; at < bytes.length; at += 700) if (!found.push(bytes.subarray(at, at + 700))) break
  const reasons = found.reasons()
  return reasons.length === 0 ? 'nothing to say' : 'reasons'
}

/** What `pack` makes of an archive is what unpacking it with GNU tar, `digest` and `pack` give, or it refuses it. */
async function packForeign(bytes: Uint8Array, folder: string): Promise<string> {
  const { agent } = await readForeign(bytes, { label: 'x.tar' })
  demand(readdirSync(folder).length === 0, 'reading an archive writes')
  const file = join(folder, 'x.tar')
  const out = join(folder, 'out')
  mkdirSync(out)
  writeFileSync(file, bytes)
  const unpacked = spawnSync('tar', ['-xf', file, '-C', out, '--no-same-owner', '--mode=u+rwX'], {
    timeout: 10_000,
  })
  spawnSync('chmod', ['-R', 'u+rwX', out])
  if (unpacked.status !== 0) return 'taken, and GNU tar refuses it'
  const root = rootOf(out)
  const byHand = async () =>
    read(await readTree(root, 'x', { as: 'source', digest: 'all', hold: 'all' }), 'x')
  writeFileSync(join(root, MANIFEST_FILE), digestManifest(await byHand()).text)
  const [ours, theirs] = [await collect(packedBytes(agent)), await collect(packedBytes(await byHand()))]
  demand(ours.equals(theirs), 'GNU tar unpacks something else')
  return 'packed'
}

function rootOf(folder: string): string {
  if (existsSync(join(folder, MANIFEST_FILE))) return folder
  const [only, ...more] = readdirSync(folder).filter(name => !name.startsWith('.'))
  demand(only !== undefined && more.length === 0, 'there is no one root')
  return rootOf(join(folder, only))
}
