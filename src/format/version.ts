// SemVer 2.0 versions and ranges. The only importer of `semver`, which also bounds each number by 2^53.
import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

const MAX_RANGE_LENGTH = 100

/** Whether a text is a SemVer version, without the `v` and the blanks around it that `semver` also accepts. */
export function isVersion(text: string): boolean {
  const parsed = parse(text)
  if (parsed === null) return false
  const build = parsed.build.length > 0 ? `+${parsed.build.join('.')}` : ''
  return `${parsed.version}${build}` === text
}

/** Whether two versions have the same precedence: SemVer ignores build metadata. */
export function isSameVersion(a: string, b: string): boolean {
  return isVersion(a) && isVersion(b) ? compare(a, b) === 0 : a === b
}

/** Whether version `a` is older than `b`. An invalid version counts as older, so that it never passes the comparison. */
export function isOlder(a: string, b: string): boolean {
  return !isVersion(a) || (isVersion(b) && compare(a, b) < 0)
}

/**
 * Whether a text is a range (`^1.2`, `>=1 <3`). `semver` reads an empty text, and an empty part of `1 || 2`, as "every version"; here it is
 * refused, because a script's variable may be unset.
 */
export function isRange(text: string): boolean {
  const isWhole = text.split('||').every(part => part.trim() !== '')
  return isWhole && text.length <= MAX_RANGE_LENGTH && validRange(text) !== null
}

/** Whether a range accepts a version; a pre-release counts as any other version. */
export function isInRange(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true })
}
