// What became of each agent of a lock, as workflow commands of GitHub Actions, at its table in the lock.
import { isAbsolute } from 'node:path'
import { printable } from '../../format/text/printable.ts'
import { annotationCommand } from '../../lint/formats/github.ts'
import { slashed } from '../../lint/formats/place.ts'
import type { LockFormat } from './lock-format.ts'

export const lockGithub = {
  name: 'github',
  speaks: 'commands',
  render({ lock, rows }, { cwd, env }) {
    // Paths count from the root of the checkout, which need not be the folder of this step.
    const workspace = env['GITHUB_WORKSPACE']
    const isBelow =
      workspace !== undefined && isAbsolute(workspace) && !/^\.\.(?:\/|$)/.test(slashed(workspace, cwd))
    const file = printable(slashed(isBelow ? workspace : cwd, lock.path))
    return rows
      .filter(({ is }) => is !== 'same')
      .map(({ agent, is, details, line }) => {
        const text = [`${agent}: ${is}`, ...details].map(one => printable(one)).join('\n')
        return `${annotationCommand('error', { file, line, title: `rlp lock check: ${agent}` }, text)}\n`
      })
      .join('')
  },
} as const satisfies LockFormat
