// Whether a folder has a manifest of its own, as `variants/pro/` has: it is packed by itself, and no part of the agent around it.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE } from '../model/agent.ts'

export function isAgent(folder: string): boolean {
  try {
    return lstatSync(join(folder, MANIFEST_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The walk goes into the folder next, and says by its name what cannot be read.
    return false
  }
}
