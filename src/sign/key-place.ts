// The name of a key → its file.
import { join } from 'node:path'
import { namedPath, runloopHome } from '../io/home.ts'
import { refuseForeignWay } from '../io/owner/owner.ts'
import { RlpError } from '../model/error.ts'
import { credentialIn } from '../secret/credential.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** The folder of named keys. @throws RlpError NO_PERMISSION if others lead the way to it */
export function keysFolder(home: string = runloopHome()): string {
  const folder = join(home, 'keys')
  refuseForeignWay(folder)
  return folder
}

/** No file of a key is larger. */
export const MOST_KEY_BYTES: number = 16 * 1024

/** @param label of the file, for messages */
export function keyTooLarge(label: string, bytes: number): RlpError {
  return new RlpError('WRONG_FILE_TYPE', `Cannot use "${label}" as a key: it has ${bytes} bytes`, {
    hint: 'Name a PEM file',
  })
}

/** Whether a text is the name of a key: without slash and dot. Any other text is a path. */
export function isKeyName(text: string): boolean {
  return NAME.test(text)
}

export interface KeyFiles {
  readonly privatePath: string
  readonly publicPath: string
}

/**
 * Refuses a key in place of its name: it was visible to everybody who can list processes.
 * @throws RlpError USAGE, without the key in its message
 */
export function refuseWrittenOut(which: string): void {
  if (credentialIn(which) === undefined) return
  throw new RlpError('USAGE', 'Cannot use the key: it is written out in place of its name', {
    hint: 'Name it, its file, or env:VAR, and make a new one if others could see the command line or its log',
  })
}

/** @throws RlpError USAGE for an invalid name */
export function filesOfKey(name: string, home?: string): KeyFiles {
  refuseWrittenOut(name)
  if (isKeyName(name)) {
    const base = join(keysFolder(home), name)
    return { privatePath: `${base}.pem`, publicPath: `${base}.pub` }
  }
  throw new RlpError(
    'USAGE',
    `Cannot use "${name}" as the name of a key: it has other characters than letters, digits, _ and -`,
    { hint: 'Choose a name such as release-2026' },
  )
}

export function pathOfKey(which: string, cwd: string, home?: string): string {
  refuseWrittenOut(which)
  return isKeyName(which) ? filesOfKey(which, home).privatePath : namedPath(which, cwd)
}
