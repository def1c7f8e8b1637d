// Sets the mode of an open file, whatever the umask is.
import type { FileHandle } from 'node:fs/promises'
import { io } from '../fail.ts'

/**
 * Sets the mode only if it differs, because `node --permission` refuses chmod.
 * @param mode the lowest twelve bits count
 * @throws RlpError NO_PERMISSION
 */
export async function setMode(handle: FileHandle, mode: number, doing: string): Promise<void> {
  const now = await io(doing, () => handle.stat())
  if ((now.mode & 0o7777) !== (mode & 0o7777)) await io(doing, () => handle.chmod(mode & 0o7777))
}
