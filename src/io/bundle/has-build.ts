// Tells a build from the placeholder that rlp writes in its place.
import { isStub, STUB_WASM } from '../../format/wasm/stub.ts'
import { entryAt } from '../read/entry.ts'
import { openFile, readWhole } from '../read/read-file.ts'

/** Whether the file at the path is something other than our own placeholder. */
export async function hasBuild(path: string): Promise<boolean> {
  const entry = entryAt(path)
  if (entry === undefined) return false
  if (!entry.isFile() || entry.size !== STUB_WASM.length) return true
  const file = await openFile(path, { follow: false })
  try {
    return !isStub(await readWhole(file, path))
  } finally {
    file.handle.close()
  }
}
