import { KIND_OF_ENTRY } from '../../../format/agent/manifest.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import { own } from '../../../model/own.ts'
import type { BundleRule } from '../rule.ts'

export const manifestKind: BundleRule = {
  id: 'manifest/kind',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'agent.kind and the entry disagree',
  why: 'A runtime that goes by the kind and one that goes by the entry would start the same bundle in two ways.',
  fix: 'Write kind = "wasm32-wasip1" with entry_wasm, or kind = "native-shim" with entry_native.',
  *check(agent) {
    const { manifest } = agent
    if (manifest === undefined) return
    for (const entry of manifest.entries) {
      yield
      const key = String(entry.at.at(-2))
      const meant = own(KIND_OF_ENTRY, key)
      if (manifest.kind === meant) continue
      // A missing or unknown kind is reported by the schema.
      if (manifest.kind === undefined || !Object.values(KIND_OF_ENTRY).includes(manifest.kind)) continue
      yield {
        file: MANIFEST_FILE,
        place: { pointer: ['agent', 'kind'] },
        message: `kind is ${manifest.kind}, but the entry is ${key}`,
        fix: `Write kind = "${meant}"`,
      }
    }
  },
}
