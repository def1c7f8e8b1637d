// Lint's report for people: diffs of changes that are not written, then findings with their code frames.

import { unifiedDiff } from '../../cli/render/diff.ts'
import { renderFindings } from '../render.ts'
import type { Format } from './format.ts'

export const text = {
  name: 'text',
  render({ linted, isDryRun }, { style, columns, screen, shows }) {
    return linted
      .map(({ agent, findings, fixes }) => {
        const diffs = isDryRun
          ? fixes.map(file => `${unifiedDiff(agent.label, file, style, findings).join('\n')}\n\n`)
          : []
        const shown = { agent, findings: findings.filter(shows) }
        return diffs.join('') + renderFindings(shown, style, columns, screen)
      })
      .join('')
  },
} as const satisfies Format
