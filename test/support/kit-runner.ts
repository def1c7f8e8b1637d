// Writes the conformance kit without its bundles, and asks programs the questions of one of its lists.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { writeKit } from '../../fixtures/conformance/write-kit.ts'

const ROOT = join(import.meta.dirname, '../..')
export const PYTHON = '/usr/bin/python3'

/** Why the second reader cannot run here; false if it can. */
export function withoutPython(): string | false {
  const { status } = spawnSync(PYTHON, ['-c', 'import tomllib, cryptography'])
  return status !== 0 && 'no python3-cryptography'
}

/**
 * Returns a function that runs run.mjs with further arguments.
 * @param folder where the kit goes
 * @param list the option that names the list: `--shards`
 */
export function kitRunner(folder: string, list: string): (...args: string[]) => SpawnSyncReturns<string> {
  writeKit(folder, [], join(ROOT, 'fixtures/conformance'), [])
  return (...args) =>
    spawnSync(process.execPath, [join(folder, 'run.mjs'), list, ...args], { encoding: 'utf8' })
}
