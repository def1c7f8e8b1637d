import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'
import { hasMagic, knownHead } from '../wasm-entries.ts'

export const wasmNativeFormat: BundleRule = {
  id: 'wasm/native-format',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'entry_native is a WebAssembly module',
  why: 'A native entry is started as a program of the operating system, outside the sandbox that a module is written for; most systems refuse to start it at all.',
  fix: 'Write entry_wasm and kind = "wasm32-wasip1", then run rlp agent digest.',
  looks: 'entry',
  check({ entry: { key, path, file, at } }, report) {
    if (key !== 'entry_native') return
    const head = knownHead(file)
    if (head === undefined || !hasMagic(head)) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: at },
      message: `${path} is a WebAssembly module, named by entry_native`,
      fix: `Write entry_wasm = { path = "${path}", blake3 = "" } and kind = "wasm32-wasip1", then run rlp agent digest`,
    })
  },
}
