// The registry of rules as a list for people, and for programs.
import { DESCRIBED_RULES } from './rules/described.ts'

export function rulesForPrograms() {
  return DESCRIBED_RULES.map(({ id, severity, scope, summary, why, fix, autofix }) => ({
    id,
    severity,
    scope,
    summary,
    why,
    fix,
    autofix: autofix !== undefined,
  }))
}

export function ruleList(): string {
  const wide = Math.max(...DESCRIBED_RULES.map(({ id }) => id.length))
  return DESCRIBED_RULES.map(
    ({ id, severity, summary }) => `${id.padEnd(wide)}  ${severity.padEnd(7)}  ${summary}\n`,
  ).join('')
}
