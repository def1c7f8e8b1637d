// Tools that are real programs, and the host that runs them: for tests of what happens to processes.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execHost } from '../../src/call/exec/run.ts'
import { grantedVariables } from '../../src/call/secrets.ts'
import { Running } from '../../src/io/process/running.ts'
import type { RunOutcome, RunRequest } from '../../src/model/run.ts'
import type { Tool } from '../../src/model/tools.ts'
import { systemInternet } from '../../src/net/internet.ts'
import { ROOT } from './lint-fixtures.ts'
import { UNHELD } from './unheld.ts'

/** Where the programs' interpreters are, and nothing of the user who runs the tests. */
export const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`

/** A reason to skip what needs Python, where there is none. */
export const NO_PYTHON = PATH.split(':').some(folder => existsSync(join(folder, 'python3')))
  ? false
  : 'there is no python3'

/** A program of fixtures/host/. */
export function program(name: string): string {
  return join(ROOT, 'fixtures/host', name)
}

/** An exec tool; a command without a slash is a program of fixtures/host/. */
export function execTool(
  command: string,
  args: readonly string[] = [],
  more: Omit<Partial<Tool>, 'rlp'> & { readonly rlp?: Partial<Tool['rlp']> } = {},
): Tool {
  return {
    id: 'test.tool',
    description: 'A tool',
    transport: { kind: 'exec', command: command.includes('/') ? command : program(command), args },
    inputSchema: true,
    resultSchema: true,
    schemaRefs: {},
    capabilities: [],
    secrets: [],
    budget: undefined,
    requiresConfirmation: false,
    tags: [],
    ...more,
    rlp: { stdin: false, timeoutMs: undefined, env: [], ...more.rlp },
  }
}

export interface RunToolOptions {
  readonly input?: Readonly<Record<string, unknown>>
  readonly text?: string
  readonly secrets?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly idleMs?: number
  readonly outputBytes?: number
  readonly errorBytes?: number
  readonly signal?: AbortSignal
  readonly running?: Running
  readonly cwd?: string
  readonly graceMs?: number
}

/** Runs a tool as `call` would; asserts nothing. */
export function runTool(tool: Tool, options: RunToolOptions = {}): Promise<RunOutcome> {
  const { input = {}, running = new Running(), env = {}, cwd, graceMs = 100 } = options
  const host = execHost({
    env: { PATH, HOME: '/nowhere', ...env },
    running,
    graceMs,
    sandbox: UNHELD,
    internet: systemInternet({ env, running }),
    ...(cwd !== undefined && { cwd }),
  })
  const request: RunRequest = {
    tool,
    input,
    text: options.text ?? JSON.stringify(input),
    secrets: new Map(Object.entries(options.secrets ?? {})),
    variables: grantedVariables(tool, { env, handsOver: 'all' }).values,
    hide: text => text,
    net: { hosts: [], allowHttp: false },
    programs: [],
    limits: {
      timeoutMs: options.timeoutMs ?? 20_000,
      ...(options.idleMs !== undefined && { idleMs: options.idleMs }),
      outputBytes: options.outputBytes ?? 1_000_000,
      errorBytes: options.errorBytes ?? 10_000,
    },
    signal: options.signal ?? new AbortController().signal,
  }
  return host.run(request)
}

/** Whether a process has ended; one that was not collected yet has. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
    throw error
  }
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && /\) [ZX] /.test(readFileSync(stat, 'latin1'))
}

/** Whether a program has written into its file. The file is there a moment before what is in it. */
export function hasWritten(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').trim() !== ''
}

/** Waits until something is so; fails after 10 seconds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let left = 1000; !holds(); left--) {
    if (left === 0) throw new Error(`it never came to this: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
