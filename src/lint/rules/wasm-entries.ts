// The entries of an agent, with their content. Each module is read once, for all rules.

import type { Agent } from '../../model/agent.ts'
import type { FileEntry } from '../../model/files.ts'
import { readWasm, type WasmModule, type WasmRead } from '../../wasm/read.ts'
import { once } from './once.ts'

export interface AgentEntry {
  /** The key that names it: a WebAssembly module, or a native program. */
  readonly key: 'entry_wasm' | 'entry_native'
  readonly path: string
  readonly file: FileEntry
  /** Its position in the manifest. */
  readonly at: readonly (string | number)[]
}

/** Empty if the files are missing. A file that one key names twice comes once. */
export function entriesOf(agent: Agent): AgentEntry[] {
  const found = new Map<string, AgentEntry>()
  for (const { path, at } of agent.manifest?.entries ?? []) {
    const file = agent.files.get(path)
    const key = at.at(-2) === 'entry_wasm' ? 'entry_wasm' : 'entry_native'
    const name = `${key} ${path}`
    if (file !== undefined && !found.has(name)) found.set(name, { key, path, file, at })
  }
  return [...found.values()]
}

/** The first eight bytes, fewer if the file is shorter. Undefined for a file that was not read yet. */
export function knownHead({ head, bytes }: FileEntry): Uint8Array | undefined {
  return head ?? bytes?.subarray(0, 8)
}

/** The kind of file by its first eight bytes. `unread`: it was not read yet. `native`: it need not be WebAssembly. */
export function formOf({ key, file }: AgentEntry): 'core' | 'component' | 'other' | 'unread' | 'native' {
  if (key === 'entry_native') return 'native'
  const head = file.head ?? file.bytes
  if (head === undefined) return 'unread'
  if (head.length < 8 || !hasMagic(head)) return 'other'
  if (head[4] === 1 && head[5] === 0 && head[6] === 0 && head[7] === 0) return 'core'
  return head[6] === 1 && head[7] === 0 ? 'component' : 'other'
}

/** The bytes that every WebAssembly file begins with. */
export function hasMagic(head: Uint8Array): boolean {
  return head[0] === 0 && head[1] === 0x61 && head[2] === 0x73 && head[3] === 0x6d
}

const readOnce = once(readWasm)

/** Undefined if the first bytes are not those of a core module, or if the file is too large to be held. */
export function wasmOf(entry: AgentEntry): WasmRead | undefined {
  const { bytes } = entry.file
  if (bytes === undefined || formOf(entry) !== 'core') return undefined
  return readOnce(bytes)
}

/** Undefined if the entry is not a core module that could be read to its end. */
export function moduleOf(entry: AgentEntry): WasmModule | undefined {
  const read = wasmOf(entry)
  return read?.ok ? read.module : undefined
}
