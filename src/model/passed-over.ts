// What a search for bundles met and did not take for one.
export interface PassedOver {
  /** Links that add nothing: what they lead to is judged in its own place, or is no bundle. */
  links: number
  /** FIFOs, sockets and devices. */
  special: number
  /** Files without a bundle's name. */
  files: number
  /** In an install root: what rlp keeps for itself, and unpacked copies of the files that are judged. */
  own: number
}

export function nothingPassed(): PassedOver {
  return { links: 0, special: 0, files: 0, own: 0 }
}
