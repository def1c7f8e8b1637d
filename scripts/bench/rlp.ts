// The built command: run, and how much memory it held.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Context } from './group.ts'
import { CannotRun, run } from './process.ts'

/** The folder of a copy of what was built, which finds its optional package where the original does. */
export function copyDist(folder: string): string {
  const place = join(folder, 'built')
  mkdirSync(place)
  // Its own runs compile it.
  const filter = (path: string) => basename(path) !== 'compiled'
  for (const name of ['dist', 'package.json']) cpSync(name, join(place, name), { recursive: true, filter })
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'))
  return join(place, 'dist')
}

export function programOf({ dist }: Pick<Context, 'dist'>): string {
  return join(dist, 'program/rlp.cjs')
}

/**
 * @param home its keys, trust policy and state; one that does not exist by default, so that no user's own counts
 * @param path of the Node that runs it: this one by default
 */
export function rlp(
  context: Context,
  args: readonly string[],
  home?: string,
  path?: string,
): Promise<string> {
  return node(context, [], args, home, path)
}

function node(
  context: Context,
  flags: readonly string[],
  args: readonly string[],
  home?: string,
  path: string = process.execPath,
) {
  const { folder } = context
  const env = homeAt(home ?? join(folder, 'no-home'))
  return run(path, [...flags, programOf(context), ...args], { cwd: folder, env })
}

export function homeAt(home: string): Readonly<Record<string, string>> {
  return { HOME: home, RUNLOOP_HOME: home }
}

// VmHWM is about this program alone: what resourceUsage() tells on Linux began with what its parent held.
const SAY_PEAK = `
import { readFileSync, writeSync } from 'node:fs'
const held = () => process.platform === 'linux'
  ? /^VmHWM:\\s*([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
  : process.resourceUsage().maxRSS
process.on('exit', () => writeSync(2, '\\npeak ' + held()))`

const WITH_PEAK = ['--import', `data:text/javascript,${encodeURIComponent(SAY_PEAK)}`]

/** Garbage is collected sooner or later: the worst of so many runs counts. */
const RUNS = 3

/**
 * Bytes resident at the worst moment, of {@link rlp} with the same arguments.
 *
 * @param flags of Node itself
 */
export async function peakOf(
  context: Context,
  args: readonly string[],
  home?: string,
  flags: readonly string[] = [],
): Promise<number> {
  let worst = 0
  for (let index = 0; index < Math.min(RUNS, context.rounds); index++) {
    const kilobytes = /\npeak ([0-9]+)$/.exec(await node(context, [...flags, ...WITH_PEAK], args, home))?.[1]
    if (kilobytes === undefined) throw new CannotRun('rlp did not say how much memory it held')
    worst = Math.max(worst, Number(kilobytes) * 1024)
  }
  return worst
}
