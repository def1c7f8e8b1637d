// Whether a folder has a manifest of its own, as `variants/pro/` has. Such a folder is packed by itself, not with the agent around it.
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { MANIFEST_FILE } from '../../model/agent.ts'

export function isAgent(folder: string): boolean {
  try {
    return lstatSync(join(folder, MANIFEST_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The walk opens this folder next and reports it by name if it cannot be read.
    return false
  }
}
