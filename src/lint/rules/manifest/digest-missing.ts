import { artifactsOf } from '../../../agent/manifest.ts'
import { MANIFEST_FILE, type Manifest, SIGNATURE_FILE } from '../../../model/agent.ts'
import { pathProblem } from '../../../text/path.ts'
import { meantEntryFile, OWN_TABLES, requiredMeant, strayPaths } from '../meant-names.ts'
import { once } from '../once.ts'
import type { BundleRule } from '../rule.ts'

export const manifestDigestMissing: BundleRule = {
  id: 'manifest/digest-missing',
  severity: 'error',
  scope: 'bundle',
  step: 'files',
  summary: 'a file that no digest names',
  why: 'Anybody who handles the bundle could change or add such a file unnoticed.',
  fix: 'Run rlp agent digest, or leave the file out with .bundleignore.',
  looks: 'file',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent, file: { path } }, report) {
    if (agent.manifest === undefined) return
    if (namedBy(agent.manifest).has(path) || path === MANIFEST_FILE || path === SIGNATURE_FILE) return
    // A file with an invalid path is reported by another rule, and a digest would not help it.
    if (pathProblem(path) !== undefined) return
    // Who reads a bundle cannot give the file a place in it. A second digest for a file that another table names would be one too many.
    const isStray = strayPaths(agent).has(path) || meantEntryFile(agent) === path
    const required = requiredMeant(path, agent)
    const place =
      agent.form === 'bundle' || isStray || required !== undefined
        ? ''
        : `; its place is ${OWN_TABLES.get(path) ?? '[artifacts.files]'}`
    report({
      file: MANIFEST_FILE,
      place: { pointer: ['artifacts', 'files'], part: 'key' },
      message: `No digest names ${path}${place}`,
      fix:
        required !== undefined
          ? `Rename ${path} to ${required}`
          : isStray
            ? 'Correct the table that names the file'
            : fixFor(path),
    })
  },
}

function fixFor(path: string): string {
  return OWN_TABLES.get(path) === undefined
    ? 'Run rlp agent digest, or leave the file out with .bundleignore'
    : 'Run rlp agent digest'
}

/** Read once, for all files. */
const namedBy = once(
  (manifest: Manifest): ReadonlySet<string> => new Set(artifactsOf(manifest).map(({ path }) => path)),
)
