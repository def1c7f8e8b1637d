// Files of a bundle + another envelope → the files as if the bundle had been packed with it.
import { blake3Hex } from '../bundle/blake3.ts'
import { SIGNATURE_FILE } from '../model/agent.ts'
import { byPath, type FileEntry, type Files } from '../model/files.ts'

export function withSignatureFile(files: Files, content: Uint8Array): Files {
  const entry: FileEntry = {
    path: SIGNATURE_FILE,
    size: content.length,
    digest: blake3Hex(content),
    head: content.slice(0, 8),
    bytes: content,
    content,
  }
  const list = [...files.list.filter(one => one.path !== SIGNATURE_FILE), entry].sort(byPath)
  return {
    list,
    oddities: files.oddities,
    get: path => (path === SIGNATURE_FILE ? entry : files.get(path)),
    async *open(path) {
      if (path === SIGNATURE_FILE) yield content
      else yield* files.open(path)
    },
  }
}
