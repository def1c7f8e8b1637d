// What one trust policy is asked about.
import type { Evidence } from './believed.ts'

/** The facts about a bundle that its trust depends on. */
export interface TrustFacts {
  /** Anchor strings of the keys whose signatures are valid. */
  readonly signers: readonly string[]
  /** BLAKE3 of the manifest, lower-case hex. */
  readonly manifestDigest: string
  readonly allowDev: boolean
  /** `name` or `name@variant` */
  readonly agent: string
  /** When the signatures end. */
  readonly notAfter: string | undefined
  readonly now: Date
  /** What came with the bundle. */
  readonly evidence: Evidence
}
