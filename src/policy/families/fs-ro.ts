// fs_ro: files below a folder, to read.
import { foldersOf, isAmong, readable, writable } from './folders.ts'

export const fsRo = foldersOf('fs_ro', 'fsRo', {
  isRare: true,
  grants: readable,
  // What may no longer be written may still be read.
  left(policy, leaves) {
    const [toRead, toWrite] = [isAmong(readable(leaves)), isAmong(writable(leaves))]
    const downgraded = policy.fsRw.filter(folder => !toWrite(folder) && toRead(folder))
    return [...policy.fsRo.filter(toRead), ...downgraded]
  },
  may: 'may read files below',
  grantedBy: ['fs', 'fs_ro', 'fs_rw'],
  power: 'read',
  opens: 'read',
  synonyms: 'read fsread fileread readonly',
})
