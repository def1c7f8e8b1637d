// Whether a bundle on disk is still the one that was read, as far as its entry says.
import { entryOrNothing } from '../io/read/entry.ts'
import { RlpError } from '../model/error.ts'

/** Another text where the file was replaced or changed. It only saves a reading: what is written is verified in any case. */
export function standing(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = entryOrNothing(path) ?? {}
  return JSON.stringify([ino, size, mtimeMs, ctimeMs])
}

export function changedMeanwhile(doing: string): RlpError {
  return new RlpError('CHANGED_WHILE_READING', `Cannot ${doing}: it changed while the signer was asked`, {
    hint: 'Look at what it is now with rlp agent inspect, then run the command again',
  })
}
