// How a wrapper is opened. Nothing is ever held but a window, and each piece is handed on at once: who takes it bounds what comes out.
import type { Duplex } from 'node:stream'

type Unwrap = (input: AsyncIterable<Uint8Array>, take: (piece: Uint8Array) => void) => Promise<void>

export interface Opener {
  /** The one form that docs/spec allows. @throws NotCanonical, and whatever `take` throws */
  readonly unwrap: Unwrap
  /** As other programs write it, without bytes behind it. @throws the same */
  readonly unwrapForeign: Unwrap
  /** Whatever is in it, for a guess at what it is: the caller stops reading. */
  readonly lenient: () => Duplex
}
