// A granted folder → what the system opens by that name: slashes that follow each other count as one.
import { rootOf } from '../../format/capability/folder.ts'

export function plainFolder(folder: string): string {
  return folder.replace(/\/{2,}/g, '/')
}

/** As `rootOf`. Grants are compared as they are written; what they reach is not. */
export function folderRoot(folder: string): string | undefined {
  return rootOf(plainFolder(folder))
}
