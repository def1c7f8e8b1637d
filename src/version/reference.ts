// Expectations, `name@variant@range` or the file name of a bundle, and whether an agent meets one. Ranges of versions, `^1.2 || >=3 <3.4`,
// follow the grammar of docs/spec/expectation.md, which is not that of any package manager.
import { isAgentName, isVariant, referenceText } from '../agent/agent-name.ts'
import { unwrappedName } from '../bundle/wrappers/index.ts'
import { ownMembers } from '../model/own.ts'
import { digestText } from '../text/digest-text.ts'
import { byNumbers, byPrecedence, hasVersionForm, isVersion, parseVersion, type Version } from './version.ts'

export { isAgentName, type Reference, readReference, referenceText } from '../agent/agent-name.ts'
export { isOlder, isSameVersion, isVersion } from './version.ts'

/** Which agent a bundle has to be. */
export interface Expectation {
  /** Undefined accepts every agent. */
  readonly name: string | undefined
  readonly variant: string | undefined
  /** Undefined accepts every version. */
  readonly versions: Versions | undefined
  /** BLAKE3 of manifest.toml, lower-case hex: exactly one bundle, whatever it is called. */
  readonly identity?: string
}

/** The accepted versions, as written: a range `^1.2`, or exactly one, `=1.0.0+build`, with its build metadata. */
export interface Versions {
  readonly text: string
  readonly accept: (version: string) => boolean
}

/** `name[@variant][@range]`. The part after a single `@` is a variant if it can be one, else a range: `mailer@pro`, `mailer@^1.2`. */
export function readExpectation(text: string): Expectation | undefined {
  const [name = '', second, third, ...more] = text.split('@')
  if (!isAgentName(name) || more.length > 0) return undefined
  if (second === undefined) return { name, variant: undefined, versions: undefined }
  if (third === undefined && isVariant(second)) return { name, variant: second, versions: undefined }
  const variant = third === undefined ? undefined : second
  if (variant !== undefined && !isVariant(variant)) return undefined
  const versions = readVersions(third ?? second)
  return versions && { name, variant, versions }
}

function readVersions(text: string): Versions | undefined {
  // The ways to write one version as a range: =1.0.0, v1.0.0.
  const version = text.replace(/^[=v\s]+/, '').trimEnd()
  if (isVersion(version)) return { text, accept: one => one === version }
  // A range ignores build metadata: 1.0.0+good would accept 1.0.0+evil as well.
  if (text.includes('+')) return undefined
  const accept = readRange(text)
  return accept && { text, accept }
}

const FILE_NAME =
  /^([a-z][a-z0-9_]*)(?:@([a-z0-9][a-z0-9_-]*))?-([0-9]+\.[0-9]+\.[0-9]+[^/\\]*)\.agent\.bundle$/

/**
 * The expectation in a file name `<name>[@variant]-<version>.agent.bundle`; undefined for other names. A version that no bundle can have
 * implies it all the same, so that no bundle is the one that such a name promises.
 */
export function expectationOfFileName(fileName: string): Expectation | undefined {
  const [, name, variant, version] = FILE_NAME.exec(unwrappedName(fileName)) ?? []
  if (name === undefined || version === undefined || !hasVersionForm(version)) return undefined
  return { name, variant, versions: exactly(version) }
}

/** The BLAKE3 of manifest.toml in hex → the identity as everything shows it. */
export function bundleIdentity(manifestDigest: string): string {
  return digestText(manifestDigest)
}

/** The identity of a bundle → the BLAKE3 of its manifest.toml in hex, which is compared. */
export function manifestDigestOf(identity: string): string {
  return identity.slice('blake3:'.length)
}

/** `blake3:` and the 64 hex digits that verify, inspect and a lock show. */
export function readIdentity(text: string): string | undefined {
  return /^blake3:([0-9a-fA-F]{64})$/.exec(text)?.[1]?.toLowerCase()
}

/** Whether an agent is the expected one. An unexpected variant is another agent. */
export function meets(
  agent: { name: string; version: string; variant?: string | undefined; manifestDigest?: string | undefined },
  expected: Expectation,
): boolean {
  const { identity, name, variant, versions } = ownMembers(expected)
  if (identity !== undefined && identity !== agent.manifestDigest) return false
  if (name !== undefined && (agent.name !== name || ownMembers(agent).variant !== variant)) return false
  return versions?.accept(agent.version) ?? true
}

export function expectationText(expected: Expectation): string {
  const { name, variant, versions, identity } = ownMembers(expected)
  if (identity !== undefined) {
    const rest = name === undefined && versions === undefined ? undefined : { name, variant, versions }
    return `${bundleIdentity(identity)}${rest === undefined ? '' : `, ${expectationText(rest)}`}`
  }
  if (name === undefined) return `version ${versions?.text.replace(/^=/, '') ?? 'any'}`
  return `${referenceText({ name, variant })}${versions === undefined ? '' : `@${versions.text}`}`
}

/** Exactly one version, build metadata included. */
export function exactly(version: string): Versions {
  return { text: `=${version}`, accept: one => one === version }
}

const LONGEST = 100
const PART = '(0|[1-9][0-9]*|[xX*])'
const COMPARATOR = new RegExp(`^(\\^|~|>=|>|<=|<|=|)(${PART}(?:\\.${PART}(?:\\.${PART}(-.+)?)?)?)$`)

type Accepts = (version: Version) => boolean

/** Undefined for what is no range. A pre-release counts as any other version, and build metadata does not count. */
export function readRange(text: string): ((version: string) => boolean) | undefined {
  if (text.length > LONGEST) return undefined
  const sets = text.split('||').map(readSet)
  return sets.some(set => set === undefined)
    ? undefined
    : version => {
        const read = parseVersion(version)
        return read !== undefined && sets.some(set => set?.every(accepts => accepts(read)))
      }
}

/** An empty set would be every version: a script's variable may be unset. */
function readSet(text: string): readonly Accepts[] | undefined {
  const words = text.split(' ').filter(word => word !== '')
  const set = words.flatMap(word => readComparator(word) ?? [])
  return set.length > 0 && set.length === words.length ? set : undefined
}

function readComparator(word: string): Accepts | undefined {
  const [, sign = '', text = '', first, second, third, before] = COMPARATOR.exec(word) ?? []
  if (first === undefined) return undefined
  const numbers: number[] = []
  for (const part of [first, second, third]) {
    if (part === undefined || /[xX*]/.test(part)) break
    numbers.push(Number(part))
  }
  const whole = numbers.length === 3 ? parseVersion(text) : undefined
  // A pre-release belongs to three numbers, and what follows a number that is left out says nothing.
  if (whole === undefined && (numbers.length === 3 || before !== undefined)) return undefined
  if (!numbers.every(Number.isSafeInteger)) return undefined
  const order = (version: Version) => (whole ? byPrecedence(version, whole) : byNumbers(version, numbers))
  /** Neither above nor below, looking at so many of the numbers. */
  const agrees = (version: Version, count: number) => byNumbers(version, numbers.slice(0, count)) === 0
  switch (sign) {
    case '>=':
      return version => order(version) >= 0
    case '>':
      return version => order(version) > 0
    case '<=':
      return version => order(version) <= 0
    case '<':
      return version => order(version) < 0
    case '^': {
      const nonzero = numbers.findIndex(number => number > 0)
      return version => order(version) >= 0 && agrees(version, nonzero < 0 ? numbers.length : nonzero + 1)
    }
    case '~':
      return version => order(version) >= 0 && agrees(version, 2)
    default:
      return version => order(version) === 0
  }
}
