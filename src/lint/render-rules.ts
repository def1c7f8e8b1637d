// The registry of rules as a list for people, and for programs.
import { wrap } from '../cli/render/layout.ts'
import { DESCRIBED_RULES } from './rules/agentcli.ts'

export function rulesForPrograms() {
  return DESCRIBED_RULES.map(({ id, severity, scope, summary, why, fix, autofix, isOptIn }) => ({
    id,
    severity,
    enabled: isOptIn !== true,
    scope,
    summary,
    why,
    fix,
    autofix: autofix !== undefined,
  }))
}

/** One line for each; where one does not fit into the columns of a terminal, each is a block. */
export function ruleList(columns: number): string {
  const wide = Math.max(...DESCRIBED_RULES.map(({ id }) => id.length))
  const lines = DESCRIBED_RULES.map(
    ({ id, severity, summary }) => `${id.padEnd(wide)}  ${severity.padEnd(7)}  ${summary}`,
  )
  const shown = lines.every(line => line.length <= columns)
    ? lines
    : DESCRIBED_RULES.flatMap(({ id, severity, summary }) => [
        `${id}  ${severity}`,
        ...wrap(summary, columns - 2).map(line => `  ${line}`),
      ])
  return `${shown.join('\n')}\n`
}
