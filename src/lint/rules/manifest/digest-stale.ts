import { artifactsOf, isDigest } from '../../../agent/manifest.ts'
import { blake3Hex } from '../../../bundle/blake3.ts'
import { MANIFEST_FILE, PENDING_DIGEST } from '../../../model/agent.ts'
import { textVariant } from '../../../text/diagnose.ts'
import type { BundleRule } from '../rule.ts'

/** Each guess at a file's change costs a digest. They are counted over all files, so the rule is asked once for all of them. */
const MOST_GUESSES = 10

export const manifestDigestStale: BundleRule = {
  id: 'manifest/digest-stale',
  severity: 'error',
  scope: 'bundle',
  step: 'files',
  summary: 'a file is not the one its digest names',
  why: 'The digest binds the file to the manifest and so to the signature. If they differ, the file was changed after the digest was made.',
  fix: 'Look at the change; if it is yours, run rlp agent digest.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    if (agent.manifest === undefined) return
    let guesses = 0
    for (const { path, blake3, digestAt } of artifactsOf(agent.manifest)) {
      // A file that was not read yet has no digest here: pack compares it while it streams by.
      const { digest, content, bytes = content } = agent.files.get(path) ?? {}
      if (digest === undefined || !isDigest(blake3) || blake3 === PENDING_DIGEST) continue
      if (blake3.toLowerCase() === digest) continue
      const stated = blake3.toLowerCase()
      const variant =
        bytes && guesses++ < MOST_GUESSES && textVariant(bytes, one => blake3Hex(one) === stated)
      report({
        file: MANIFEST_FILE,
        place: { pointer: digestAt },
        message: `The digest of ${path} is ${digest.slice(0, 12)}…, not ${blake3.slice(0, 12).toLowerCase()}… as written`,
        fix: variant
          ? `The file is the stated text ${variant}; if that is meant, run rlp agent digest`
          : 'If the change to the file is meant, run rlp agent digest',
      })
    }
  },
}
