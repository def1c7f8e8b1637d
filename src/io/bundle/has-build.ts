// Tells a build from the placeholder that rlp writes in its place.
import { isStub, STUB_WASM } from '../../wasm/stub.ts'
import { entryAt } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'

/** Whether the file at the path is something other than our own placeholder. */
export async function hasBuild(path: string): Promise<boolean> {
  const entry = entryAt(path)
  if (entry === undefined) return false
  if (!entry.isFile() || entry.size !== STUB_WASM.length) return true
  const bytes = await readFile(path, { follow: false, most: entry.size, larger: () => undefined })
  return bytes === undefined || !isStub(bytes)
}
