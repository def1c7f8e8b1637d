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
  looks: 'artifact',
  check({ artifact: { path, blake3, digestAt } }, report) {
    if (blake3 !== PENDING_DIGEST) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: digestAt },
      message: `The digest of ${path.slice(0, 100)} has not been computed yet`,
      fix: 'Run rlp agent digest',
    })
  },
}
