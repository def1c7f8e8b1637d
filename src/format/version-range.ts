// SemVer ranges (`^1.2`, `>=1 <3`) → which versions they accept. The only importer of `semver`, loaded on demand: its table of patterns
// would take 3 ms of every verification.
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

const MAX_LENGTH = 100

/** Whether a text is a range. `semver` reads nothing as "every version": a script's unset variable must not say that. */
export function isRange(text: string): boolean {
  return text.trim() !== '' && text.length <= MAX_LENGTH && validRange(text) !== null
}

/** Whether a range accepts a version; a pre-release counts as any other version. */
export function isInRange(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true })
}
