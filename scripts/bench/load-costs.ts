// Measures what a load allocates and how often it asks the file system, in processes that run load-costs.mjs.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSignedAgents } from './inputs.ts'

/** The costs of one load. */
export interface LoadCosts {
  /** Allocated in the heap of the engine. */
  readonly bytes: number
  /** Calls of node:fs. */
  readonly calls: number
  /** Minor page faults. */
  readonly faults: number
}

export type MostCosts = Omit<LoadCosts, 'faults'>

/** Reaches of a load of a small bundle, and of one with 200 tools. */
export const MOST_SMALL: MostCosts = { bytes: 230_000, calls: 20 }
export const MOST_LARGE: MostCosts = { bytes: 1_200_000, calls: 20 }

/** Enough for what was allocated, so that nothing is collected in between and what is in use at the end is what was made. */
const NOTHING_COLLECTED = [
  ...['--max-semi-space-size=1024', '--min-semi-space-size=1024'],
  ...['--initial-old-space-size=2048', '--max-old-space-size=4096'],
]

/** So many bundles are loaded in turn, each of another agent with tools of its own: no memory of one's texts helps with the next. */
const BUNDLES = 64

/** Creates a folder with signed bundles and a home that trusts them. Each bundle has the given number of tools. */
export function loadedFolder(folder: string, tools: number): string {
  const { bundles } = makeSignedAgents(folder, BUNDLES, tools)
  for (const { name, bytes } of bundles) writeFileSync(join(folder, `${name}.agent.bundle`), bytes)
  return folder
}

/**
 * @param dist of the build
 * @param folder by {@link loadedFolder}
 */
export function loadCosts(dist: string, folder: string, tools: number): MostCosts {
  const { bytes, calls } = measured(NOTHING_COLLECTED, dist, folder, tools)
  return { bytes, calls }
}

/** Memory that is never used again is new to the system, so pages are counted where the engine collects as it does for everybody. */
export function pageFaults(dist: string, folder: string, tools: number): number {
  return measured([], dist, folder, tools).faults
}

function isSmall(tools: number): boolean {
  return tools < 10
}

function measured(flags: readonly string[], dist: string, folder: string, tools: number): LoadCosts {
  const [before, loads] = isSmall(tools) ? [600, 100] : [40, 40]
  const script = join(import.meta.dirname, 'load-costs.mjs')
  const args = [script, join(dist, 'library/index.js'), folder, String(before), String(loads)]
  const { NODE_OPTIONS: _, ...env } = process.env
  return JSON.parse(
    execFileSync(process.execPath, [...flags, ...args], { encoding: 'utf8', env }),
  ) as LoadCosts
}
