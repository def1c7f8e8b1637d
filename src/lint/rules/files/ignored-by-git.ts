import { quoteText } from '../../../text/quote.ts'
import { listText } from '../../message-words.ts'
import type { Rule } from '../rule.ts'

export const filesIgnoredByGit: Rule = {
  id: 'files/ignored-by-git',
  severity: 'warning',
  scope: 'source',
  summary: 'files that git ignores and that would be packed',
  why: 'Files that git ignores are not reviewed: local settings, credentials, leftovers of a build or an editor. They are packed anyway, because only .bundleignore decides. The entry does not count, because it is built.',
  fix: 'Leave the files out with .bundleignore, or add them to git.',
  looks: 'agent',
  needs: {},
  check({ agent, prepared }, report) {
    const entries = new Set(agent.manifest?.entries.map(({ path }) => path))
    const ignored = prepared.ignored.filter(path => !entries.has(path))
    const [first] = ignored
    if (first === undefined) return
    const names = listText(
      ignored.map(path => quoteText(path)),
      MOST_NAMED,
    )
    report({
      file: first,
      message: `git ignores ${names}, but the bundle would contain ${ignored.length === 1 ? 'it' : 'them'}`,
      fix: `Leave ${ignored.length === 1 ? 'it' : 'them'} out with .bundleignore, or add ${ignored.length === 1 ? 'it' : 'them'} to git`,
    })
  },
}

const MOST_NAMED = 5
