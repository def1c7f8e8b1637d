import { WASM_MAGIC } from '../../format/wasm-stub.ts'
import type { Rule } from '../rule.ts'

export const wasmNotWasm: Rule = {
  id: 'wasm/not-wasm',
  severity: 'error',
  scope: 'bundle',
  summary: 'entry_wasm is not a WebAssembly module',
  why: 'A runtime cannot start it; one that falls back to something else would run what nobody reviewed.',
  fix: 'Build the agent for wasm32-wasip1, put it at bin/<name>.wasm, then run rlp agent digest.',
  *check(agent) {
    for (const { path, at } of agent.manifest?.entries ?? []) {
      if (at.at(-2) !== 'entry_wasm') continue
      const file = agent.files.get(path)
      // Eight bytes are enough. A file that nobody has read yet is left to whoever reads it.
      const head = file?.head ?? file?.bytes
      if (head === undefined) continue
      const seen = problemOf(head)
      if (seen === undefined) continue
      yield {
        file: path,
        message: `${path} is not a WebAssembly module: ${seen}`,
        fix: `Build your agent for wasm32-wasip1 and put it at ${path}, then run rlp agent digest`,
      }
    }
  },
}

/** @param bytes the file's first eight or more, fewer when it has fewer */
function problemOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'it is empty'
  const begins = (from: number, to: number) =>
    bytes.length >= to && WASM_MAGIC.slice(from, to).every((byte, index) => bytes[from + index] === byte)
  if (!begins(0, 4)) return 'it does not begin with the bytes 00 61 73 6d'
  if (begins(4, 8)) return undefined
  // The component model has the same magic and, in these four bytes, a layer of its own.
  return bytes[6] === 1
    ? 'it is a component; runtimes of this kind load core modules'
    : 'its version is not 1'
}
