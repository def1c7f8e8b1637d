// Lint's report for people: diffs of changes that are not written, then findings with their code frames.

import { renderFindings } from '../render.ts'
import { unifiedDiff } from '../render-diff.ts'
import type { Format } from './format.ts'

export const text = {
  name: 'text',
  render({ linted }, { style, columns, shows }) {
    return linted
      .map(({ agent, findings, fixes, isWritten }) => {
        const diffs = isWritten
          ? []
          : fixes.map(file => `${unifiedDiff(agent.label, file, style, findings).join('\n')}\n\n`)
        return diffs.join('') + renderFindings({ agent, findings: findings.filter(shows) }, style, columns)
      })
      .join('')
  },
} as const satisfies Format
