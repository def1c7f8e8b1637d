import { artifactsOf } from '../../../agent/manifest.ts'
import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const manifestArtifactTwice: BundleRule = {
  id: 'manifest/artifact-twice',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'two digests name one file',
  why: 'If they differ, whether the bundle is sound depends on which one a reader looks at.',
  fix: 'Remove the line under [artifacts.files]; rlp agent digest does it.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    if (agent.manifest === undefined) return
    const seen = new Set<string>()
    for (const { path, at, role } of artifactsOf(agent.manifest)) {
      // Repeated entries are reported by another rule.
      if (seen.has(path) && role !== 'entry')
        report({
          file: MANIFEST_FILE,
          place: { pointer: at, part: role === 'file' ? 'key' : 'value' },
          message: `${path.slice(0, 100)} has another digest in this manifest`,
          fix: 'Remove this line, or run rlp agent digest',
        })
      seen.add(path)
    }
  },
}
