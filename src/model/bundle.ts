// A bundle on its way through verification: first a candidate that was read, then a verified bundle, which
// only verify.ts can make.
import type { Agent } from './agent.ts'
import type { BundleForm } from './bundle-form.ts'
import type { Added, Origin } from './carried.ts'
import type { RlpError } from './error.ts'
import type { Files } from './files.ts'
import type { Report } from './report.ts'
import type { Turn } from './turn.ts'

/** A bundle that has been read and not yet judged. */
export interface Candidate {
  /** How people call it: the path they gave, or `<bytes>`. */
  readonly label: string
  readonly form: BundleForm
  /** The files that were read before `refusal`. */
  readonly files: Files
  /** Why reading stopped; absent if the whole bundle was read. */
  readonly refusal?: Refusal | undefined
  /** Where it was fetched from; absent for a file, a folder and bytes. */
  readonly origin?: Origin | undefined
  /** Signatures that were added where it is stored. */
  readonly added?: Added | undefined
  /** SHA-256 of the canonical archive without SIGNATURES/, lower-case hex; absent where it was not asked for. */
  readonly unsignedSha256?: string | undefined
}

export interface Refusal {
  /** `form`: the bytes are not a canonical archive. `io`: they could not be read. */
  readonly why: 'form' | 'io'
  readonly message: string
  readonly hint?: string | undefined
  /** With `io`: what kept the bytes from being read. */
  readonly error?: RlpError | undefined
}

/** A bundle that may be signed, with what its manifest says. */
export interface SoundBundle extends Candidate {
  readonly agent: Agent
}

/**
 * A candidate whose manifest has been read: enough to know which agent it claims to be, and to gather what
 * its verdict depends on.
 */
export interface Outline extends Candidate {
  /** With the manifest as its only document. */
  readonly agent: Agent
  /** The same with every document read, once. */
  whole(turn: Turn): Promise<Agent>
}

declare const verified: unique symbol

/** A bundle that passed verification, with the very bytes that passed. Only `verify` can make one, and `load` takes nothing else. */
export interface VerifiedBundle {
  readonly [verified]: true
  readonly agent: Agent
  readonly report: Report
}
