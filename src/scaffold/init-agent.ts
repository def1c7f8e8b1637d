// Makes an agent of a folder that exists, by writing the files that it lacks. No file is replaced but the manifest, which gets digests
// after a yes.
import { basename, dirname, join } from 'node:path'
import { artifactsOf } from '../agent/manifest.ts'
import { overlay } from '../agent/overlay.ts'
import { readInTurns } from '../agent/read-in-turns.ts'
import { blake3Hex } from '../bundle/blake3.ts'
import type { Target } from '../io/find/find-agents.ts'
import { isFile, kindAt } from '../io/find/search-folders.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { readSourceFolder, readTree } from '../io/read/read-tree.ts'
import { IGNORE_FILE } from '../io/read/walk-tree.ts'
import type { Setting } from '../io/setting.ts'
import { turnsOf } from '../io/wait/breathe.ts'
import { makeParents } from '../io/write/make-parents.ts'
import { replaceFile } from '../io/write/replace-file.ts'
import {
  type Agent,
  MANIFEST_FILE,
  type Manifest,
  POLICY_FILE,
  SIGNATURE_FOLDER,
  TOOLS_FILE,
} from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { Files } from '../model/files.ts'
import { digestManifest } from '../pack/digest.ts'
import { writePolicy } from '../policy/write.ts'
import { writeToolsV1 } from '../tools/v1.ts'
import { STUB_WASM } from '../wasm/stub.ts'
import { copiedSchemas, editorSchemas } from './editor-schemas.ts'
import { NO_GRANTS } from './grant.ts'
import { manifestText, type NewEntry, refuseBadName, schemaLine, toolsSchema } from './scaffold.ts'

type NewFiles = ReadonlyMap<string, string | Uint8Array>

/** The manifest of a folder that is an agent already, before and after. */
export interface ManifestChange {
  readonly before: Uint8Array
  readonly text: string
}

export interface Initialized {
  /** The agent's folder, absolute. */
  readonly path: string
  /** The files that were written, below it. */
  readonly files: readonly string[]
  /** Those that were there before. */
  readonly replaced: readonly string[]
  /** Whether a file was written. */
  readonly changed: boolean
}

/**
 * @param name of the agent; the folder's where it is undefined
 * @param confirm asked before a file is replaced, while nothing is written yet; throws if the answer is no
 * @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, USAGE for a bad name, LINT_FAILED for a manifest that cannot be read
 */
export async function initAgent(
  target: Target,
  name: string | undefined,
  confirm: (change: ManifestChange) => Promise<void>,
  io: Setting,
): Promise<Initialized> {
  refuseOther(target)
  const has = (path: string) => entryOrNothing(join(target.path, path)) !== undefined
  if (has(MANIFEST_FILE)) return completed(target, name, has, confirm, io)
  const chosen = name ?? basename(target.path)
  refuseBadName(chosen, 'make an agent called', name === undefined ? ', or say --name' : '')
  const entry = entryOf(chosen, path => isFile(join(target.path, path)))
  const { at, copies } = schemasFor(target)
  const lacking = new Map([...lackingFiles(has, packedNames(undefined), entry, at), ...copies])
  await writeLacking(target, lacking, io)
  const text = newManifest(chosen, entry, at)
  const files = await readTree(target.path, target.label, { as: 'source', digest: 'all', signal: io.signal })
  const agent = await read(overlay(files, new Map([[MANIFEST_FILE, text]])), target, io)
  await writeLacking(target, new Map([[MANIFEST_FILE, digestManifest(agent).text]]), io)
  return initialized(target, [...lacking.keys(), MANIFEST_FILE], [])
}

/** Of a folder that has a manifest: what else is missing. */
async function completed(
  target: Target,
  name: string | undefined,
  has: (path: string) => boolean,
  confirm: (change: ManifestChange) => Promise<void>,
  io: Setting,
): Promise<Initialized> {
  const agent = await readSourceFolder(target, 'all', io)
  if (name !== undefined && name !== agent.manifest?.name) {
    throw new RlpError('USAGE', `Cannot call "${target.label}" ${name}: its manifest has another name`, {
      hint: 'Leave --name out, or change the name in manifest.toml',
    })
  }
  const names = packedNames(agent.manifest)
  const { at, copies } = schemasFor(target)
  const lacking = lackingFiles(has, names, undefined, at)
  // Only a file that is new refers to a copy.
  const isReferred = [...lacking.keys()].some(path => !path.startsWith('.'))
  const all = new Map([...lacking, ...(isReferred ? copies : [])])
  const digested = digestManifest(await read(withNew(agent.files, lacking, names), target, io))
  const before = agent.files.get(MANIFEST_FILE)?.bytes
  const isReplaced = digested.changes.length > 0 && before !== undefined
  if (isReplaced) await confirm({ before, text: digested.text })
  await writeLacking(target, all, io)
  if (isReplaced) {
    const label = `${target.label}/${MANIFEST_FILE}`
    await replaceFile(join(target.path, MANIFEST_FILE), digested.text, { label, before, signal: io.signal })
  }
  return initialized(target, [...all.keys()], isReplaced ? [MANIFEST_FILE] : [])
}

function initialized({ path }: Target, added: readonly string[], replaced: readonly string[]): Initialized {
  const files = [...added, ...replaced]
  return { path, files, replaced, changed: files.length > 0 }
}

/** As the folder will be read: what the new ignore file leaves out is not there. */
function withNew(files: Files, lacking: NewFiles, names: readonly string[]): Files {
  const isPacked = (path: string) => names.includes(path.split('/')[0] ?? '')
  const hasIgnore = !lacking.has('.bundleignore')
  const visible = new Map([...lacking].filter(([path]) => !path.startsWith('.')))
  const after = overlay(files, visible)
  const list = after.list
    .filter(({ path }) => hasIgnore || isPacked(path))
    .map(file => (file.digest || !file.bytes ? file : { ...file, digest: blake3Hex(file.bytes) }))
  const index = new Map(list.map(file => [file.path, file]))
  return { ...after, list, get: path => index.get(path) }
}

function read(files: Files, { label }: Target, io: Setting): Promise<Agent> {
  return readInTurns(files, label, 'source', turnsOf(`reading "${label}"`, io.signal))
}

function schemasFor({ path }: Target): { readonly at: string; readonly copies: NewFiles } {
  const found = editorSchemas(path)
  if (found !== undefined) return { at: found, copies: new Map() }
  const { at, files } = copiedSchemas()
  return {
    at,
    copies: new Map([...files].filter(([file]) => entryOrNothing(join(path, file)) === undefined)),
  }
}

function refuseOther({ path, label }: Target): void {
  const kind = kindAt(path)
  if (kind !== 'folder') {
    const [code, seen] =
      kind === undefined
        ? (['NOT_FOUND', 'no such folder'] as const)
        : (['WRONG_FILE_TYPE', 'it is a file'] as const)
    throw new RlpError(code, `Cannot make an agent of "${label}": ${seen}`, {
      hint: 'Name a folder that exists; rlp agent scaffold makes a new one',
    })
  }
  if (entryOrNothing(join(path, SIGNATURE_FOLDER)) === undefined) return
  throw new RlpError('WRONG_FILE_TYPE', `Cannot make an agent of "${label}": it is an unpacked bundle`, {
    hint: `Work in the agent’s source; ${SIGNATURE_FOLDER}/ holds signatures of what is here`,
  })
}

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
function packedNames(manifest: Manifest | undefined): readonly string[] {
  const named =
    manifest === undefined ? [] : artifactsOf(manifest).map(({ path }) => path.split('/')[0] ?? '')
  return [...new Set([...PACKED, ...named.filter(name => /^[\w-][\w.-]*$/.test(name))])]
}

/** In place of a list of what is left out, which would be too short on the day on which a file is added. */
function ignoreText(names: readonly string[]): string {
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
function lackingFiles(
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
function newManifest(name: string, entry: NewEntry, schemas: string | undefined): string {
  const digests = { description: undefined, entry, tools: PENDING, policy: PENDING, readme: undefined }
  return schemaLine(schemas, 'manifest') + manifestText(name, digests)
}

/** A program that is there already is the entry. @param has whether a file is there */
function entryOf(name: string, has: (path: string) => boolean): NewEntry {
  const [wasm, native] = [`bin/${name}.wasm`, `bin/${name}`]
  if (has(native) && !has(wasm)) return { kind: 'native-shim', path: native, digest: PENDING }
  return { kind: 'wasm32-wasip1', path: wasm, digest: has(wasm) ? PENDING : blake3Hex(STUB_WASM) }
}

/** None of them is there: one that appears meanwhile stays. */
async function writeLacking(
  { path, label }: Target,
  files: ReadonlyMap<string, string | Uint8Array>,
  { signal }: Setting,
): Promise<void> {
  const below = [...files.keys()].map(file => dirname(file)).filter(folder => folder !== '.')
  for (const folder of new Set(below)) refuseNoFolder(join(path, folder), `${label}/${folder}`)
  for (const [file, content] of files) {
    await makeParents(dirname(join(path, file)))
    await replaceFile(join(path, file), content, { label: `${label}/${file}`, before: undefined, signal })
  }
}

/** A link could lead out of the agent's folder. */
function refuseNoFolder(place: string, label: string): void {
  const entry = entryOrNothing(place)
  if (entry === undefined || entry.isDirectory()) return
  const seen = entry.isSymbolicLink() ? 'it is a symbolic link' : 'it is no folder'
  throw new RlpError('WRONG_FILE_TYPE', `Cannot write into "${label}": ${seen}`, {
    hint: 'Rename or remove it',
  })
}
