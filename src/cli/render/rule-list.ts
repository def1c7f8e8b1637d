// The registry of rules as a list for people, and for programs.
import { RULES } from '../../rules/index.ts'

export function rulesForPrograms() {
  return RULES.map(({ id, severity, scope, summary, why, fix, autofix }) => ({
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
  const wide = Math.max(...RULES.map(({ id }) => id.length))
  return RULES.map(
    ({ id, severity, summary }) => `${id.padEnd(wide)}  ${severity.padEnd(7)}  ${summary}\n`,
  ).join('')
}
