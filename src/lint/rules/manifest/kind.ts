import { KIND_OF_ENTRY } from '../../../agent/manifest.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import type { BundleRule } from '../rule.ts'

const KINDS = Object.values(KIND_OF_ENTRY)

export const manifestKind: BundleRule = {
  id: 'manifest/kind',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'agent.kind and the entry disagree',
  why: 'A runtime that goes by the kind and one that goes by the entry would start the same bundle in two ways.',
  fix: 'Write kind = "wasm32-wasip1" with entry_wasm, or kind = "native-shim" with entry_native.',
  looks: 'artifact',
  check({ agent: { manifest }, artifact: { role, at } }, report) {
    const kind = manifest?.kind
    // A missing or unknown kind is reported by the schema.
    if (role !== 'entry' || kind === undefined || !KINDS.includes(kind)) return
    const key = String(at.at(-2))
    const meant = own(KIND_OF_ENTRY, key)
    if (kind === meant) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: ['agent', 'kind'] },
      message: `kind is ${kind}, but the entry is ${key}`,
      fix: `Write kind = "${meant}"`,
    })
  },
}
