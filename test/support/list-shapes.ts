// Lists that strangers make longer: what is attached to a stored bundle, tags, locks, audit logs, reports and the layers of a channel. For the test
// that holds every command to time in proportion to them.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SIGNATURE_FILE } from '../../src/model/agent.ts'
import type { Descriptor } from '../../src/model/oci.ts'
import { MANIFEST_TYPE } from '../../src/oci/document.ts'
import {
  type AttachedDocument,
  attestationDocument,
  sha256Of,
  signatureDocument,
  writeAttachedManifest,
} from '../../src/oci/manifest.ts'
import { agentTree, bundleOf } from './agent.ts'
import { attestation } from './attested.ts'
import type { Line } from './bundle-commands.ts'
import { channelWith, pinOf, publish } from './channel-world.ts'
import { made, policyText, RELEASE } from './install-world.ts'
import { signedTree, signer } from './signed.ts'
import { installKeys, KEYS, POLICY } from './trust-world.ts'

export interface ListShape {
  /** Three sizes are measured: this one, twice and three times as much. */
  readonly size: number
  /** More than so many are not read. */
  readonly most?: number
  /** Commands that are run first, in the folder, and are not measured. */
  readonly before?: (size: number) => readonly (readonly string[])[]
  /** Makes the list. `run` is a command in the folder, which has to succeed. */
  prepare(folder: string, size: number, run: (...args: string[]) => Promise<string>): Promise<void>
  readonly lines: readonly Line[]
}

/** The bundle that is stored, and the agent in it. */
const TREE = agentTree({ files: { 'policy.caps': '[capabilities]\n' } })
const SIGNED = signedTree(TREE, [RELEASE])
const FILE = 'mini-1.0.0.agent.bundle'
const STORED = 'oci-layout:store:1.0.0'
const AS = ['--expect', 'mini']

/** A home with a policy, and one bundle. */
export function prepareHome(folder: string): void {
  const home = join(folder, 'home')
  mkdirSync(home)
  const policy = join(home, 'trust-policy.toml')
  writeFileSync(policy, policyText())
  chmodSync(policy, 0o644)
  installKeys(home)
  writeFileSync(join(folder, FILE), bundleOf(SIGNED))
}

const blobPath = (store: string, digest: string) => join(store, 'blobs', digest.replace(':', '/'))

/** Puts bytes into a layout folder. */
function put(store: string, mediaType: string, bytes: Uint8Array): Descriptor {
  const digest = sha256Of(bytes)
  writeFileSync(blobPath(store, digest), bytes)
  return { mediaType, digest, size: bytes.length }
}

/** Changes the list of manifests of a layout folder. */
function changeIndex(
  store: string,
  change: (manifests: readonly Descriptor[]) => readonly Descriptor[],
): void {
  const path = join(store, 'index.json')
  const index = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...index, manifests: change(index.manifests) }))
}

/** A signature by a stranger, a statement by a stranger, or something that no reader knows. */
function documentOf(index: number): AttachedDocument {
  const stranger = signer(70 + (index % 180))
  const text = `${JSON.stringify({ index })}\n`
  if (index % 3 === 0) {
    const envelope = JSON.parse(String(signedTree(TREE, [stranger])[SIGNATURE_FILE]))
    return signatureDocument(Buffer.from(JSON.stringify({ ...envelope, index })))
  }
  if (index % 3 === 1)
    return attestationDocument(Buffer.from(attestation(SIGNED, [KEYS.stranger], { predicate: { index } })))
  return { artifactType: 'application/vnd.other', mediaType: 'text/plain', content: Buffer.from(text) }
}

const REFERRER_LINES: readonly Line[] = [
  { args: ['agent', 'verify', STORED] },
  { args: ['agent', 'verify', STORED, '--json'] },
  { args: ['agent', 'inspect', STORED] },
  { args: ['agent', 'inspect', STORED, '--format', 'html'] },
  { args: ['agent', 'diff', STORED, FILE] },
  { args: ['agent', 'sbom', STORED, ...AS] },
  { args: ['agent', 'pull', STORED, ...AS, '--out-dir', 'pulled'] },
  { args: ['agent', 'copy', STORED, 'oci-layout:copied'] },
  { args: ['agent', 'copy', STORED, 'oci-layout:copied', '--dry-run'] },
  { args: ['agent', 'install', STORED, ...AS, '--root', 'root', '--yes', '--no-unpack'] },
  { args: ['agent', 'sign', STORED, '--key', 'security', '--expect', 'mini@1.0.0'] },
  { args: ['agent', 'push', FILE, 'oci-layout:store', '--force'] },
  { args: ['lock', 'add', STORED, ...AS] },
  { args: ['lock', 'check'], before: [['lock', 'add', STORED, ...AS]] },
  { args: ['agent', 'detach', STORED, '--type', 'https://a.example', '--all', '--yes'], exits: [0, 2] },
  { args: ['lock', 'update', '--allow-caps-change'], before: [['lock', 'add', STORED, ...AS]] },
  { args: ['trust', 'explain', STORED] },
  { args: ['trust', 'add', 'review', '--for', STORED, '--dry-run'] },
  { args: ['trust', 'revoke', STORED, '--dry-run'] },
  { args: ['tool', 'list', STORED, ...AS] },
  { args: ['tool', 'export', STORED, ...AS, '--to', 'mcp', '--out', 'exported.json'] },
  {
    args: ['gate'],
    input: `${JSON.stringify({ id: 1, bundle: STORED, expect: 'mini', within_ms: 600_000 })}\n`,
  },
]

async function referrers(
  folder: string,
  size: number,
  isHere: boolean,
  run: (...args: string[]) => Promise<string>,
) {
  await run('agent', 'push', FILE, 'oci-layout:store')
  const store = join(folder, 'store')
  changeIndex(store, manifests => {
    const [bundle] = manifests
    if (bundle === undefined) throw new Error('nothing is stored')
    const subject = isHere ? bundle : { ...bundle, digest: sha256Of(Buffer.from('another bundle')) }
    const attached = Array.from({ length: size }, (_, index) => {
      const document = documentOf(index)
      put(store, document.mediaType, document.content)
      return put(store, MANIFEST_TYPE, writeAttachedManifest(document, subject))
    })
    return [...manifests, ...attached]
  })
}

const TAGS = 'oci-layout:store'

const decision = (index: number) =>
  JSON.stringify({
    program: 'rlp',
    accepted: true,
    signers: [RELEASE.anchor],
    identity: `blake3:${index.toString(16).padStart(64, '0')}`,
    agent: { name: 'mailer', version: `1.0.${index}` },
  })

export const LIST_SHAPES: Readonly<Record<string, ListShape>> = {
  'what is attached to a bundle': {
    size: 40,
    most: 1000,
    prepare: (folder, size, run) => referrers(folder, size, true, run),
    lines: REFERRER_LINES,
  },
  'what is attached to other bundles': {
    size: 40,
    most: 1000,
    prepare: (folder, size, run) => referrers(folder, size, false, run),
    lines: REFERRER_LINES.slice(0, 3),
  },
  tags: {
    size: 60,
    async prepare(folder, size, run) {
      await run('agent', 'push', FILE, TAGS)
      changeIndex(join(folder, 'store'), manifests =>
        manifests.flatMap(one =>
          Array.from({ length: size }, (_, index) => ({
            ...one,
            annotations: {
              ...one.annotations,
              'org.opencontainers.image.ref.name': index === 0 ? '1.0.0' : `0.${index}.0`,
            },
          })),
        ),
      )
    },
    lines: [
      { args: ['agent', 'list', TAGS] },
      { args: ['agent', 'verify', TAGS, '--expect', 'mini@^1.0.0'] },
      { args: ['agent', 'pull', TAGS, '--expect', 'mini@^1.0.0', '--out-dir', 'pulled'] },
      { args: ['agent', 'copy', STORED, 'oci-layout:copied'] },
      { args: ['agent', 'push', FILE, 'oci-layout:store:other'] },
      { args: ['lock', 'add', TAGS, '--expect', 'mini@^1.0.0'] },
      { args: ['lock', 'outdated'], before: [['lock', 'add', TAGS, '--expect', 'mini@^1.0.0']] },
      { args: ['lock', 'update'], before: [['lock', 'add', TAGS, '--expect', 'mini@^1.0.0']] },
    ],
  },
  locks: {
    size: 8,
    async prepare(folder, size, run) {
      for (let index = 0; index < size; index++) {
        writeFileSync(join(folder, `a${index}-1.0.0.agent.bundle`), made({ name: `a${index}` }, RELEASE))
        await run('lock', 'add', `a${index}-1.0.0.agent.bundle`)
      }
    },
    lines: [
      { args: ['lock', 'list'] },
      { args: ['lock', 'list', '--json'] },
      ...['text', 'json', 'sarif', 'markdown'].map(format => ({
        args: ['lock', 'check', '--format', format],
      })),
      { args: ['lock', 'add', FILE] },
      { args: ['lock', 'update', 'a0-1.0.0.agent.bundle'] },
      { args: ['lock', 'remove', 'a0'] },
      { args: ['lock', 'outdated'], exits: [3] },
      { args: ['agent', 'verify', 'a0-1.0.0.agent.bundle', '--locked'] },
      {
        args: [
          'agent',
          'install',
          'a0-1.0.0.agent.bundle',
          '--locked',
          '--root',
          'root',
          '--yes',
          '--no-unpack',
        ],
      },
      { args: ['agent', 'install', '--locked', '--root', 'root', '--yes', '--no-unpack'] },
    ],
  },
  'an audit log': {
    size: 60,
    async prepare(folder, size) {
      const lines = Array.from({ length: size }, (_, index) => `${decision(index)}\n`)
      writeFileSync(join(folder, 'audit.log'), lines.join(''))
    },
    lines: [
      { args: ['trust', 'revoke', 'release', '--from-audit', 'audit.log', '--dry-run'] },
      { args: ['trust', 'revoke', 'release', '--from-audit', 'audit.log'] },
      { args: ['agent', 'verify', FILE, '--audit', 'audit.log'] },
    ],
  },
  'a report of other bundles': {
    size: 200,
    async prepare(folder, size, run) {
      const [line = '', ...rest] = (await run('agent', 'verify', FILE, '--format', 'ndjson')).split('\n')
      const digest = /"sha256":"([0-9a-f]{64})"/.exec(line)?.[1] ?? ''
      const others = Array.from({ length: size }, (_, index) =>
        line.replace(digest, index.toString(16).padStart(64, '0')),
      )
      writeFileSync(join(folder, 'report.ndjson'), [...others, line, ...rest].join('\n'))
    },
    lines: [{ args: ['agent', 'verify', FILE, '--since', 'report.ndjson', '--format', 'ndjson'] }],
  },
  'a report of copies of one bundle': {
    // More are judged in threads, whose steps are not counted.
    size: 8,
    most: 60,
    async prepare(folder, size, run) {
      mkdirSync(join(folder, 'copies'))
      for (let index = 0; index < size; index++)
        writeFileSync(join(folder, 'copies', `a${index}-1.0.0.agent.bundle`), bundleOf(SIGNED))
      writeFileSync(
        join(folder, 'report.ndjson'),
        await run('agent', 'verify', 'copies', '--format', 'ndjson'),
      )
    },
    lines: [
      {
        args: ['agent', 'verify', 'copies', '--since', 'report.ndjson', '--format', 'ndjson'],
        exits: [0, 1],
      },
    ],
  },
  'layers of a channel': {
    size: 60,
    async prepare(folder, size) {
      const contents = channelWith(POLICY)
      const house = join(folder, 'house')
      await publish(contents, `oci-layout:${house}`)
      changeIndex(house, manifests =>
        manifests.map(one => {
          const manifest = JSON.parse(readFileSync(blobPath(house, one.digest), 'utf8'))
          if (manifest.artifactType !== 'application/vnd.runloop.trust-channel.v1') return one
          const more = Array.from({ length: size }, (_, index) => ({
            ...manifest.layers[0],
            annotations: { 'org.opencontainers.image.title': `other${index}` },
          }))
          const bytes = Buffer.from(JSON.stringify({ ...manifest, layers: [...more, ...manifest.layers] }))
          return { ...one, ...put(house, MANIFEST_TYPE, bytes) }
        }),
      )
      writeFileSync(join(folder, 'pin'), pinOf(contents))
    },
    lines: [
      { args: ['trust', 'follow', 'oci-layout:house', '--root', '{pin}'] },
      {
        args: ['trust', 'update'],
        before: [['trust', 'follow', 'oci-layout:house', '--root', '{pin}']],
      },
      { args: ['channel', 'pull', 'oci-layout:house', 'pulled'] },
    ],
  },
}
