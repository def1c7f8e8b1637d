// Findings → how many of each kind, and the exit code.
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Finding } from '../model/finding.ts'

/** Suppressed findings are in none of the first three. */
export interface Tally {
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  readonly suppressed: number
}

/** The caller's limits. */
export interface Tolerance {
  readonly strict: boolean
  readonly maxWarnings: number | undefined
}

export function tally(findings: readonly Pick<Finding, 'severity' | 'suppressed'>[]): Tally {
  const counted = findings.filter(({ suppressed }) => suppressed === undefined)
  const count = (wanted: Finding['severity']) => counted.filter(({ severity }) => severity === wanted).length
  return {
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    suppressed: findings.length - counted.length,
  }
}

/** Whether there are more warnings than the caller allows; `--strict` allows none. */
export function hasTooManyWarnings(
  { warnings }: Pick<Tally, 'warnings'>,
  { strict, maxWarnings }: Tolerance,
): boolean {
  return warnings > (strict ? 0 : (maxWarnings ?? Number.POSITIVE_INFINITY))
}

export function lintExit(counts: Tally, tolerance: Tolerance): ExitCode {
  return counts.errors > 0 || hasTooManyWarnings(counts, tolerance) ? EXIT.bundle : EXIT.ok
}
