// Reads the facts of manifest.toml. A missing or wrong value is left out here and reported by the schema and the rules, so that one wrong key does not
// hide every other finding.
import { type Artifact, type Manifest, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { isTable, own } from '../model/own.ts'

const NO_MEMBERS = {}

type Table = { readonly [key: string]: unknown }

const ENTRY_KEYS = ['entry_wasm', 'entry_native'] as const

/** The `agent.kind` that an entry key belongs to. */
export const KIND_OF_ENTRY: Readonly<Record<string, string>> = {
  entry_wasm: 'wasm32-wasip1',
  entry_native: 'native-shim',
}

/** The facts of a parsed manifest; `value` is any TOML root table. */
export function readManifest(value: unknown): Manifest {
  const root = table(value)
  const agent = table(own(root, 'agent'))
  const artifacts = table(own(root, 'artifacts'))
  const entries: Artifact[] = []
  addEntries(entries, root, [])
  addEntries(entries, agent, ['agent'])
  const files = table(own(artifacts, 'files'))
  return {
    name: text(own(agent, 'name')),
    version: text(own(agent, 'version')),
    variant: text(own(agent, 'variant')),
    kind: text(own(agent, 'kind')),
    description: text(own(agent, 'description')),
    capsFile: text(own(table(own(root, 'caps')), 'file')),
    toolsVersion: own(table(own(artifacts, 'tools')), 'version'),
    entries,
    policy: artifact(own(artifacts, 'policy'), ['artifacts', 'policy'], 'policy', POLICY_FILE),
    tools: artifact(own(artifacts, 'tools'), ['artifacts', 'tools'], 'tools', TOOLS_FILE),
    files: Object.keys(files).map(path => {
      const at = ['artifacts', 'files', path]
      return {
        path,
        isPathStated: true,
        blake3: text(own(files, path)),
        at,
        digestAt: at,
        role: 'file' as const,
      }
    }),
  }
}

/** Every artifact that the manifest names, entries first. Listed once for each manifest, which never changes after it was read. */
export function artifactsOf(manifest: Manifest): readonly Artifact[] {
  const before = listed.get(manifest)
  if (before !== undefined) return before
  const { entries, policy, tools, files } = manifest
  const all = [...entries, ...(policy ? [policy] : []), ...(tools ? [tools] : []), ...files]
  listed.set(manifest, all)
  return all
}

const listed = new WeakMap<Manifest, readonly Artifact[]>()

/** Whether a digest as written is 64 hex digits. Zeros count: well formed, but not computed yet. */
export function isDigest(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-fA-F]{64}$/.test(text)
}

function addEntries(entries: Artifact[], holder: Table, at: readonly string[]): void {
  for (const key of ENTRY_KEYS) {
    const entry = own(holder, key)
    if (entry === undefined) continue
    const found = artifact(entry, [...at, key], 'entry')
    if (found !== undefined) entries.push(found)
  }
}

function artifact(
  value: unknown,
  at: readonly string[],
  role: Artifact['role'],
  usual?: string,
): Artifact | undefined {
  if (!isTable(value)) return undefined
  const stated = text(own(value, 'path'))
  const path = stated ?? usual
  if (path === undefined) return undefined
  return {
    path,
    isPathStated: stated !== undefined,
    blake3: text(own(value, 'blake3')),
    at: [...at, 'path'],
    digestAt: [...at, 'blake3'],
    role,
  }
}

function table(value: unknown): Table {
  return isTable(value) ? value : NO_MEMBERS
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
