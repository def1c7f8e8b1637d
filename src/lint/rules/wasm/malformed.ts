import type { BundleRule } from '../rule.ts'
import { wasmOf } from '../wasm-entries.ts'

export const wasmMalformed: BundleRule = {
  id: 'wasm/malformed',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'the sections of the WebAssembly module cannot be read',
  why: 'No runtime loads it, and what it imports cannot be compared with policy.caps. It is mostly a download or a build that was cut off.',
  fix: 'Build the module again, then run rlp agent digest.',
  looks: 'entry',
  check({ entry }, report) {
    const read = wasmOf(entry)
    if (read === undefined || read.ok) return
    const { path } = entry
    const { offset, reason, isUnknown } = read
    report({
      file: path,
      ...(isUnknown && { undecidable: true as const }),
      message: `${path} ${isUnknown ? 'holds what this build does not know' : 'is malformed'} at byte ${offset}: ${reason}`,
      fix: isUnknown
        ? 'Build it for plain wasm32-wasip1 and without debug information, or update rlp'
        : `Build it again and put it at ${path}, then run rlp agent digest`,
    })
  },
}
