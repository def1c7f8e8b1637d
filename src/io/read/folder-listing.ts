// An open folder → its entries, one by one. Names come sorted, in pieces, so that memory does not grow with them.
import { type Dir, type Dirent, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER_LIMITS } from '../../model/limits.ts'
import { ioNow } from '../fail.ts'
import type { Target } from '../find/search-folders.ts'
import { entryAt } from './entry.ts'

export interface Listed {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'special'
}

export class FolderListing {
  readonly folder: Target
  readonly #dir: Dir
  #names: Listed[] = []
  #isOver = false

  /** @throws RlpError */
  constructor(folder: Target) {
    this.folder = folder
    this.#dir = ioNow(`read the folder "${folder.label}"`, () =>
      opendirSync(folder.path, { bufferSize: 256 }),
    )
  }

  /** Undefined after the last one. @throws RlpError; then the names that were read before follow */
  next(): Listed | undefined {
    if (this.#names.length === 0 && !this.#isOver) this.#fill()
    return this.#names.pop()
  }

  close(): void {
    this.#dir.closeSync()
  }

  #fill(): void {
    this.#isOver = true
    for (let left: number = FOLDER_LIMITS.listed; left > 0; left--) {
      const dirent = ioNow(`read the folder "${this.folder.label}"`, () => this.#dir.readSync())
      if (dirent === null) break
      const { name } = dirent
      this.#names.push({ name, kind: kindOf(dirent, join(this.folder.path, name)) })
      if (left === 1) this.#isOver = false
    }
    // As labels are sorted, where a folder's name goes on with a slash; the last one is taken first.
    this.#names.sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))
  }
}

function keyOf({ name, kind }: Listed): string {
  return kind === 'folder' ? `${name}/` : name
}

/** Some file systems do not say in a folder what its entries are. What is gone by now is special. */
function kindOf(dirent: Dirent, path: string): Listed['kind'] {
  const known = dirent.isFile() || dirent.isDirectory() || dirent.isSymbolicLink()
  const about = known ? dirent : entryAt(path)
  if (about?.isFile()) return 'file'
  if (about?.isDirectory()) return 'folder'
  return about?.isSymbolicLink() ? 'link' : 'special'
}
