// Decides which files verification and lint look into, by path, size and first bytes alone. Archive, folder and library have to agree, or
// one bundle would get two verdicts. The sum is bounded, so that a hostile bundle cannot fill the memory with things to parse.

import { PARSE_LIMITS } from '../../model/limits.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'

const PARSED =
  /^(?:manifest\.toml|policy\.caps|tools\.json|interfaces\.json|SIGNATURES\/.*|schemas\/.*\.json)$/
/** A larger module is not inspected; rules say so. */
export const MAX_WASM_BYTES = PARSE_LIMITS.wasmBytes

/** One for each tree or archive. Files must be offered in the byte order of their paths. */
export class InspectBudget {
  #parsed = PARSE_LIMITS.allTextBytes
  #wasm = PARSE_LIMITS.allWasmBytes

  /** Whether the decision needs the first bytes. */
  needsHead(path: string, size: number): boolean {
    return !PARSED.test(path) && size <= MAX_WASM_BYTES
  }

  /** Whether to look into the content. `head` is ignored if {@link needsHead} is false. */
  takes(path: string, size: number, head: Uint8Array): boolean {
    if (PARSED.test(path)) {
      if (size > MAX_TEXT_BYTES || size > this.#parsed) return false
      this.#parsed -= size
      return true
    }
    const isWasm = head[0] === 0 && head[1] === 0x61 && head[2] === 0x73 && head[3] === 0x6d
    if (!isWasm || size > MAX_WASM_BYTES || size > this.#wasm) return false
    this.#wasm -= size
    return true
  }
}
