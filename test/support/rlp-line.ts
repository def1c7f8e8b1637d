// A line of a transcript → its commands, when it is plain enough: calls of rlp can then be made without a shell and a process each.

/** One call of rlp, and where its standard output goes. */
export interface Call {
  readonly args: readonly string[]
  /** Variables before it: `NAME=value rlp …`. */
  readonly env?: Readonly<Record<string, string>>
  /** The program whose output it reads: `echo text | rlp …`. */
  readonly from?: string
  readonly to: 'reader' | 'nobody' | { readonly file: string }
  /** The pipeline of programs that the output goes into: `sed -n 3p | head -1`. */
  readonly through?: string
}

/** Something else, as it is: it leaves nothing behind in a shell, so it may have one of its own. */
export interface Other {
  readonly shell: string
}

/** What the files of later commands in the line are made with. */
export interface Mask {
  readonly umask: number
}

/** Quoted or not, but with nothing in it that a shell would replace. */
const WORD = /\s*((?:'[^']*'|"[^"$`\\]*"|[\w./:@=,+%-])+)/y
const VARIABLE = /^([A-Z_]+)=(.*)$/s
const SOURCE = /\s*((?:echo|printf)\b(?:'[^']*'|"[^"$`\\]*"|[^'"`$;&<>|])*)\|(?=\s*rlp\b)/y
const FILTER = /\s*(?:grep|head|sed|tail|wc)\b(?:'[^']*'|"[^"`$\\]*"|[^'"`$;&<>|])*/
const END = new RegExp(
  String.raw`\s*(?:\|(${FILTER.source}(?:\|${FILTER.source})*)|>\s*([\w./-]+))?\s*(;|$)`,
  'y',
)
const MASK = /\s*umask ([0-7]{3});/y
const OTHER =
  /\s*((?:cat|chmod|cmp|cp|echo|head|ln|ls|mkdir|mv|printf|rm|sed|tar)\b(?:'[^']*'|"[^"$`\\]*"|[^'"`$;&])*)(;|$)/y

/** Commands by `;`, undefined for a line that takes a shell: what a variable holds, several files, most programs that read rlp. */
export function commandsIn(line: string): (Call | Other | Mask)[] | undefined {
  // `2>` is another stream, and no word before a file.
  if (/\d>/.test(line)) return undefined
  const commands: (Call | Other | Mask)[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  for (;;) {
    const mask = take(MASK)?.[1]
    if (mask !== undefined) {
      commands.push({ umask: Number.parseInt(mask, 8) })
      continue
    }
    const from = take(SOURCE)?.[1]?.trim()
    const other = from === undefined ? take(OTHER) : null
    if (other !== null) {
      commands.push({ shell: other[1] ?? '' })
      if (other[2] === '') return commands
      continue
    }
    const words: string[] = []
    for (let word = take(WORD); word !== null; word = take(WORD)) {
      words.push((word[1] ?? '').replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
    }
    const first = words.indexOf('rlp')
    const variables = words.slice(0, Math.max(first, 0)).map(word => VARIABLE.exec(word))
    const end = take(END)
    if (end === null || first === -1 || variables.includes(null)) return undefined
    const env = Object.fromEntries(variables.map(variable => [variable?.[1] ?? '', variable?.[2] ?? '']))
    const [, program, file, separator] = end
    commands.push({
      args: words.slice(first + 1),
      to: file === undefined ? 'reader' : file === '/dev/null' ? 'nobody' : { file },
      ...(first > 0 && { env }),
      ...(from !== undefined && { from }),
      ...(program !== undefined && { through: program.trim() }),
    })
    if (separator === '') return commands
  }
}
