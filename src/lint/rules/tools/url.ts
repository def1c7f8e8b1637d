import { TOOLS_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const toolsUrl: BundleRule = {
  id: 'tools/url',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a url does not say plainly which host it reaches',
  why: 'The proof that tools stay within policy.caps depends on host and port. Templates, user names or odd spellings there let two readers see two hosts.',
  fix: 'Write an absolute https:// url with the host in its normal form; templates are allowed in path and query.',
  looks: 'http',
  check({ at, reach }, report) {
    if (reach === undefined || !('problem' in reach)) return
    report({
      file: TOOLS_FILE,
      place: { pointer: [...at, 'transport', 'url'] },
      message: `The url cannot be used: ${reach.problem}`,
      fix: reach.fix,
    })
  },
}
