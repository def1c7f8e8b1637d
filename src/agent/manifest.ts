// Reads the facts of manifest.toml. A missing or wrong value is left out here and reported by the schema and the rules, so that one wrong key does not
// hide every other finding.
import { type Artifact, type Manifest, POLICY_FILE, TOOLS_FILE } from '../model/agent.ts'
import { isTable, ownMembers } from '../model/own.ts'

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
  const agent = table(root['agent'])
  const caps = table(root['caps'])
  const artifacts = table(root['artifacts'])
  return {
    name: text(agent['name']),
    version: text(agent['version']),
    variant: text(agent['variant']),
    kind: text(agent['kind']),
    description: text(agent['description']),
    capsFile: text(caps['file']),
    toolsVersion: table(artifacts['tools'])['version'],
    entries: [...entriesOf(root, []), ...entriesOf(agent, ['agent'])],
    policy: artifact(artifacts['policy'], ['artifacts', 'policy'], 'policy', POLICY_FILE),
    tools: artifact(artifacts['tools'], ['artifacts', 'tools'], 'tools', TOOLS_FILE),
    files: Object.entries(table(artifacts['files'])).map(([path, blake3]) => {
      const at = ['artifacts', 'files', path]
      return { path, isPathStated: true, blake3: text(blake3), at, digestAt: at, role: 'file' as const }
    }),
  }
}

/** Every artifact that the manifest names, entries first. */
export function artifactsOf(manifest: Manifest): readonly Artifact[] {
  const before = known.get(manifest)
  if (before !== undefined) return before
  const { entries, policy, tools, files } = manifest
  const artifacts = [...entries, ...(policy ? [policy] : []), ...(tools ? [tools] : []), ...files]
  known.set(manifest, artifacts)
  return artifacts
}

/** Safe as a cache, because a manifest never changes after it was read. Several rules and steps ask for the list. */
const known = new WeakMap<Manifest, readonly Artifact[]>()

/** Whether a digest as written is 64 hex digits. Zeros count: well formed, but not computed yet. */
export function isDigest(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-fA-F]{64}$/.test(text)
}

function entriesOf(holder: Table, at: readonly string[]): Artifact[] {
  return ENTRY_KEYS.flatMap(key => artifact(holder[key], [...at, key], 'entry') ?? [])
}

function artifact(
  value: unknown,
  at: readonly string[],
  role: Artifact['role'],
  usual?: string,
): Artifact | undefined {
  if (!isTable(value)) return undefined
  const { path: named, blake3 } = table(value)
  const stated = text(named)
  const path = stated ?? usual
  if (path === undefined) return undefined
  return {
    path,
    isPathStated: stated !== undefined,
    blake3: text(blake3),
    at: [...at, 'path'],
    digestAt: [...at, 'blake3'],
    role,
  }
}

function table(value: unknown): Table {
  return ownMembers(isTable(value) ? value : {})
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
