// A path that the user named → the override file there. It need not be in use yet, so its owner is not checked.
import { resolve } from 'node:path'
import { readFile } from '../io/read/read-file.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit } from '../model/limits.ts'
import type { OverrideFile } from '../model/override.ts'
import { MAX_TEXT_BYTES } from '../text/decode.ts'

/** @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE, LIMIT_EXCEEDED */
export async function readOverrideAt(path: string, cwd: string): Promise<OverrideFile> {
  const larger = (size: number) => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot read "${path}": it has ${size} bytes; an override has at most ${byteLimit(MAX_TEXT_BYTES)}`,
      { hint: 'Name an override of policy.caps' },
    )
  }
  const bytes = await readFile(resolve(cwd, path), {
    follow: true,
    label: path,
    most: MAX_TEXT_BYTES,
    larger,
  })
  return { label: path, for: '', bytes }
}
