// fs: files below a folder. This program lets it read; some readers let it write.
import type { CapabilityFamily } from './family.ts'
import { foldersOf, isAmong, readable } from './folders.ts'

export const fs: CapabilityFamily<'fs'> = {
  family: 'fs',
  member: 'fs',
  ...foldersOf('fs', {
    member: 'fs',
    isRare: false,
    grants: readable,
    left: (policy, leaves) => policy.fs.filter(isAmong(readable(leaves))),
    may: 'may use files below',
    grantedBy: ['fs', 'fs_ro', 'fs_rw'],
    each: 'reads, and on some hosts writes, files below ',
    power: 'write',
    opens: 'read',
  }),
}
