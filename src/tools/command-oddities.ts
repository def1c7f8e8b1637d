// A command → why it is not the path of one program, although it has the form of a path.
import type { Pointer } from '../model/document.ts'
import type { ExecTransport } from '../model/transports/exec.ts'
import { quoteText } from '../text/quote.ts'
import { readWords } from '../text/shell-words.ts'

export type OddCommand =
  /** The program, and its arguments as a person types them in a shell. */
  | { readonly is: 'line'; readonly words: readonly [string, ...string[]] }
  /** Something that only a shell reads. */
  | { readonly is: 'shell'; readonly found: string }
  /** A folder whose files are no programs: what is there depends on who asks. */
  | { readonly is: 'elsewhere'; readonly folder: string }

/** Undefined for the plain path of a program. Folders and programs whose names have spaces are plain, as under /Applications. */
export function oddCommand(command: string): OddCommand | undefined {
  if (PLAIN.test(command)) return undefined
  const folder = /^\/(?:proc|dev|sys)(?=\/|$)/.exec(command)?.[0]
  if (folder !== undefined) return { is: 'elsewhere', folder }
  const isLine = /^\S*\/s?bin\/[^\s/]+\s/.test(command) || /^\S+\s+-/.test(command)
  const [found] = /[;|<>$`"*?]|\[[^[\]]*\]|&&|&$|\s&/.exec(command) ?? []
  if (!isLine) return found === undefined ? undefined : { is: 'shell', found: found.trim() }
  const read = readWords(command)
  const [program, ...args] = 'problem' in read ? [] : read.value
  if (program === undefined || /[;|<>$`"*?]/.test(program))
    return { is: 'shell', found: found?.trim() ?? ' ' }
  return { is: 'line', words: [program, ...args] }
}

/** Outside of those folders, without white space and without what a shell reads: most commands. */
const PLAIN = /^(?!\/(?:proc|dev|sys)(?:\/|$))[A-Za-z0-9/._+@:,=-]*$/

/** What is wrong with it, after its name. */
export function oddWords(odd: OddCommand): string {
  if (odd.is === 'line') return 'is a program with its arguments'
  if (odd.is === 'shell') return `has ${quoteText(odd.found)}, which only a shell reads`
  return `is below ${odd.folder}, where no program has a fixed place`
}

/** The program of a line; a plain command is the program itself. */
export function programIn(command: string): string {
  const odd = oddCommand(command)
  return odd?.is === 'line' ? odd.words[0] : command
}

export interface MeantCall {
  readonly transport: ExecTransport
  /** From the transport to one of its arguments, by its index. */
  placeOf(index: number): Pointer
}

/** What its author means an exec tool to start: of a command that is a whole line, the first word is the program. */
export function meantCall(transport: ExecTransport): MeantCall {
  const odd = oddCommand(transport.command)
  if (odd?.is !== 'line') return { transport, placeOf: placeOfArgument }
  const [command, ...words] = odd.words
  return {
    transport: { ...transport, command, args: [...words, ...transport.args] },
    placeOf: index => (index < words.length ? ['command'] : ['args', index - words.length]),
  }
}

function placeOfArgument(index: number): Pointer {
  return ['args', index]
}
