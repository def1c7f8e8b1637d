import { artifactsOf, isDigest } from '../../../format/agent/manifest.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const manifestDigestFormat: BundleRule = {
  id: 'manifest/digest-format',
  severity: 'error',
  scope: 'bundle',
  step: 'files',
  summary: 'a digest is missing or not 64 hex digits',
  why: 'A digest of another length or alphabet compares with nothing, so the file would go unchecked.',
  fix: 'Run rlp agent digest.',
  *check(agent) {
    if (agent.manifest === undefined) return
    for (const { path, blake3, digestAt } of artifactsOf(agent.manifest)) {
      yield
      if (isDigest(blake3)) continue
      const written = JSON.stringify(String(blake3).slice(0, 70))
      const found = blake3 === undefined ? 'is missing' : `is not 64 hex digits: ${written}`
      yield {
        file: MANIFEST_FILE,
        place: { pointer: digestAt },
        message: `The digest of ${path.slice(0, 100)} ${found}`,
        fix: 'Run rlp agent digest',
      }
    }
  },
}
