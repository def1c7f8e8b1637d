// The registry of how wrappers are opened: one file and one line each, loaded when a bundle has one. An opener holds a window of the
// bytes and hands each piece on at once, so the caller has to limit what comes out.

import type { Duplex } from 'node:stream'
import type { WrapperName } from '../../model/bundle-form.ts'

const OPENERS: Readonly<Record<WrapperName, () => Promise<Opener>>> = {
  gzip: async () => (await import('./gzip.ts')).GZIP_OPENER,
}

export function openerOf(wrapper: WrapperName): Promise<Opener> {
  return OPENERS[wrapper]()
}

type Unwrap = (input: AsyncIterable<Uint8Array>, take: (piece: Uint8Array) => void) => Promise<void>

export interface Opener {
  /** The one form that docs/spec allows. @throws NotCanonical, and whatever `take` throws */
  readonly unwrap: Unwrap
  /** As other programs write it, without bytes behind it. @throws the same */
  readonly unwrapForeign: Unwrap
  /** Whatever is in it, for a guess at what it is: the caller stops reading. */
  readonly lenient: () => Duplex
}
