// Other programs: run to their end without blocking this process, so that Ctrl-C is heard and nothing is left running.
import { type ChildProcess, spawn } from 'node:child_process'

/** A program that is not there, or did not do what is to be measured. */
export class CannotRun extends Error {}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are as they should be; 0 alone when absent. */
  readonly exits?: readonly number[]
  /** Standard output goes nowhere, and not through a pipe either. */
  readonly isSilent?: boolean
}

const running = new Set<ChildProcess>()

/** Ends what is running, at once. */
export function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/**
 * Standard output, then standard error.
 *
 * @throws CannotRun: what fails is not measured
 */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env, exits = [0], isSilent = false } = options
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...OUTSIDE, NO_COLOR: '1', ...env },
      stdio: ['ignore', isSilent ? 'ignore' : 'pipe', 'pipe'],
    })
    running.add(child)
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        said[name] += text
      })
    }
    child.on('error', error => {
      running.delete(child)
      failed(new CannotRun(`${program}: ${error.message}`, { cause: error }))
    })
    child.on('close', (code, signal) => {
      running.delete(child)
      const output = said.stdout + said.stderr
      if (code !== null && exits.includes(code)) done(output)
      else
        failed(
          new CannotRun(
            `${program} ${args.join(' ')}: exit ${code ?? signal}\n${output.slice(-4000).trim()}`,
          ),
        )
    })
  })
}

/** A program that goes on until {@link endOne}. */
export function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { env: OUTSIDE, stdio: 'ignore' })
  running.add(child)
  // One that does not start does not answer either, which its caller notices.
  child.on('error', () => running.delete(child))
  child.on('close', () => running.delete(child))
  return child
}

export function endOne(child: ChildProcess): void {
  child.kill('SIGKILL')
}

/** What `npm run` adds would change what npm does, and not what it does for anybody else. */
const OUTSIDE = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** The first line of `--version` (or what else asks for it), or undefined where the program is not installed. */
export async function versionOf(program: string, ask = '--version'): Promise<string | undefined> {
  try {
    return (await run(program, [ask])).trim().split('\n')[0]
  } catch (error) {
    if (error instanceof CannotRun && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
      return undefined
    throw error
  }
}
