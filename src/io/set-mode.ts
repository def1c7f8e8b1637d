// The mode of an open file, whatever the umask made of it.
import type { FileHandle } from 'node:fs/promises'
import { io } from './fail.ts'

/**
 * Changes it where it is another: where Node runs with --permission it lets nobody change one, not even into what it is.
 *
 * @param mode the lowest twelve bits count
 * @throws RlpError NO_PERMISSION
 */
export async function setMode(handle: FileHandle, mode: number, doing: string): Promise<void> {
  const now = await io(doing, () => handle.stat())
  if ((now.mode & 0o7777) !== (mode & 0o7777)) await io(doing, () => handle.chmod(mode & 0o7777))
}
