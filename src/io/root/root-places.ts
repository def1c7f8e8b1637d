// A root of installed agents → the paths in it.
import { pathBelow } from '../home.ts'

const BUNDLE = '.agent.bundle'

/** The path is absolute. */
export interface Root {
  readonly path: string
  /** Name of the root in messages. */
  readonly label: string
  /** The user's own is in rlp's home, to which no other user may lead the way. */
  readonly home?: string
}

export function bundlePath({ path }: Root, agent: string): string {
  return pathBelow(path, `${agent}${BUNDLE}`)
}

export function folderPath({ path }: Root, agent: string): string {
  return pathBelow(path, agent)
}
