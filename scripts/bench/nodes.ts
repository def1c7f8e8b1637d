// The Node versions that are here: the one that runs this, and those of scripts/install-nodes.sh.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

export interface Runtime {
  readonly name: string
  readonly major: number
  readonly path: string
}

const MAJORS = [20, 22, 24, 26]

/** In the order of their numbers. */
export function runtimes(): readonly Runtime[] {
  const own = Number(/^v([0-9]+)/.exec(process.version)?.[1])
  const others = MAJORS.filter(major => major !== own).map(major => ({
    major,
    path: resolve('.nodes/node_modules', `node${major}`, 'bin/node'),
  }))
  return [{ major: own, path: process.execPath }, ...others.filter(({ path }) => existsSync(path))]
    .sort((a, b) => a.major - b.major)
    .map(one => ({ ...one, name: `Node ${one.major}` }))
}
