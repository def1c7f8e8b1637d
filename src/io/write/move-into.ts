// Files in a folder of ours → their places in an existing folder, one rename each.
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { io } from '../fail.ts'
import { entryAt } from '../read/entry.ts'
import { OpenFolders } from '../read/open-folders.ts'
import { syncFolder } from './sync.ts'

/**
 * By open folders: a segment that becomes a link meanwhile leads no file out of the target.
 * @throws RlpError CHANGED_WHILE_READING if a segment became a link, NO_PERMISSION, NO_SPACE
 */
export async function moveInto(
  stage: string,
  target: string,
  label: string,
  paths: readonly string[],
): Promise<void> {
  const folders = new OpenFolders(target, label)
  try {
    for (const path of paths) {
      const segments = path.split('/')
      const name = segments.pop() ?? ''
      const doing = `write "${label}/${path}"`
      for (const [depth, segment] of segments.entries()) {
        const folder = folders.at(segments.slice(0, depth).join('/')) + segment
        if (entryAt(folder) === undefined) await io(doing, () => fs.mkdir(folder))
      }
      const folder = folders.at(segments.join('/'))
      await io(doing, () => fs.rename(join(stage, path), folder + name))
      await syncFolder(folder, label)
    }
  } finally {
    folders.close()
  }
}
