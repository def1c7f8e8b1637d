// What a server of unverified tools says of itself: to the person who starts it, and to its client.

/** How it calls itself. */
export const UNVERIFIED_NAME = 'rlp-unverified'

/** @param names of the folders */
export function unverified(names: string): string {
  return `unverified: the tools of ${names} come from a folder that may change, and no signature of it is checked`
}
