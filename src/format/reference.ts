// Expectations and versions: `name@variant@range`, what a bundle's file name says, which of two versions is older.
// The only importer of `semver`, by function: all of it costs twice the time at start.
import eq from 'semver/functions/eq.js'
import lt from 'semver/functions/lt.js'
import satisfies from 'semver/functions/satisfies.js'
import valid from 'semver/functions/valid.js'
import validRange from 'semver/ranges/valid.js'
import { isAgentName, isVariant, type Reference } from './agent-name.ts'

export { isAgentName, type Reference, readReference, referenceText } from './agent-name.ts'

/** Which agent a bundle has to be (DESIGN §3.7, "expectation"). */
export interface Expectation extends Reference {
  /** A SemVer range; undefined accepts every version. */
  readonly range: string | undefined
}

/** `name[@variant][@range]`. What follows a single `@` is a variant when it can be one, else a range: `mailer@pro`, `mailer@^1.2`. */
export function readExpectation(text: string): Expectation | undefined {
  const [name = '', second, third, ...more] = text.split('@')
  if (!isAgentName(name) || more.length > 0) return undefined
  if (second === undefined) return { name, variant: undefined, range: undefined }
  if (third === undefined && isVariant(second)) return { name, variant: second, range: undefined }
  const range = third ?? second
  const variant = third === undefined ? undefined : second
  if (variant !== undefined && !isVariant(variant)) return undefined
  // `semver` reads nothing as "every version": a script's unset variable must not say that.
  const isRange = range.trim() !== '' && range.length <= 100 && validRange(range) !== null
  return isRange ? { name, variant, range } : undefined
}

const FILE_NAME =
  /^([a-z][a-z0-9_]*)(?:@([a-z0-9][a-z0-9_-]*))?-([0-9]+\.[0-9]+\.[0-9]+[^/\\]*)\.agent\.bundle(?:\.gz)?$/

/** What a file called `<name>[@variant]-<version>.agent.bundle` promises; undefined for files called otherwise. */
export function expectationOfFileName(fileName: string): Expectation | undefined {
  const [, name, variant, version] = FILE_NAME.exec(fileName) ?? []
  if (name === undefined || version === undefined || valid(version) === null) return undefined
  return { name, variant, range: `=${version}` }
}

/** Whether an agent is the one expected. A variant that is not expected is another agent. */
export function meets(
  agent: { name: string; version: string; variant?: string },
  expected: Expectation,
): boolean {
  if (agent.name !== expected.name || agent.variant !== expected.variant) return false
  // What a file's name promises is one version: read as a range it would take ten times as long.
  const only = expected.range?.startsWith('=') ? valid(expected.range.slice(1)) : null
  if (only !== null) return isVersion(agent.version) && eq(agent.version, only)
  return expected.range === undefined || satisfies(agent.version, expected.range, { includePrerelease: true })
}

export function expectationText({ name, variant, range }: Expectation): string {
  return `${name}${variant === undefined ? '' : `@${variant}`}${range === undefined ? '' : `@${range}`}`
}

/** Whether a text is a SemVer version. */
export function isVersion(text: string): boolean {
  return valid(text) !== null
}

/** Whether two versions have the same precedence: what SemVer calls build metadata does not count. */
export function isSameVersion(a: string, b: string): boolean {
  return valid(a) === null || valid(b) === null ? a === b : eq(a, b)
}

/** Whether version `a` is older than `b`; a version that is none counts as older, so that nothing slips past the comparison. */
export function isOlder(a: string, b: string): boolean {
  return valid(a) === null || (valid(b) !== null && lt(a, b))
}
