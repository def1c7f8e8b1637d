import type { BundleRule } from '../rule.ts'
import { formOf } from '../wasm-entries.ts'

export const wasmComponent: BundleRule = {
  id: 'wasm/component',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'entry_wasm is a component, not a core module',
  why: 'Kind wasm32-wasip1 is a core module. A component begins with the same four bytes and cannot be loaded as one, and what it imports is written in another way, so nothing compares it with policy.caps.',
  fix: 'Build for the target wasm32-wasip1, without the step that makes a component, then run rlp agent digest.',
  looks: 'entry',
  check({ entry }, report) {
    if (formOf(entry) !== 'component') return
    const { path } = entry
    report({
      file: path,
      message: `${path} is a WebAssembly component; kind wasm32-wasip1 is a core module`,
      fix: 'Build for wasm32-wasip1 (wasm32-wasip2 makes components), then run rlp agent digest',
    })
  },
}
