// A pattern as Go's RE2 reads it → steps of our own matcher, which reads what JavaScript does with the flag `u`. Common spellings that differ are
// translated, and the rest is refused by name: read as something else it would mask nothing.
import { escapePattern } from '../text/mask.ts'
import { compilePattern, type PatternProgram } from '../text/pattern-program.ts'
import { PatternProblem } from '../text/pattern-tree.ts'

/** A part of a pattern that the two may read differently. */
const DIFFERS = new RegExp(
  [
    /\\Q(?<quoted>.*?)(?:\\E|$)/,
    /(?<place>(?:[$^]|\\[bBAz])(?=[*+?]))/,
    /\\(?<property>[pP](?:\{\w+\}|[A-Z]))/,
    /\\x\{(?<code>[0-9A-Fa-f]+)\}/,
    /\\(?<escaped>.)/,
    /\[(?<not>\^?)(?<members>\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*)\]/,
    /(?<group>\(\?(?:P?<\w+>|<?[=!:]|[A-Za-z-]*:?))/,
    /(?<count>\{[0-9]+(?:,[0-9]*)?\})/,
    /(?<other>[.{}\]])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gsu',
)
const IN_CLASS =
  /^\]|\[:(?<named>\^?\w+):\]|\\(?<property>[pP](?:\{\w+\}|[A-Z]))|\\x\{(?<code>[0-9A-Fa-f]+)\}|\\(?<escaped>.)/gsu

/** A whole pattern whose letters stand for their capitals too. */
const FOLDED = /^\(\?i\)(.*)$|^\(\?i:([^()]*)\)$/su

const SPACE = '\\t\\n\\f\\r '
/** POSIX names of characters in a class. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['alnum', '0-9A-Za-z'],
  ['alpha', 'A-Za-z'],
  ['digit', '0-9'],
  ['lower', 'a-z'],
  ['punct', '!-\\/:-@\\[-`\\{-~'],
  ['space', `${SPACE}\\v`],
  ['upper', 'A-Z'],
  ['word', '0-9A-Za-z_'],
  ['xdigit', '0-9A-Fa-f'],
])

type Parts = Readonly<Record<string, string | undefined>>

/**
 * @returns undefined for a text that is no pattern
 * @throws PatternProblem for one that is not translated; its message continues a sentence that begins with the pattern
 */
export function compileGoPattern(text: string): PatternProgram | undefined {
  const folded = FOLDED.exec(text)
  const source = (folded?.[1] ?? folded?.[2] ?? text).replace(DIFFERS, (whole, ...found) =>
    translated(whole, found.at(-1)),
  )
  try {
    new RegExp(source, 'u')
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  return compilePattern(source, folded === null ? 'u' : 'iu')
}

function translated(whole: string, parts: Parts): string {
  const { quoted, place, escaped, not, members, group, count, other } = parts
  if (quoted !== undefined) return escapePattern(quoted)
  if (place !== undefined) throw refused(place)
  if (escaped === 'A' || escaped === 'z') return escaped === 'A' ? '^' : '$'
  if (escaped === 's' || escaped === 'S') return escaped === 's' ? `[${SPACE}]` : `[^${SPACE}]`
  if (escaped === 'b' || escaped === 'B') return whole
  if (members !== undefined)
    return `[${not}${members.replace(IN_CLASS, (whole, ...found) => inClass(whole, found.at(-1)))}]`
  if (group !== undefined) return groupOf(group)
  if (count !== undefined) {
    if ((count.match(/[0-9]+/g) ?? []).some(number => Number(number) > 1000)) throw refused(count)
    return count
  }
  if (other !== undefined) return other === '.' ? '[^\\n]' : escapePattern(other)
  return character(whole, parts)
}

function groupOf(group: string): string {
  if (group === '(?:' || /^\(\?P?<\w+>$/.test(group)) return '(?:'
  throw refused(group)
}

function inClass(whole: string, parts: Parts): string {
  const { named, escaped } = parts
  if (whole === ']') return '\\]'
  if (named !== undefined) {
    const members = NAMED.get(named)
    if (members === undefined) throw refused(whole)
    return members
  }
  if (escaped === 's') return SPACE
  if (escaped === '-') return '\\-'
  if (escaped === 'S' || escaped === 'b') throw refused(whole)
  return character(whole, parts)
}

/** One character, or one of many, spelt in a way that goes for a class too. */
function character(whole: string, { property, code, escaped = '' }: Parts): string {
  if (code !== undefined) return `\\u{${code}}`
  if (property !== undefined) {
    const name = property.slice(1).replace(/[{}]/g, '')
    return `\\${property[0]}{${name.length > 2 ? `Script=${name}` : name}}`
  }
  if (/[0-9CckuQ]/.test(escaped)) throw refused(whole)
  if (escaped === 'a') return '\\x07'
  // Any other letter that means nothing makes the text no pattern, for both.
  return /[A-Za-z]/.test(escaped) ? whole : escapePattern(escaped)
}

function refused(part: string): PatternProblem {
  return new PatternProblem(`has ${part}, which is not read here`)
}
