// Runs load-costs.mjs on bundles of so many tools.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSignedAgents } from './inputs.ts'

/** Of one load. */
export interface LoadCosts {
  readonly bytes: number
  /** Calls of node:fs. */
  readonly calls: number
  /** Minor page faults. */
  readonly faults: number
}

/** Enough for what was allocated, so that nothing is collected in between and what is in use at the end is what was made. */
const NOTHING_COLLECTED = [
  ...['--max-semi-space-size=1024', '--min-semi-space-size=1024'],
  ...['--initial-old-space-size=2048', '--max-old-space-size=4096'],
]

/**
 * @param dist of the build
 * @param folder one that is not there yet
 */
export function loadCosts(dist: string, folder: string, tools: number): LoadCosts {
  const isSmall = tools < 10
  mkdirSync(folder)
  const { bundles } = makeSignedAgents(join(folder, 'agents'), isSmall ? 16 : 4, tools)
  for (const { name, bytes } of bundles) writeFileSync(join(folder, 'agents', `${name}.agent.bundle`), bytes)
  const [before, loads] = isSmall ? [1000, 100] : [40, 40]
  const script = join(import.meta.dirname, 'load-costs.mjs')
  const args = [script, join(dist, 'library/index.js'), join(folder, 'agents'), String(before), String(loads)]
  const { NODE_OPTIONS: _, ...env } = process.env
  const measured = (flags: readonly string[]) =>
    JSON.parse(execFileSync(process.execPath, [...flags, ...args], { encoding: 'utf8', env })) as LoadCosts
  // Memory that is never used again is new to the system, so pages are counted where the engine collects as it does for everybody.
  return { ...measured(NOTHING_COLLECTED), faults: measured([]).faults }
}
