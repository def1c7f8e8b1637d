// Two entries of locks → whether they pin the same. Pure.
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'

/** The same bundle, pinned in the same way: only the place where it is may differ. */
export function isSameEntry(a: LockedAgent, b: LockedAgent): boolean {
  return factsOf(a) === factsOf(b)
}

/** The same, and the same stored manifest where both pin one: other signatures of one bundle are stored under another digest. */
export function isSamePin(a: LockedAgent, b: LockedAgent): boolean {
  return isSameEntry(a, b) && a.oci === b.oci
}

function factsOf(entry: LockedAgent): string {
  const { version, identity, signers, caps, tools } = ownMembers(entry)
  return JSON.stringify([version, identity, signers, caps, [...tools].sort()])
}
