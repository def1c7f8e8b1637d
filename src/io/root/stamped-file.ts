// Finds the files of an agent that rlp has put into roots. A root that cannot be relied on, or cannot be looked at, holds none.
import { isObstacle } from '../../model/error.ts'
import { refuseForeignWay } from '../owner/own-way.ts'
import { entryAt, entryOrNothing } from '../read/entry.ts'
import { checkRoot } from './own-folder.ts'
import { bundlePath, type Root } from './root-places.ts'
import { readStamp } from './stamp.ts'

/** Whether a root may hold the agent. It costs one look, for calls that mostly find nothing. */
export function mayHold(path: string, agent: string): boolean {
  try {
    return entryOrNothing(bundlePath({ path, label: path }, agent)) !== undefined
  } catch (error) {
    if (!isObstacle(error)) throw error
    return false
  }
}

/**
 * Returns the digest that the stamp of an agent's file names; undefined without a file or a stamp, or if another user than root may write the
 * root or a folder above it.
 */
export async function stampedDigest(root: Root, agent: string): Promise<string | undefined> {
  try {
    if (entryAt(bundlePath(root, agent))?.isFile() !== true) return undefined
    refuseForeignWay(root.path)
    checkRoot(root)
    return (await readStamp(root.path, agent))?.fileDigest
  } catch (error) {
    if (!isObstacle(error)) throw error
    return undefined
  }
}
