// A line of a transcript → its commands, when it is plain enough: calls of rlp can then be made without a shell and a process each.

/** One call of rlp, and where its standard output goes. */
export interface Call {
  readonly args: readonly string[]
  readonly to: 'reader' | 'nobody'
  /** The pipeline of programs that the output goes into: `sed -n 3p | head -1`. */
  readonly through?: string
}

/** Something else, as it is: it leaves nothing behind in a shell, so it may have one of its own. */
export interface Other {
  readonly shell: string
}

/** Quoted or not, but with nothing in it that a shell would replace. */
const WORD = /\s*((?:'[^']*'|"[^"$`\\]*"|[\w./:@=,+%-])+)/y
const FILTER = /\s*(?:grep|head|sed|tail|wc)\b(?:'[^']*'|"[^"`$\\]*"|[^'"`$;&<>|])*/
const END = new RegExp(
  String.raw`\s*(?:\|(${FILTER.source}(?:\|${FILTER.source})*)|(>\s*/dev/null))?\s*(;|$)`,
  'y',
)
const OTHER =
  /\s*((?:cat|chmod|cp|echo|head|ln|ls|mkdir|mv|printf|rm|sed|tar)\b(?:'[^']*'|"[^"$`\\]*"|[^'"`$;&])*)(;|$)/y

/** Commands by `;`, undefined for a line that takes a shell: variables, redirections of rlp into files, programs that read it. */
export function commandsIn(line: string): (Call | Other)[] | undefined {
  const commands: (Call | Other)[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  for (;;) {
    const other = take(OTHER)
    if (other !== null) {
      commands.push({ shell: other[1] ?? '' })
      if (other[2] === '') return commands
      continue
    }
    const args: string[] = []
    for (let word = take(WORD); word !== null; word = take(WORD)) {
      args.push((word[1] ?? '').replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
    }
    const end = take(END)
    if (end === null || args.shift() !== 'rlp') return undefined
    const [, program, silenced, separator] = end
    const to = silenced === undefined ? 'reader' : 'nobody'
    commands.push({ args, to, ...(program !== undefined && { through: program.trim() }) })
    if (separator === '') return commands
  }
}
