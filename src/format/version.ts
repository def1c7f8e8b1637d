// SemVer 2.0 versions: what is one, and which of two is older. Ranges stand apart, because reading them takes a library
// (docs/performance.md).

/** As npm has it; nobody's version is longer. */
const MAX_LENGTH = 256

const NUMBER = '(?:0|[1-9][0-9]*)'
const IDENTIFIER = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`
const VERSION = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

/** Whether a text is a SemVer version. */
export function isVersion(text: string): boolean {
  return partsOf(text) !== undefined
}

/** Whether two versions have the same precedence: what SemVer calls build metadata does not count. */
export function isSameVersion(a: string, b: string): boolean {
  const [left, right] = [partsOf(a), partsOf(b)]
  return left === undefined || right === undefined ? a === b : order(left, right) === 0
}

/** Whether version `a` is older than `b`; a version that is none counts as older, so that nothing slips past the comparison. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [partsOf(a), partsOf(b)]
  return left === undefined || (right !== undefined && order(left, right) < 0)
}

/** What decides about precedence. Numbers stay text: SemVer bounds none of them. */
interface Parts {
  readonly numbers: readonly string[]
  readonly prerelease: readonly string[]
}

function partsOf(text: string): Parts | undefined {
  const match = text.length <= MAX_LENGTH ? VERSION.exec(text) : null
  if (match === null) return undefined
  const [, major = '', minor = '', patch = '', prerelease] = match
  return { numbers: [major, minor, patch], prerelease: prerelease?.split('.') ?? [] }
}

/** Negative when `a` comes first, 0 when neither does (SemVer 2.0, item 11). */
function order(a: Parts, b: Parts): number {
  const numbers = firstOrder(a.numbers, b.numbers, orderOfNumbers)
  if (numbers !== 0) return numbers
  // A version without a pre-release comes after those that have one.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length
  return (
    firstOrder(a.prerelease, b.prerelease, orderOfIdentifiers) || a.prerelease.length - b.prerelease.length
  )
}

function firstOrder(
  a: readonly string[],
  b: readonly string[],
  compare: (a: string, b: string) => number,
): number {
  const both = Math.min(a.length, b.length)
  for (let index = 0; index < both; index++) {
    const found = compare(a[index] ?? '', b[index] ?? '')
    if (found !== 0) return found
  }
  return 0
}

/** Without leading zeros the longer number is the larger one. */
function orderOfNumbers(a: string, b: string): number {
  return a.length - b.length || orderOfTexts(a, b)
}

function orderOfIdentifiers(a: string, b: string): number {
  const [left, right] = [isNumber(a), isNumber(b)]
  if (left !== right) return left ? -1 : 1
  return left ? orderOfNumbers(a, b) : orderOfTexts(a, b)
}

function isNumber(identifier: string): boolean {
  return /^[0-9]+$/.test(identifier)
}

function orderOfTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
