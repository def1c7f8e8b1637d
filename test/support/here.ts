// The command in the process of the test, answering as its own process would: a tenth of a second of processor time less for each call.
// What is about the process itself (streams, signals, memory, what it loads) belongs into support/run.ts.
import { run } from './fake-terminal.ts'
import { NO_HOME, type Ran, type RunOptions, rlp } from './run.ts'

/** What `rlp` takes, less what only a process can have. */
export type HereOptions = Pick<RunOptions, 'cwd' | 'uid' | 'env' | 'umask'>

let last: Promise<unknown> = Promise.resolve()

/**
 * One call after the other: folder, umask and variables are the process's. Another user gets a process, because what this one loads on
 * demand may be in a folder that the other may not enter.
 */
export function rlpHere(args: readonly string[], options: HereOptions): Promise<Ran> {
  const next = last.then(() => (options.uid === undefined ? call : rlp)(args, options))
  last = next.catch(() => {})
  return next
}

async function call(args: readonly string[], { cwd, umask, env = {} }: HereOptions): Promise<Ran> {
  const folder = process.cwd()
  const home = process.env['RUNLOOP_HOME']
  const before = process.umask()
  process.chdir(cwd)
  process.env['RUNLOOP_HOME'] = env['RUNLOOP_HOME'] ?? NO_HOME
  if (umask !== undefined) process.umask(umask)
  const begin = performance.now()
  try {
    const { exit, stdout, stderr } = await run(args, undefined, { cwd, env: { NO_COLOR: '1', ...env } })
    return { exit, signal: null, stdout, stderr, ms: performance.now() - begin }
  } finally {
    if (umask !== undefined) process.umask(before)
    if (home === undefined) delete process.env['RUNLOOP_HOME']
    else process.env['RUNLOOP_HOME'] = home
    process.chdir(folder)
  }
}
