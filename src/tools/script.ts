// Arguments that a program reads as code of its own language, or as a format: awk, sed, jq, clients of databases, printf and its like.
import { own } from '../model/own.ts'
import { type ProgramCall, programOf } from './program.ts'

/** One such argument. */
interface ReadArgument {
  readonly program: string
  readonly text: string
  /** Index among the transport's args. */
  readonly index: number
  /** The option before it that makes it code. */
  readonly option?: string | undefined
}

/** How a program is told its code. */
interface ScriptForm {
  /** How many values follow an option, by the option. */
  readonly valued: Readonly<Record<string, number>>
  /** Options whose value is code; beside one of them no other argument is. */
  readonly code?: readonly string[]
  /** Options that say that the code is in a file. */
  readonly file?: readonly string[]
  /** Index of the code among the arguments that belong to no option; undefined if none is code. */
  readonly at?: 0 | 1
}

const ONE = (options: string) => Object.fromEntries(options.split(' ').map(option => [option, 1]))
const AWK: ScriptForm = {
  valued: ONE('-F -v -i -l'),
  code: ['-e', '--source'],
  file: ['-f', '--file'],
  at: 0,
}
const SED: ScriptForm = {
  valued: ONE('-l -s'),
  code: ['-e', '--expression'],
  file: ['-f', '--file'],
  at: 0,
}
const JQ: ScriptForm = {
  valued: { '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2, '--indent': 1, '-L': 1 },
  file: ['-f', '--from-file'],
  at: 0,
}
const MYSQL: ScriptForm = { valued: ONE('-h -u -P -D -p'), code: ['-e', '--execute'] }
const SCRIPTS: ReadonlyMap<string, ScriptForm> = new Map([
  ...['awk', 'gawk', 'mawk', 'nawk'].map(name => [name, AWK] as const),
  ...['sed', 'gsed'].map(name => [name, SED] as const),
  ...['jq', 'gojq', 'jaq', 'yq'].map(name => [name, JQ] as const),
  ...['mysql', 'mariadb'].map(name => [name, MYSQL] as const),
  ['psql', { valued: ONE('-h -U -p -d -v -F'), code: ['-c', '--command'] }],
  ['sqlite3', { valued: ONE('-separator -cmd -init -newline'), code: ['-cmd'], at: 1 }],
])

/** The code of awk, sed, jq and clients of databases in the arguments. */
export function scriptsIn(call: ProgramCall): ReadArgument[] {
  const { name, args, offset } = programOf(call)
  const form = SCRIPTS.get(name)
  if (form === undefined) return []
  const found: number[] = []
  let hasFile = false
  let place = 0
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (form.code?.includes(arg)) found.push(++at)
    else if (form.code?.some(option => option.startsWith('--') && arg.startsWith(`${option}=`)))
      found.push(at)
    else if (form.file?.includes(arg)) {
      hasFile = true
      at++
    } else if (own(form.valued, arg) !== undefined) at += own(form.valued, arg) ?? 0
    else if (!/^-./.test(arg) && place++ === form.at && !hasFile && found.length === 0) found.push(at)
  }
  return found.flatMap(at => {
    const text = args[at]
    const before = args[at - 1] ?? ''
    const option = form.code?.includes(before) === true ? before : undefined
    return text === undefined ? [] : { program: name, text, index: offset + at, option }
  })
}

/** Options whose value is a format, by program. `printf` reads its first argument so, and `date` what begins with a plus sign. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['stat', ['-c', '--format', '--printf']],
  ['find', ['-printf']],
  ['git', ['--format', '--pretty']],
  ['curl', ['-w', '--write-out']],
  ['docker', ['--format']],
  ['podman', ['--format']],
  ['kubectl', ['--template']],
  ['ps', ['-o']],
])

/** The formats in the arguments. */
export function formatsIn(call: ProgramCall): ReadArgument[] {
  const { name, args, offset } = programOf(call)
  const options = FORMATS.get(name) ?? []
  if (options.length === 0 && name !== 'printf' && name !== 'date') return []
  const first = args.findIndex(arg => !/^-./.test(arg))
  return args.flatMap((text, at) => {
    const isFormat =
      (name === 'printf' && at === first) ||
      (name === 'date' && text.startsWith('+')) ||
      options.includes(args[at - 1] ?? '') ||
      options.some(option => option.startsWith('--') && text.startsWith(`${option}=`))
    return isFormat ? [{ program: name, text, index: offset + at }] : []
  })
}
