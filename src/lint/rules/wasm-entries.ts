// The entries that are, or should be, WebAssembly, with their content. Each module is read once, for all rules.
import { readWasm, type WasmModule, type WasmRead } from '../../format/wasm/read.ts'
import type { Agent } from '../../model/agent.ts'
import type { FileEntry } from '../../model/files.ts'

export interface WasmEntry {
  readonly path: string
  readonly file: FileEntry
  /** Its position in the manifest. */
  readonly at: readonly (string | number)[]
}

/** The files named by `entry_wasm`, or by `entry_native`; a file that is named twice comes once. */
export function entriesOf(agent: Agent, key: 'entry_wasm' | 'entry_native'): WasmEntry[] {
  const found = new Map<string, WasmEntry>()
  for (const { path, at } of agent.manifest?.entries ?? []) {
    const file = agent.files.get(path)
    if (at.at(-2) === key && file !== undefined && !found.has(path)) found.set(path, { path, file, at })
  }
  return [...found.values()]
}

/** The first eight bytes, fewer if the file is shorter. Undefined for a file that was not read yet. */
export function knownHead({ head, bytes }: FileEntry): Uint8Array | undefined {
  return head ?? bytes?.subarray(0, 8)
}

/** The kind of file by its first eight bytes. `unread`: it was not read yet. */
export function formOf(file: FileEntry): 'core' | 'component' | 'other' | 'unread' {
  const head = knownHead(file)
  if (head === undefined) return 'unread'
  const text = Buffer.from(head).toString('hex')
  if (text === '0061736d01000000') return 'core'
  return /^0061736d(?:....)0100$/.test(text) ? 'component' : 'other'
}

const READ = new WeakMap<Uint8Array, WasmRead>()

/** Undefined if the first bytes are not those of a core module, or if the file is too large to be held. */
export function wasmOf(file: FileEntry): WasmRead | undefined {
  if (file.bytes === undefined || formOf(file) !== 'core') return undefined
  const known = READ.get(file.bytes) ?? readWasm(file.bytes)
  READ.set(file.bytes, known)
  return known
}

/** The core modules among the entries that could be read to their end. */
export function* modulesOf(agent: Agent): Generator<{ readonly path: string; readonly module: WasmModule }> {
  for (const { path, file } of entriesOf(agent, 'entry_wasm')) {
    const read = wasmOf(file)
    if (read?.ok) yield { path, module: read.module }
  }
}
