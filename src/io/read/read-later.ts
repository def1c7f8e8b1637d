// A file that was too large to keep → its bytes, when they are needed.
import type { FileEntry } from '../../model/files.ts'
import {
  type FolderIdentity,
  type FolderReach,
  isSameFolder,
  OpenFolders,
  refuseChanged,
} from './open-folders.ts'
import { closingChunks, type OpenFile } from './read-file.ts'

/** The folder was closed meanwhile: its name must still lead to the same folder. */
export async function* openLater(
  root: string,
  label: string,
  identity: FolderIdentity,
  entry: FileEntry | undefined,
  reach: FolderReach | undefined,
): AsyncGenerator<Uint8Array> {
  if (entry === undefined) throw new TypeError('no such entry in this tree')
  if (entry.content !== undefined) {
    yield entry.content
    return
  }
  const name = `${label}/${entry.path}`
  const folders = new OpenFolders(root, label, reach)
  let file: OpenFile
  try {
    if (!isSameFolder(folders.identity, identity)) refuseChanged(label, 'another folder took its place')
    file = await folders.open(entry.path, name)
  } finally {
    folders.close()
  }
  const { handle, size } = file
  if (size === entry.size) yield* closingChunks(file)
  else {
    handle.close()
    refuseChanged(name, 'its size changed while it was read')
  }
}
