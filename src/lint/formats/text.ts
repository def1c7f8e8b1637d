// Lint's report for people: diffs of changes that are not written, then findings with their code frames. What renders them is loaded if there
// are any.
import type { Format } from './format.ts'

export const text = {
  async render({ linted, isDryRun }, { style, columns, screen, shows }) {
    const parts: string[] = []
    for (const { agent, findings, fixes } of linted) {
      if (isDryRun && fixes.length > 0) {
        const { unifiedDiff } = await import('../../cli/render/diff.ts')
        for (const file of fixes)
          parts.push(`${unifiedDiff(agent.label, file, style, findings).join('\n')}\n\n`)
      }
      const shown = findings.filter(shows)
      if (shown.length === 0) continue
      const { renderFindings } = await import('../render.ts')
      parts.push(renderFindings({ agent, findings: shown }, style, columns, screen))
    }
    return parts.join('')
  },
} as const satisfies Format
