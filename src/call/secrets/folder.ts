// Secrets from a folder: one file each, named by its id. A file outside the folder, or readable by others, is refused.
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { systemSays } from '../../io/process/start-failure.ts'
import type { SecretAnswer, SecretSource } from '../../model/secret.ts'
import { MOST_SECRET_BYTES, secretValue, unknown, unusable } from './value.ts'

/** @param folder absolute */
export function folderSecrets(folder: string): SecretSource {
  return async id => {
    const root = await systemSays(realpath(folder))
    if (root.code !== undefined) return unusable(`cannot be looked up: the folder says ${root.code}`)
    const path = await systemSays(realpath(join(root.value, id)))
    if (path.code === 'ENOENT' || path.code === 'ENOTDIR')
      return unknown('is not there', `Put it into ${join(folder, id)}`)
    if (path.code !== undefined) return unusable(`cannot be looked up: the file says ${path.code}`)
    // Links inside the folder are allowed: some systems use them to change all secrets at once.
    const inside = root.value.endsWith(sep) ? root.value : root.value + sep
    if (!path.value.startsWith(inside)) return unusable('is a link that leads out of the folder')
    // The path is already resolved, so a link that appears now was put there meanwhile. O_NONBLOCK: a pipe must not block.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await systemSays(open(path.value, flags))
    if (file.code !== undefined) return unusable(`cannot be read: the file says ${file.code}`)
    try {
      return await read(file.value)
    } finally {
      await file.value.close()
    }
  }
}

async function read(file: FileHandle): Promise<SecretAnswer> {
  const { mode, uid, size } = await file.stat()
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return unusable('is no regular file')
  const me = process.getuid?.()
  if (me !== undefined && uid !== me && uid !== 0)
    return unusable('is in a file that belongs to another user')
  if (me !== undefined && (mode & 0o077) !== 0)
    return unusable(
      'is in a file that others can use',
      'Run chmod 600 on it, and think about who may have read it',
    )
  if (size > MOST_SECRET_BYTES) return unusable(`is longer than ${MOST_SECRET_BYTES} bytes`)
  const { bytesRead, buffer } = await file.read(
    Buffer.alloc(MOST_SECRET_BYTES + 1),
    0,
    MOST_SECRET_BYTES + 1,
    0,
  )
  return secretValue(buffer.subarray(0, bytesRead))
}
