import { byteLimit, inUnits, PARSE_LIMITS } from '../../../model/limits.ts'
import type { Rule } from '../rule.ts'
import { formOf, wasmOf } from '../wasm-entries.ts'

/** Absent if Node runs without a compiler (`--jitless`). */
const engine = (globalThis as { WebAssembly?: { validate(bytes: Uint8Array): boolean } }).WebAssembly

const LARGEST = inUnits(PARSE_LIMITS.wasmBytes)

export const wasmNotValidated: Rule = {
  id: 'wasm/not-validated',
  severity: 'warning',
  scope: 'source',
  summary: 'the engine of this Node version refused the module, or could not be asked',
  why: `The code inside a module is judged by an engine, and each version knows other instructions: a module that is refused here may be broken, or only newer than this Node. Modules above ${LARGEST} are not looked into at all.`,
  fix: `Build the module again, or run rlp under the newest Node; keep the module below ${LARGEST}.`,
  looks: 'entry',
  check({ entry }, report) {
    const { path, file } = entry
    if (file.bytes === undefined) {
      const form = formOf(entry)
      if (form !== 'core' && form !== 'unread') return
      report({
        file: path,
        message: `${path} was not looked into: a module has at most ${byteLimit(PARSE_LIMITS.wasmBytes)}, all together ${byteLimit(PARSE_LIMITS.allWasmBytes)}`,
        fix: 'Make it smaller, for example without debug information: its imports and exports were compared with nothing',
      })
    } else if (wasmOf(entry)?.ok && engine?.validate(file.bytes) === false) {
      report({
        file: path,
        message: `Node ${process.versions.node} does not accept ${path} as valid WebAssembly`,
        fix: 'Build it again, or for a target without new instructions; a newer Node may know them',
      })
    }
  },
}
