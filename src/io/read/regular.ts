// A path → whether it may be opened. Opening a device can do something, so what is there is looked at first.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'

/** A regular file or a folder. @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE */
export function readableAt(path: string, { follow, label }: { follow: boolean; label: string }): Stats {
  const found = ioNow(`read "${label}"`, () => (follow ? statSync(path) : lstatSync(path)))
  if (found.isFile() || found.isDirectory()) return found
  throw notRegular(label, found)
}

export function notRegular(label: string, found: Stats): RlpError {
  const [state, hint] = found.isSymbolicLink()
    ? ['a symbolic link', 'Name the file that it leads to']
    : ['not a regular file', found.isDirectory() ? 'Name a file' : 'Put a regular file there']
  return new RlpError('WRONG_FILE_TYPE', `Cannot read "${label}": it is ${state}`, { hint })
}
