// A root of installed agents → a folder for a bundle that is fetched and not judged yet. What a dead process left is removed by the next.
import { promises as fs } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { discard, removeLeftovers, temporaryName } from '../write/temporary.ts'
import { checkRoot, ownPath, prepareRoot } from './own-folder.ts'
import type { Root } from './root-places.ts'

const DRAFT = 'draft'
const MOST_TRIES = 3

/** The folder of one bundle that is being judged, in the root’s own folder: on the same disk, and for this user alone. */
export interface DraftFolder {
  readonly path: string
  /** @param isUsed whether something was installed; otherwise the root goes too, if it was created for the draft and is empty */
  remove(isUsed: boolean): Promise<void>
}

/** Creates a missing root. @throws RlpError as {@link checkRoot} */
export async function makeDraftFolder(root: Root): Promise<DraftFolder> {
  checkRoot(root)
  for (let tries = 1; ; tries++) {
    const undo = await prepareRoot(root)
    const path = join(ownPath(root), temporaryName(DRAFT))
    try {
      await removeDrafts(root)
      await io(`write to "${root.label}"`, () => fs.mkdir(path, { mode: 0o700 }))
    } catch (error) {
      await undo()
      // Another run that had created the root has just removed it.
      if (error instanceof RlpError && error.code === 'NOT_FOUND' && tries < MOST_TRIES) continue
      throw error
    }
    return {
      path,
      async remove(isUsed) {
        await discard(path)
        if (!isUsed) await undo()
      },
    }
  }
}

/** The same for what will not be installed: outside of the root, which stays as it is. */
export async function makeDraftElsewhere(): Promise<DraftFolder> {
  const path = await io('write a draft', () => fs.mkdtemp(join(tmpdir(), 'rlp-draft-')))
  return { path, remove: () => discard(path) }
}

/** Removes the drafts of dead processes. */
export async function removeDrafts(root: Root): Promise<void> {
  await removeLeftovers(ownPath(root), DRAFT)
}

/** @param name in the root’s own folder */
export function isDraft(name: string): boolean {
  return name.startsWith(`.${DRAFT}.`)
}
