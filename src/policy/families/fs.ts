// fs: files below a folder. This program lets it read; some readers let it write.
import { foldersOf, isAmong, readable } from './folders.ts'

export const fs = foldersOf('fs', 'fs', {
  isRare: false,
  grants: readable,
  left: (policy, leaves) => policy.fs.filter(isAmong(readable(leaves))),
  may: 'may use files below',
  grantedBy: ['fs', 'fs_ro', 'fs_rw'],
  each: 'reads, and on some hosts writes, files below ',
  power: 'write',
  opens: 'read',
  synonyms: 'file files filesystem folder folders directory directories path paths',
})
