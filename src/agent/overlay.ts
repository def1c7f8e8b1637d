// Files + new contents → the files after the change, to judge it before it is written.
import { byPath, type FileEntry, type Files } from '../model/files.ts'

/** No files at all. */
export const NO_FILES: Files = {
  list: [],
  oddities: [],
  get: () => undefined,
  open: () => {
    throw new TypeError('no such entry in this tree')
  },
}

/** The new files have no digest, because no manifest states one yet. */
export function overlay(files: Files, changes: ReadonlyMap<string, Uint8Array | string>): Files {
  const changed = [...changes].map(([path, content]): FileEntry => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    return { path, size: bytes.length, bytes }
  })
  const list = [...files.list.filter(({ path }) => !changes.has(path)), ...changed].sort(byPath)
  const index = new Map(list.map(entry => [entry.path, entry]))
  return {
    list,
    oddities: files.oddities.filter(({ path }) => !changes.has(path)),
    get: path => index.get(path),
    async *open(path) {
      const bytes = changes.has(path) ? index.get(path)?.bytes : undefined
      if (bytes === undefined) yield* files.open(path)
      else yield bytes
    },
  }
}
