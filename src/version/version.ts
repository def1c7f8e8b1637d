// Versions of SemVer 2.0.0 and their order. `semver` compares large numbers of a pre-release as floats, so two of them would be one.

const LONGEST = 256
const FORM =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

export interface Version {
  readonly numbers: readonly number[]
  /** The parts of the pre-release; none: it is a release. */
  readonly before: readonly string[]
}

/** Whether a text has the form of a version, however long it is and however large its numbers are. */
export function hasVersionForm(text: string): boolean {
  return FORM.test(text)
}

/** Undefined for what is no version; no number may be above 2^53 - 1. */
export function parseVersion(text: string): Version | undefined {
  const found = text.length <= LONGEST ? FORM.exec(text) : null
  if (found === null) return undefined
  const numbers = found.slice(1, 4).map(Number)
  return numbers.every(Number.isSafeInteger) ? { numbers, before: found[4]?.split('.') ?? [] } : undefined
}

export function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined
}

/** Whether two versions have the same precedence: SemVer ignores build metadata. */
export function isSameVersion(a: string, b: string): boolean {
  const [one, two] = [parseVersion(a), parseVersion(b)]
  return one && two ? byPrecedence(one, two) === 0 : a === b
}

/** Whether version `a` is older than `b`. An invalid version counts as older, so that it never passes the comparison. */
export function isOlder(a: string, b: string): boolean {
  const [one, two] = [parseVersion(a), parseVersion(b)]
  return one === undefined || (two !== undefined && byPrecedence(one, two) < 0)
}

/** Below 0: the first comes first (SemVer 2.0.0, section 11). */
export function byPrecedence(one: Version, two: Version): number {
  const numbers = byNumbers(one, two.numbers)
  if (numbers !== 0) return numbers
  const [a, b] = [one.before, two.before]
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (let at = 0; at < a.length && at < b.length; at++) {
    const order = byPart(a[at] as string, b[at] as string)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** As many numbers as there are to compare with: `1.2` is as high as every version that begins with it. */
export function byNumbers({ numbers }: Version, others: readonly number[]): number {
  return others.map((other, at) => (numbers[at] as number) - other).find(difference => difference !== 0) ?? 0
}

/** Numbers before texts. A number without leading zeros is larger if it has more digits. */
function byPart(a: string, b: string): number {
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber !== isOther) return isNumber ? -1 : 1
  if (isNumber && a.length !== b.length) return a.length - b.length
  return a === b ? 0 : a < b ? -1 : 1
}
