import { pathClashes } from '../../../text/path.ts'
import type { BundleRule } from '../rule.ts'

export const filesCaseTwin: BundleRule = {
  id: 'files/case-twin',
  severity: 'error',
  scope: 'bundle',
  step: 'archive',
  summary: 'two paths differ only in case',
  why: 'On a file system that ignores case one of them overwrites the other.',
  fix: 'Rename one of them.',
  looks: 'agent',
  needs: {},
  check({ agent }, report) {
    for (const { second, words } of pathClashes(agent.files.list.map(({ path }) => path)))
      report({ file: second, message: `${second} ${words}`, fix: 'Rename one of them' })
  },
}
