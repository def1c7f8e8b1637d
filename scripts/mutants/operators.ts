// Lines of TypeScript → the small changes that a tired programmer could make to them.

export interface Mutant {
  /** Below src/. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** The line before and after, without the white space around it. */
  readonly from: string
  readonly to: string
  /** The whole file after. */
  readonly source: string
}

/** Each match of a pattern is one change. */
const OPERATORS: readonly (readonly [pattern: RegExp, to: string | ((found: string) => string)])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \? (?=[^:]* : )/g, ' && false ? '],
  [/(?<=[( ])!(?=[a-zA-Z(])/g, ''],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
  [/\breturn (?:true|false)\b/g, found => (found.endsWith('true') ? 'return false' : 'return true')],
  // Not of a question whether an error is one of ours: only a defect of the program throws another.
  [/\bif \((?!!\(error instanceof )/g, 'if (false && '],
  // Not of a product: those are sizes and times in round numbers. Nor of an order: each number above 0 says the same there.
  [/(?<=[ (])(?<!\* |\? -1 : )(?:[1-9]\d*)(?=[,);\]]|$)/g, found => String(Number(found) + 1)],
  [/ [-+] (?=\d)/g, found => (found === ' + ' ? ' - ' : ' + ')],
]

/** Text for people, types and comments are no behaviour. */
const LOOKED_PAST =
  /^(?:\/\/|\*|\/\*|import |export (?:type|interface)|type |interface |readonly |\| \{ readonly )|\b(?:message|hint|detail|label)\b|protocol\.(?:pass|skip|note)\(|new Error\(/

/** All changes of one file, in the order of its text. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const lines = source.split('\n')
  return lines.flatMap((text, index) => {
    if (LOOKED_PAST.test(text.trim()) || isInText(text) || isAssertion(text, lines[index + 1])) return []
    return OPERATORS.flatMap(([pattern, to]) =>
      [...text.matchAll(pattern)].map(match => {
        const changed =
          text.slice(0, match.index) +
          (typeof to === 'string' ? to : to(match[0])) +
          text.slice(match.index + match[0].length)
        const rest = [...lines.slice(0, index), changed, ...lines.slice(index + 1)]
        return { file, line: index + 1, from: text.trim(), to: changed.trim(), source: rest.join('\n') }
      }),
    )
  })
}

/** A TypeError says that the program itself is wrong: the compiler asks for the condition, and no input makes it true. */
function isAssertion(line: string, next = ''): boolean {
  return `${line}\n${next.trim()}`.includes('throw new TypeError(')
}

/** A line of a message that goes over several lines, or an example of the help. */
function isInText(text: string): boolean {
  return /^\s*(?:[?:] ?|\[(?='rlp ))?[`'"]/.test(text)
}
