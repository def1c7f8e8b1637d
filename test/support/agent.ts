// Valid agents for tests: their files with right digests, written without the code under test's digest verb.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { archiveOrder } from '../../src/bundle/archive.ts'
import { blake3Hex } from '../../src/bundle/blake3.ts'
import { archive, entry } from './archive.ts'
import type { Content } from './memory.ts'

export type Tree = Record<string, Content>

export const EMPTY_TOOLS = '{\n  "version": 1,\n  "tools": []\n}'

export interface AgentFacts {
  readonly name?: string
  readonly version?: string
  readonly variant?: string
  /** Files beside the four that every agent has; may replace policy.caps, tools.json and the entry. */
  readonly files?: Tree
}

/** A module that exports `memory` and a `_start` that returns at once; not the stub of scaffold, which lint warns of. */
export const WASM: Uint8Array = Uint8Array.from(
  Buffer.from(
    '0061736d01000000010401600000030201000503010001071302066d656d6f72790200065f737461727400000a040102000b',
    'hex',
  ),
)

/** The files of a valid agent: manifest, policy, tools, an entry and `files`, each named by its digest. */
export function agentTree({ name = 'mini', version = '1.0.0', variant, files = {} }: AgentFacts = {}): Tree {
  const entryPath = `bin/${name}.wasm`
  const rest: Tree = {
    'policy.caps': '[capabilities]\n',
    'tools.json': EMPTY_TOOLS,
    [entryPath]: WASM,
    ...files,
  }
  const digest = (path: string) => digestOf(rest[path] ?? '')
  const others = Object.keys(rest).filter(path => !['policy.caps', 'tools.json', entryPath].includes(path))
  const lines = [
    '[agent]',
    `name = "${name}"`,
    `version = "${version}"`,
    ...(variant === undefined ? [] : [`variant = "${variant}"`]),
    'kind = "wasm32-wasip1"',
    `entry_wasm = { path = "${entryPath}", blake3 = "${digest(entryPath)}" }`,
    '',
    '[caps]',
    'file = "policy.caps"',
    '',
    '[artifacts.tools]',
    'path = "tools.json"',
    `blake3 = "${digest('tools.json')}"`,
    'version = 1',
    '',
    '[artifacts.policy]',
    'path = "policy.caps"',
    `blake3 = "${digest('policy.caps')}"`,
    ...(others.length === 0 ? [] : ['', '[artifacts.files]']),
    ...others.sort().map(path => `"${path}" = "${digest(path)}"`),
  ]
  return { 'manifest.toml': `${lines.join('\n')}\n`, ...rest }
}

/** The canonical archive of any files, whatever they say. */
export function bundleOf(tree: Tree): Buffer {
  const paths = Object.keys(tree).sort(archiveOrder)
  return archive(...paths.map(path => entry(path, tree[path] ?? '')))
}

/** Writes a tree below `folder`, in the order of its keys. */
export function writeTree(folder: string, tree: Tree): string {
  for (const [path, content] of Object.entries(tree)) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
  return folder
}

/** BLAKE3, 64 lower-case hex digits. */
export function digestOf(content: Content): string {
  return blake3Hex(typeof content === 'string' ? new TextEncoder().encode(content) : content)
}
