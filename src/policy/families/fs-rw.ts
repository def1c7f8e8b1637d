// fs_rw: files below a folder, to read and to write.
import { foldersOf, isAmong, writable } from './folders.ts'

export const fsRw = foldersOf('fs_rw', 'fsRw', {
  isRare: true,
  // A read-only folder stays read-only.
  grants: writable,
  left: (policy, leaves) => policy.fsRw.filter(isAmong(writable(leaves))),
  may: 'may read and write files below',
  grantedBy: ['fs_rw'],
  power: 'write',
  opens: 'write',
  synonyms: 'write fswrite filewrite',
})
