// A writer that swaps files while rlp reads them: what is said, and what is handed out, is always about the bytes that were used.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blake3Hex } from '../../../src/bundle/blake3.ts'
import {
  loadBundle,
  NotVerifiedError,
  type Report,
  verifyBundle,
} from '../../../src/library/generated/index.ts'
import { RlpError } from '../../../src/model/error.ts'
import { sha256Of } from '../../../src/oci/manifest.ts'
import { agentTree, bundleOf, type Tree, writeTree } from '../../../test/support/agent.ts'
import { contents, type World } from '../../../test/support/install-world.ts'
import { KEYS, signed } from '../../../test/support/trust-world.ts'
import type { Session } from '../campaign.ts'
import { links } from './links.ts'
import { type Answer, watched } from './watched.ts'
import type { Change } from './writer.ts'

const ANY = '{ allow_caps = "any", allow_net = "any", allow_exec = true }'
export const TRUSTING = `[anchors]\nrelease = "${KEYS.release.anchor}"\n[rules]\nrelease = ${ANY}\n`

/** Two releases of one agent, of the same size to the byte, and large enough to be read in more than one piece. */
const tree = (version: string, letter: string): Tree =>
  signed(
    agentTree({
      name: 'mini',
      version,
      files: { 'data.bin': Buffer.alloc(1_500_000, letter), 'a.md': letter },
    }),
    'release',
  )
const A = tree('1.0.1', 'a')
const B = tree('1.0.2', 'b')
const HOWS = ['rename', 'in-place', 'shrink'] as const
const BUNDLES = [bundleOf(A), bundleOf(B)]

export async function swaps(session: Session, here: World, count: number): Promise<void> {
  const policy = join(here.cwd, 'policy.toml')
  writeFileSync(policy, TRUSTING)
  process.env['RUNLOOP_HOME'] = here.home
  const options = { expect: 'mini', trustPolicy: policy } as const
  for (const how of HOWS) {
    const file = join(here.cwd, `${how}.bundle`)
    writeFileSync(file, BUNDLES[0] ?? '')
    const change: Change = { path: file, contents: BUNDLES, how }
    await watched(session, `load, ${how}`, count, [change], () => loaded(file, options))
    await watched(session, `verify, ${how}`, count, [change], async () => {
      const report = await verifyBundle(file, options)
      return [report.verdict, reportProblem(report)]
    })
  }
  await folders(session, here, count, options)
  await links(session, here, count)
  // Last, for it raises the marks: after it the older release is rolled back.
  for (const how of HOWS) {
    const change: Change = { path: join(here.cwd, `${how}.bundle`), contents: BUNDLES, how }
    await watched(session, `install, ${how}`, Math.ceil(count / 3), [change], () =>
      installed(here, change.path),
    )
  }
  await fetched(here, session, Math.ceil(count / 3))
}

/** A bundle in a layout folder, of which the bytes change under the name of their digest. */
async function fetched(here: World, session: Session, count: number): Promise<void> {
  const [, newest = Buffer.alloc(0)] = BUNDLES
  await here.rlp('agent', 'push', here.put('stored', newest), 'oci-layout:store')
  const blob = join(here.cwd, 'store/blobs/sha256', sha256Of(newest).slice('sha256:'.length))
  for (const how of HOWS) {
    await watched(
      session,
      `install from a layout, ${how}`,
      count,
      [{ path: blob, contents: BUNDLES, how }],
      () => installed(here, 'oci-layout:store:1.0.2', '--expect', 'mini'),
    )
  }
}

async function loaded(source: string, options: Parameters<typeof loadBundle>[1]): Promise<Answer> {
  try {
    const bundle = await loadBundle(source, options)
    const { report } = bundle
    for (const { path, blake3, size } of report.files) {
      const bytes = bundle.bytes(path)
      if (bytes.length !== size || blake3Hex(bytes) !== blake3)
        return ['trusted', `${path} is not what the report says`]
    }
    const isWhole = [A, B].some(tree =>
      Object.entries(tree).every(([path, content]) =>
        Buffer.from(content as string).equals(bundle.bytes(path)),
      ),
    )
    return ['trusted', isWhole ? reportProblem(report) : 'it holds neither the one release nor the other']
  } catch (error) {
    // A bundle that could not be read has no verdict. Anything else that is thrown is a defect, which the campaign reports.
    if (error instanceof RlpError && error.code === 'CHANGED_WHILE_READING') return [error.code, undefined]
    if (!(error instanceof NotVerifiedError)) throw error
    return [error.verdict, reportProblem(error.report)]
  }
}

/** Only what was signed is trusted, and nothing unsigned is ever called so. */
function reportProblem({ verdict, identity }: Report): string | undefined {
  const digests = [A, B].map(tree => `blake3:${blake3Hex(Buffer.from(tree['manifest.toml'] as string))}`)
  if (verdict === 'trusted')
    return digests.includes(identity ?? '') ? undefined : `no key signed the manifest ${identity}`
  return /^(?:invalid|indeterminate)$/.test(verdict) ? undefined : `nothing about these bundles is ${verdict}`
}

async function installed(here: World, file: string, ...more: readonly string[]): Promise<Answer> {
  const args = ['--yes', '--allow-downgrade', '--force', '--trust-policy', join(here.cwd, 'policy.toml')]
  const { exit, envelope } = await here.install(file, ...args, ...more)
  if (exit === 70) return ['crashed', JSON.stringify(envelope)]
  if (!envelope.ok) return [envelope.code ?? 'refused', undefined]
  const bytes = readFileSync(join(here.root, 'mini.agent.bundle'))
  const which = BUNDLES.findIndex(bundle => bundle.equals(bytes))
  if (which < 0) return ['installed', 'neither the one release nor the other is installed']
  const expected = which === 0 ? A : B
  const folder = contents(join(here.root, 'mini'))
  const isSame = Object.entries(expected).every(
    ([path, content]) => Buffer.from(content as string).toString('latin1') === folder[path],
  )
  if (!isSame || Object.keys(folder).length !== Object.keys(expected).length)
    return ['installed', 'the folder is of another release']
  const [install] = here.state().installs
  return [
    'installed',
    install?.fileDigest === blake3Hex(bytes) ? undefined : 'the record is about another file',
  ]
}

/** The same for an unpacked bundle, and for a source folder that is packed. */
async function folders(
  session: Session,
  here: World,
  count: number,
  options: Parameters<typeof loadBundle>[1],
): Promise<void> {
  const unpacked = writeTree(join(here.cwd, 'agent.bundle'), A)
  // Beside the folder and not in it: a file more would be found, and prove nothing.
  const changes = ['a.md', 'manifest.toml', 'SIGNATURES/manifest.sig'].map(
    (path): Change => ({
      path: join(unpacked, path),
      contents: [A, B].map(tree => Buffer.from(tree[path] as string)),
      how: 'in-place',
    }),
  )
  await watched(session, 'load a folder', count, changes, () => loaded(unpacked, options))
  const { 'SIGNATURES/manifest.sig': _a, ...sourceA } = A
  const { 'SIGNATURES/manifest.sig': _b, ...sourceB } = B
  const source = writeTree(join(here.cwd, 'mini'), sourceA)
  const sources = ['a.md', 'data.bin', 'manifest.toml'].map(
    (path): Change => ({
      path: join(source, path),
      contents: [sourceA, sourceB].map(tree => Buffer.from(tree[path] as string)),
      how: 'in-place',
    }),
  )
  const out = join(here.cwd, 'out')
  await watched(session, 'pack', Math.ceil(count / 3), sources, async () => {
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out)
    const { exit, envelope } = await here.rlp('agent', 'pack', 'mini', '--out-dir', 'out')
    const made = readdirSync(out)
    if (exit === 70) return ['crashed', JSON.stringify(envelope)]
    if (exit !== 0)
      return [envelope.code ?? 'refused', made.length > 0 ? `it left ${made.join(', ')}` : undefined]
    const { verdict } = await verifyBundle(join(out, made[0] ?? ''), { expect: 'mini' })
    return ['packed', verdict === 'unsigned' ? undefined : `what it packed is ${verdict}`]
  })
}
