// Why an archive is not packed: one sentence for the state that was seen, and what to do instead.

import { RlpError } from '../model/error.ts'
import { writePath } from '../text/shell-words.ts'

/** @param other what it is instead, where its first bytes say so */
export function notTar(label: string, other?: string): RlpError {
  const state = other === undefined ? 'it is a file, and no tar archive' : `it is ${other}`
  return new RlpError('WRONG_FILE_TYPE', `Cannot pack "${label}": ${state}`, {
    hint:
      other === undefined
        ? 'Name an agent’s folder, or a .tar or .tar.gz of one'
        : 'Unpack it and name the agent’s folder, or make a .tar or .tar.gz of that',
  })
}

/** It holds what no bundle may hold, or what two readers would read differently. */
export function notPackable(
  label: string,
  state: string,
  hint = 'Make the archive again, of regular files below one folder, or unpack it and pack the folder',
): RlpError {
  return new RlpError('NOT_CONVERTIBLE', `Cannot pack "${label}": ${state}`, { hint })
}

export function tooLarge(label: string, state: string): RlpError {
  return new RlpError('LIMIT_EXCEEDED', `Cannot pack "${label}": ${state}`, {
    hint: 'Leave out of the archive what the agent does not need',
  })
}

/** For an archive that was taken for a bundle. */
export function packHint(label: string): string {
  return `If you know where this archive comes from, rlp agent pack ${writePath(label)} makes a bundle of it`
}
