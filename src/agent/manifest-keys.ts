// The tables of manifest.toml that readers know, and the keys of each (docs/spec/manifest.md).

const ARTIFACT = ['path', 'blake3']

/** By the table's path with dots, '' for the top level. A key that is no table here holds a value, or what its own rules check. */
export const MANIFEST_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['agent', 'entry_wasm', 'entry_native', 'ports', 'caps', 'artifacts', 'schemas', 'lint']],
  ['agent', ['name', 'version', 'variant', 'description', 'kind', 'entry_wasm', 'entry_native']],
  ['agent.entry_wasm', ARTIFACT],
  ['agent.entry_native', ARTIFACT],
  ['entry_wasm', ARTIFACT],
  ['entry_native', ARTIFACT],
  ['ports', ['in', 'out']],
  ['caps', ['file']],
  ['artifacts', ['tools', 'policy', 'files']],
  ['artifacts.tools', [...ARTIFACT, 'version']],
  ['artifacts.policy', ARTIFACT],
  // What is below it is a JSON Schema: a property may have any name there.
  ['schemas', ['with']],
])
