// A granted folder → what the system opens by that name: slashes that follow each other count as one.
import { plainFolder, rootOf } from '../../policy/folder.ts'

/** As `rootOf`. Grants are compared as they are written; what they reach is not. */
export function folderRoot(folder: string): string | undefined {
  return rootOf(plainFolder(folder))
}
