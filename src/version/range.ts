// Ranges of versions, `^1.2 || >=3 <3.4`: the grammar of docs/spec/expectation.md, and not that of another program.
import { byNumbers, byPrecedence, parseVersion, type Version } from './version.ts'

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
