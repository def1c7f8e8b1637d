// What stands where a placeholder would go.
import { isStub, STUB_WASM } from '../format/wasm/stub.ts'
import { openFile, readWhole } from './read-file.ts'
import { entryAt } from './write-atomic.ts'

/** Whether something other than our own placeholder stands where it would go. */
export async function hasBuild(path: string): Promise<boolean> {
  const entry = await entryAt(path)
  if (entry === undefined) return false
  if (!entry.isFile() || entry.size !== STUB_WASM.length) return true
  const file = await openFile(path, { follow: false })
  try {
    return !isStub(await readWhole(file, path))
  } finally {
    file.handle.close()
  }
}
