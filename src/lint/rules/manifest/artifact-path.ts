import { MANIFEST_FILE, SIGNATURE_FOLDER } from '../../../model/agent.ts'
import { pathProblem } from '../../../text/path.ts'
import type { BundleRule } from '../rule.ts'

export const manifestArtifactPath: BundleRule = {
  id: 'manifest/artifact-path',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'the manifest names a path that is not allowed in a bundle',
  why: 'A path like ../x or /etc/x would make a reader digest, copy or run a file outside the bundle.',
  fix: 'Name a file inside the agent’s folder, relative, with / between plain segments.',
  looks: 'artifact',
  check({ artifact: { path, at, role } }, report) {
    const problem = pathProblem(path)
    const isOwn =
      path === MANIFEST_FILE || path === SIGNATURE_FOLDER || path.startsWith(`${SIGNATURE_FOLDER}/`)
    if (problem === undefined && !isOwn) return
    report({
      file: MANIFEST_FILE,
      place: { pointer: at, part: role === 'file' ? 'key' : 'value' },
      message: `The path ${JSON.stringify(path.slice(0, 100))} ${problem ?? 'may not be named: it cannot hold its own digest'}`,
      fix: isOwn ? 'Remove the line' : 'Name a file inside the agent’s folder, for example bin/agent.wasm',
    })
  },
}
