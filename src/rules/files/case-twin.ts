import { pathClashes } from '../../format/path.ts'
import type { Rule } from '../rule.ts'

export const filesCaseTwin: Rule = {
  id: 'files/case-twin',
  severity: 'error',
  scope: 'bundle',
  summary: 'two paths differ only in case',
  why: 'On a file system that ignores case one of them overwrites the other.',
  fix: 'Rename one of them.',
  *check(agent) {
    for (const { second, words } of pathClashes(agent.files.list.map(({ path }) => path))) {
      yield { file: second, message: `${second} ${words}`, fix: 'Rename one of them' }
    }
  },
}
