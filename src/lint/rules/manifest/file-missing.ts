import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { Oddity } from '../../../model/files.ts'
import { pathProblem } from '../../../text/path.ts'
import { quoteText } from '../../../text/quote.ts'
import { meantEntryFile } from '../meant-names.ts'
import type { BundleRule } from '../rule.ts'

export const manifestFileMissing: BundleRule = {
  id: 'manifest/file-missing',
  severity: 'error',
  scope: 'bundle',
  step: 'files',
  summary: 'the manifest names a file that is not there',
  why: 'A bundle without a file it promises fails where it runs instead of where it was made.',
  fix: 'Build or restore the file, or remove it from the manifest.',
  looks: 'artifact',
  check({ agent, artifact: { path, at, role } }, report) {
    const { files } = agent
    // An existing file that is left out, and an invalid path, are reported by other rules.
    if (files.get(path) || pathProblem(path) !== undefined || isLeftOut(files.oddities, path)) return
    // Required files are reported by another rule too.
    if (role === 'policy' || role === 'tools') return
    report({
      file: MANIFEST_FILE,
      place: { pointer: at, part: role === 'file' ? 'key' : 'value' },
      message: `${path} is not there`,
      fix:
        role === 'entry'
          ? entryFix(path, meantEntryFile(agent))
          : 'Restore the file, or run rlp agent digest to drop the line',
    })
  },
}

function entryFix(path: string, meant: string | undefined): string {
  return meant === undefined
    ? `Build ${path}, then run rlp agent digest`
    : `Write ${quoteText(meant)}, which is there, then run rlp agent digest`
}

/** Whether a path, or a folder above it, exists as something other than a packed file. An empty folder has nothing to leave out. */
function isLeftOut(oddities: readonly Pick<Oddity, 'path' | 'what'>[], path: string): boolean {
  return oddities.some(
    odd => odd.what !== 'empty-directory' && (path === odd.path || path.startsWith(`${odd.path}/`)),
  )
}
