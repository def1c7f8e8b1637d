// Two things to do → how long each takes: done in turn, A B A B …, so that whatever else the machine does hits both alike.
import { spawnSync } from 'node:child_process'

/** A median is of at least this many. */
export const ROUNDS = 11

/** Median milliseconds, of every contender by its name. */
export type Medians<K extends string> = Readonly<Record<K, number>>

/** Runs every contender once to warm it up, then all of them in turn. */
export async function alternate<K extends string>(
  contenders: Readonly<Record<K, () => unknown>>,
  rounds = ROUNDS,
): Promise<Medians<K>> {
  const names = Object.keys(contenders) as K[]
  const times = new Map<K, number[]>(names.map(name => [name, []]))
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const begin = performance.now()
      await contenders[name]()
      if (round >= 0) times.get(name)?.push(performance.now() - begin)
    }
  }
  return Object.fromEntries(names.map(name => [name, median(times.get(name) ?? [])])) as Medians<K>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes that are as they should be; 0 alone when absent. */
  readonly exits?: readonly number[]
}

/** Runs a program to its end. What fails is not measured. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): string {
  const { cwd, env, exits = [0] } = options
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error !== undefined) throw error
  if (!exits.includes(status ?? -1)) {
    throw new Error(
      `${program} ${args.join(' ')}: exit ${status}\n${stdout.slice(-2000)}${stderr.slice(-2000)}`,
    )
  }
  return stdout + stderr
}

/** The first line of `--version`, or undefined where the program is not installed. */
export function versionOf(program: string): string | undefined {
  try {
    return run(program, ['--version']).trim().split('\n')[0]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const REPORT_PEAK = `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS))`

/** Arguments of `node` that make a process say how much memory it held at its worst; {@link peakOf} reads it. */
export const WITH_PEAK: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`,
]

/** Bytes resident at the worst moment. */
export function peakOf(output: string): number {
  const kilobytes = /\npeak ([0-9]+)$/.exec(output)?.[1]
  if (kilobytes === undefined) throw new Error('the process did not say how much memory it held')
  return Number(kilobytes) * 1024
}
