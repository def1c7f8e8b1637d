import { pathProblem } from '../../../text/path.ts'
import type { BundleRule } from '../rule.ts'

export const filesName: BundleRule = {
  id: 'files/name',
  severity: 'error',
  scope: 'bundle',
  step: 'archive',
  summary: 'a file has a name that is not allowed in a bundle',
  why: 'Names with spaces, accents, trailing dots or device names change or collide on other systems, and so would what was signed.',
  fix: 'Rename the file, or leave it out with .bundleignore.',
  looks: 'file',
  check({ file: { path } }, report) {
    const problem = pathProblem(path)
    if (problem === undefined) return
    report({
      file: path,
      message: `The file’s path ${problem}`,
      fix: 'Rename it, or leave it out with .bundleignore',
    })
  },
}
