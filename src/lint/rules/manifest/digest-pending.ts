import { artifactsOf } from '../../../format/agent/manifest.ts'
import { MANIFEST_FILE, PENDING_DIGEST } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const manifestDigestPending: BundleRule = {
  id: 'manifest/digest-pending',
  severity: 'error',
  scope: 'bundle',
  step: 'files',
  summary: 'a digest has not been computed yet',
  why: '64 zeros are what scaffold writes before there is a binary; they never verify.',
  fix: 'Build the file, then run rlp agent digest.',
  *check(agent) {
    if (agent.manifest === undefined) return
    for (const { path, blake3, digestAt } of artifactsOf(agent.manifest)) {
      yield
      if (blake3 !== PENDING_DIGEST) continue
      yield {
        file: MANIFEST_FILE,
        place: { pointer: digestAt },
        message: `The digest of ${path.slice(0, 100)} has not been computed yet`,
        fix: 'Run rlp agent digest',
      }
    }
  },
}
