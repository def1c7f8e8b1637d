// What a folder has already → the files that it lacks to be an agent.
import { artifactsOf } from '../agent/manifest.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import { IGNORE_FILE } from '../io/read/walk-tree.ts'
import { MANIFEST_FILE, type Manifest, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { writePolicy } from '../policy/write.ts'
import { writeToolsV1 } from '../tools/v1.ts'
import { STUB_WASM } from '../wasm/stub.ts'
import { NO_GRANTS } from './grant.ts'
import { manifestText, type NewEntry } from './new-texts.ts'
import { schemaLine, toolsSchema } from './scaffold.ts'

/** Files and folders that belong to a bundle. */
const PACKED: readonly string[] = [
  MANIFEST_FILE,
  POLICY_FILE,
  TOOLS_FILE,
  'interfaces.json',
  'README.md',
  'LICENSE',
  'bin',
  'schemas',
]
const PENDING = '0'.repeat(64)

/** What the first segment of a packed path may be: the usual ones, and what the manifest names. */
export function packedNames(manifest: Manifest | undefined): readonly string[] {
  const named =
    manifest === undefined ? [] : artifactsOf(manifest).map(({ path }) => path.split('/')[0] ?? '')
  return [...new Set([...PACKED, ...named.filter(name => /^[\w-][\w.-]*$/.test(name))])]
}

/** In place of a list of what is left out, which would be too short on the day on which a file is added. */
export function ignoreText(names: readonly string[]): string {
  const lines = names.map(name => `!/${name}`)
  return [
    '# What rlp agent pack takes of this folder: what the lines with ! name, and nothing else.',
    '# The syntax is that of .gitignore. To pack another file, add a line.',
    '/*',
    ...lines,
    '',
  ].join('\n')
}

/** Without the manifest, which is written last. */
export function lackingFiles(
  has: (path: string) => boolean,
  names: readonly string[],
  entry: NewEntry | undefined,
  schemas: string | undefined,
): Map<string, string | Uint8Array> {
  const all: readonly (readonly [string, string | Uint8Array])[] = [
    // First: what is read after it is only what is packed.
    [IGNORE_FILE, ignoreText(names)],
    [POLICY_FILE, schemaLine(schemas, 'policy') + writePolicy(NO_GRANTS)],
    [TOOLS_FILE, `${writeToolsV1([], toolsSchema(schemas))}\n`],
    ...(entry?.kind === 'wasm32-wasip1' ? [[entry.path, STUB_WASM] as const] : []),
  ]
  return new Map(all.filter(([path]) => !has(path)))
}

/** Its digests are still to be written. */
export function newManifest(name: string, entry: NewEntry, schemas: string | undefined): string {
  const digests = { description: undefined, entry, tools: PENDING, policy: PENDING, readme: undefined }
  return schemaLine(schemas, 'manifest') + manifestText(name, digests)
}

/** A program that is there already is the entry. @param has whether a file is there */
export function entryOf(name: string, has: (path: string) => boolean): NewEntry {
  const [wasm, native] = [`bin/${name}.wasm`, `bin/${name}`]
  if (has(native) && !has(wasm)) return { kind: 'native-shim', path: native, digest: PENDING }
  return { kind: 'wasm32-wasip1', path: wasm, digest: has(wasm) ? PENDING : blake3Hex(STUB_WASM) }
}
