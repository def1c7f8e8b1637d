// One thing that a tool needs.
import type { Pointer } from '../model/document.ts'

/** One thing a tool needs, and the place in its entry that says so. */
export interface Need {
  /** In the words of a capability string. */
  readonly capability: string
  /** From the tool's entry in tools.json. */
  readonly at: Pointer
  readonly from: 'declared' | 'implied'
  /** For a host that a url names: its scheme decides what a grant without port means. */
  readonly scheme?: 'http' | 'https'
}

/** A need that a tool has whether it lists it or not. */
export function implied(capability: string, at: Pointer): Need {
  return { capability, at, from: 'implied' }
}
