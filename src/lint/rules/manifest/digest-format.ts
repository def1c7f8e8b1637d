import { isDigest } from '../../../agent/manifest.ts'
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
  looks: 'artifact',
  check({ artifact: { path, blake3, digestAt } }, report) {
    if (isDigest(blake3)) return
    const written = JSON.stringify(String(blake3).slice(0, 70))
    const found = blake3 === undefined ? 'is missing' : `is not 64 hex digits: ${written}`
    report({
      file: MANIFEST_FILE,
      place: { pointer: digestAt },
      message: `The digest of ${path.slice(0, 100)} ${found}`,
      fix: 'Run rlp agent digest',
    })
  },
}
