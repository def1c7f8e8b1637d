// An agent for tests of lint: sound but for one warning, with lines of one's own at the end of its manifest.
import { STUB_WASM } from '../../src/format/wasm/stub.ts'
import { agentTree, type Tree } from './agent.ts'

/** The warning that {@link treeWith} has: its entry is the stub of scaffold. */
export const STUB = 'wasm/stub'

/** The files of the agent `mini`. */
export function treeWith(toml = '', files: Tree = {}): Tree {
  const tree = agentTree({ files: { 'bin/mini.wasm': STUB_WASM, ...files } })
  return { ...tree, 'manifest.toml': `${tree['manifest.toml']}\n${toml}\n` }
}

/** A `[lint]` table with one entry. */
export function suppressing(members: string): string {
  return `[lint]\nsuppress = [{ ${members} }]`
}
