// What became of each agent of a lock, as workflow commands of GitHub Actions, at its table in the lock.
import { annotationCommand } from '../../report/github.ts'
import { checkoutOf, slashed } from '../../report/place.ts'
import { printable } from '../../text/printable.ts'
import type { LockFormat } from './format.ts'

export const lockGithub = {
  name: 'github',
  speaks: 'commands',
  render({ checked: { agents }, path }, { cwd, env }) {
    const file = printable(slashed(checkoutOf(cwd, env['GITHUB_WORKSPACE']), path))
    return agents
      .filter(({ is }) => is !== 'same')
      .map(({ agent, is, details, line }) => {
        const text = [`${agent}: ${is}`, ...details].map(one => printable(one)).join('\n')
        return `${annotationCommand('error', { file, line, title: `rlp lock check: ${agent}` }, text)}\n`
      })
      .join('')
  },
} as const satisfies LockFormat
