// A path that the user named → the override file there. It need not be in use yet, so its owner is not checked.
import { resolve } from 'node:path'
import { MAX_TEXT_BYTES } from '../format/text/decode.ts'
import { openFile, readWhole } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import type { OverrideFile } from '../model/override.ts'

/** @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE, LIMIT_EXCEEDED */
export async function readOverrideAt(path: string, cwd: string): Promise<OverrideFile> {
  const file = await openFile(resolve(cwd, path), { follow: true, label: path })
  try {
    if (file.size > MAX_TEXT_BYTES)
      throw new RlpError(
        'LIMIT_EXCEEDED',
        `Cannot read "${path}": it has ${file.size} bytes; an override has at most ${byteLimit(MAX_TEXT_BYTES)}`,
        { hint: 'Name an override of policy.caps' },
      )
    return { label: path, for: '', bytes: await readWhole(file, path) }
  } finally {
    file.handle.close()
  }
}
