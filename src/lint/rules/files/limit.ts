import { ARCHIVE_LIMITS, byteLimit, inUnits } from '../../../model/limits.ts'
import type { Rule } from '../rule.ts'

export const filesLimit: Rule = {
  id: 'files/limit',
  severity: 'error',
  scope: 'source',
  summary: 'a file, or all of them together, is too large for a bundle',
  why: `Verifiers refuse bundles beyond ${inUnits(ARCHIVE_LIMITS.fileBytes)} a file and ${inUnits(ARCHIVE_LIMITS.totalBytes)} in all, so that a hostile bundle cannot fill a disk.`,
  fix: 'Leave out what the agent does not need with .bundleignore.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    let total = 0
    for (const { path, size } of agent.files.list) {
      total += size
      if (size <= ARCHIVE_LIMITS.fileBytes) continue
      report({
        file: path,
        message: `The file has ${size} bytes; one file of a bundle has at most ${byteLimit(ARCHIVE_LIMITS.fileBytes)}`,
        fix: 'Make it smaller, or leave it out with .bundleignore',
      })
    }
    if (total > ARCHIVE_LIMITS.totalBytes)
      report({
        file: '',
        message: `All files together have ${total} bytes; a bundle has at most ${byteLimit(ARCHIVE_LIMITS.totalBytes)}`,
        fix: 'Leave out what the agent does not need with .bundleignore',
      })
  },
}
