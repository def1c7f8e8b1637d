// An exec transport → the program that really runs, behind programs that only start another one.
import type { ExecTransport } from '../model/transports/exec.ts'

/** As a transport has it, or what an upgrade is compared by. */
export type ProgramCall = Pick<ExecTransport, 'command' | 'args'> & { readonly kind?: 'exec' }

interface StartedProgram {
  /** Without its folder: `bash`. */
  readonly name: string
  readonly args: readonly string[]
  /** The number of the transport's args before `args`. */
  readonly offset: number
}

/** Programs that only start another one, and their flags that are followed by a value. */
const STARTERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['env', new Set(['-u', '-C', '--unset', '--chdir'])],
  ['sudo', new Set(['-u', '-g', '-h', '-p', '-C', '-T', '-r', '-t', '-U', '-D', '-R'])],
  ['doas', new Set(['-u', '-C'])],
  ['nice', new Set(['-n'])],
  ['ionice', new Set(['-c', '-n'])],
  ['nohup', new Set<string>()],
  ['setsid', new Set<string>()],
  ['stdbuf', new Set(['-i', '-o', '-e'])],
  ['time', new Set(['-f', '-o'])],
  ['timeout', new Set(['-s', '-k'])],
  ['xargs', new Set(['-I', '-n', '-P', '-d', '-L', '-s', '-a', '-E'])],
])

/** No real command line has more of them. */
const MOST_STARTERS = 5

export function programOf({ command, args }: ProgramCall): StartedProgram {
  let program: StartedProgram = { name: baseName(command), args, offset: 0 }
  for (let count = 0; count < MOST_STARTERS; count++) {
    const valued = STARTERS.get(program.name)
    const next = valued && behind(program, valued)
    if (next === undefined) return program
    program = next
  }
  return program
}

/** `env -i LANG=C sh -c …` is `sh -c …`. */
function behind(
  { name, args, offset }: StartedProgram,
  valued: ReadonlySet<string>,
): StartedProgram | undefined {
  let at = 0
  while (at < args.length) {
    const arg = args[at] ?? ''
    // The rest is one text that env splits: `inlineCode` reads it.
    if (name === 'env' && SPLIT.test(arg)) return undefined
    // The time comes before the program.
    if (name === 'timeout' && /^[0-9.]+[smhd]?$/.test(arg)) at += 1
    else if (valued.has(arg)) at += 2
    else if (arg === '-' || arg.startsWith('-') || /^[A-Za-z_][A-Za-z0-9_]*=/.test(arg)) at += 1
    else break
  }
  const next = args[at]
  if (next === undefined) return undefined
  return { name: baseName(next), args: args.slice(at + 1), offset: offset + at + 1 }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'ash',
  'zsh',
  'ksh',
  'mksh',
  'fish',
  'csh',
  'tcsh',
  'su',
])
const POWERSHELLS: ReadonlySet<string> = new Set(['pwsh', 'powershell', 'pwsh.exe', 'powershell.exe'])
/** Interpreters and the flags that are followed by code. */
const INTERPRETERS: ReadonlyMap<string, RegExp> = new Map([
  ['node', /^(?:-e|--eval|-p|--print|-pe)$/],
  ['deno', /^eval$/],
  ['bun', /^(?:-e|--eval)$/],
  ['perl', /^-[A-Za-z]*[eE]$/],
  ['ruby', /^-[A-Za-z]*e$/],
  ['php', /^-r$/],
  ['lua', /^-e$/],
  ['osascript', /^-e$/],
])

/** Flags with the code in the same argument. */
const ATTACHED: ReadonlyMap<string, RegExp> = new Map([
  ['node', /^--(?:eval|print)=/],
  ['bun', /^--(?:eval|print)=/],
  ['su', /^--command=/],
])

/** `env -S 'sh -c …'`, in its spellings; the text may be in the same argument. */
const SPLIT = /^(?:-[iv0]*S|--split-string(?:=|$))/

/** Whether what it does is written in its arguments or its input: a shell, or an interpreter that is given code. */
export function runsCode(transport: ProgramCall): boolean {
  const { name } = busybox(programOf(transport))
  return SHELLS.has(name) || POWERSHELLS.has(name) || inlineCode(transport) !== undefined
}

/** Code inside an argument, and its position. */
export interface InlineCode {
  readonly program: string
  readonly isShell: boolean
  readonly code: string
  /** Index among the transport's args. */
  readonly index: number
}

/** The code that a shell or an interpreter gets as an argument. */
export function inlineCode(transport: ProgramCall): InlineCode | undefined {
  const { name, args, offset } = busybox(programOf(transport))
  if (name === 'env') return splitCode(args, offset)
  const isShell = SHELLS.has(name) || POWERSHELLS.has(name)
  const attached = ATTACHED.get(name)
  const joined = attached === undefined ? -1 : args.findIndex(arg => attached.test(arg))
  if (joined !== -1) return { program: name, isShell, code: args[joined] ?? '', index: offset + joined }
  const flag = flagFor(name)
  const at = flag === undefined ? -1 : args.findIndex(arg => flag.test(arg))
  if (at === -1) return undefined
  // `sh -c -e 'code'`: options may still follow.
  const rest = args.slice(at + 1).findIndex(arg => !isShell || !/^[-+]/.test(arg))
  if (rest === -1) return undefined
  const code = at + 1 + rest
  return { program: name, isShell, code: args[code] ?? '', index: offset + code }
}

function splitCode(args: readonly string[], offset: number): InlineCode | undefined {
  const at = args.findIndex(arg => SPLIT.test(arg))
  if (at === -1) return undefined
  const attached = (args[at] ?? '').replace(SPLIT, '')
  const index = attached === '' ? at + 1 : at
  const code = attached === '' ? args[index] : attached
  return code === undefined ? undefined : { program: 'env', isShell: true, code, index: offset + index }
}

function flagFor(name: string): RegExp | undefined {
  // Searched first, so that an argument of a million letters is read twice, not once for each letter.
  if (SHELLS.has(name)) return /^-(?=[A-Za-z]*c)[A-Za-z]*$/
  if (POWERSHELLS.has(name)) return /^[-/](?:c|command|ec|encodedcommand)$/i
  if (/^(?:python|pypy)[0-9.]*$/.test(name)) return /^-[A-Za-z]*c$/
  return INTERPRETERS.get(name)
}

function busybox(program: StartedProgram): StartedProgram {
  if (program.name !== 'busybox' && program.name !== 'toybox') return program
  const [applet, ...args] = program.args
  if (applet === undefined) return program
  return { name: applet, args, offset: program.offset + 1 }
}
