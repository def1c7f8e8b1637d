// A root of installed agents → the folder in it that is rlp's own, if no other user may write either of them.
import { join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { refuseForeign } from '../owner/owner.ts'
import { entryAt } from '../read/entry.ts'
import { makeParents, type Undo } from '../write/make-parents.ts'
import type { Root } from './root-places.ts'

/** Creates what is missing of a root and its own folder. @throws RlpError as {@link checkRoot} */
export async function prepareRoot(root: Root): Promise<Undo> {
  const undo: Undo[] = []
  const undoAll = async () => {
    for (const one of undo.splice(0)) await one()
  }
  try {
    undo.push(await makeParents(root.path, 0o755))
    checkRoot(root)
    undo.unshift(await makeParents(ownPath(root), 0o700))
    checkRoot(root)
    return undoAll
  } catch (error) {
    await undoAll()
    throw error
  }
}

export function ownPath({ path }: Root): string {
  return join(path, '.rlp')
}

/**
 * Whether a root exists. Another user who may write it, or who controls a link to it, could replace what was verified.
 * @throws RlpError WRONG_FILE_TYPE if it is a link or a file, NO_PERMISSION if it belongs to others or they may write it
 */
export function checkRoot({ path, label }: Root): boolean {
  const isThere = checkFolder(path, label)
  if (isThere) checkFolder(join(path, '.rlp'), `${label}/.rlp`)
  return isThere
}

function checkFolder(path: string, label: string): boolean {
  const entry = entryAt(path)
  if (entry === undefined) return false
  if (!entry.isDirectory()) {
    const seen = entry.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a folder'
    const hint = entry.isSymbolicLink() ? 'Name the folder that it leads to' : 'Name a folder'
    throw new RlpError('WRONG_FILE_TYPE', `Cannot use the root "${label}": ${seen}`, { hint })
  }
  refuseForeign(`use the root "${label}"`, path, entry, 'private folder')
  return true
}
