// preload.c, compiled, and a process run under it.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** One counted call of a process. */
export interface Call {
  /** As preload.c names it. */
  readonly name: string
  readonly path: string
}

export interface Fault {
  /** Which call is hit, from 1; 0 hits none. */
  readonly at: number
  /** As preload.c reads it: `kill`, `short`, `full`, or an error number. */
  readonly mode: string
}

export interface Ended {
  readonly exit: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  readonly calls: readonly Call[]
}

/** Where the compiled library is, or why it is missing. */
export function compile(folder: string): { readonly library: string } | { readonly problem: string } {
  if (process.platform !== 'linux')
    return { problem: 'only on Linux a library can be loaded before a program' }
  const library = join(folder, 'preload.so')
  const source = join(import.meta.dirname, 'preload.c')
  const args = ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']
  const { status, error, stderr }: SpawnSyncReturns<string> = spawnSync('cc', args, { encoding: 'utf8' })
  if (error !== undefined)
    return { problem: 'there is no C compiler (Debian: apt-get install gcc libc6-dev)' }
  return status === 0 ? { library } : { problem: `preload.c does not compile: ${stderr.slice(0, 500)}` }
}

export interface RunOptions {
  readonly library: string
  /** Calls on files below it count. */
  readonly folder: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly fault: Fault
  /** Whether calls that only look count too. */
  readonly looks: boolean
}

/** Runs `node <args>` and waits for its end. */
export function runFaulty(args: readonly string[], options: RunOptions): Promise<Ended> {
  const { library, folder, cwd, env, fault, looks } = options
  const log = `${folder}.log`
  rmSync(log, { force: true })
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGTERM',
    env: {
      ...process.env,
      ...env,
      NO_COLOR: '1',
      LD_PRELOAD: library,
      FAULT_FOLDER: folder,
      FAULT_LOG: log,
      FAULT_AT: String(fault.at),
      FAULT_MODE: fault.mode,
      FAULT_LOOKS: looks ? '1' : '0',
      // One after the other: a number has to be the same place in every run.
      UV_THREADPOOL_SIZE: '1',
      UV_USE_IO_URING: '0',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exit, signal) => resolve({ exit, signal, output, calls: callsIn(log) }))
  })
}

function callsIn(log: string): Call[] {
  if (!existsSync(log)) return []
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap(line => {
      const [, name, path] = /^[0-9]+ ([a-z]+) (.*)$/.exec(line) ?? []
      return name === undefined || path === undefined ? [] : [{ name, path }]
    })
}
