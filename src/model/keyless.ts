// Keyless signatures: a certificate of minutes says who signed, and a log or a time stamp when (docs/keyless.md).
import type { AttestedStatement } from './attestation.ts'

/** What a certificate says of who asked for it, by the number of the extension below 1.3.6.1.4.1.57264.1. */
export const CERTIFIED = {
  issuer: 8,
  signer: 9,
  signer_digest: 10,
  runner: 11,
  source: 12,
  ref: 14,
  repository_id: 15,
  owner_id: 17,
  config: 18,
  trigger: 20,
  environment: 23,
} as const

export type CertifiedName = keyof typeof CERTIFIED

/** What was read of a certificate. Each is there once in it, or not at all. */
export type CertificateFacts = Readonly<Partial<Record<CertifiedName, string>>> & {
  /** Its one subject alternative name, if that is an rfc822Name. */
  readonly email?: string
  /** The same, if it is a URI. */
  readonly uri?: string
}

/** What one member of an identity asks for, and what the certificate has. */
export interface ComparedMember {
  readonly member: string
  readonly wanted: string
  /** Undefined: it does not say. */
  readonly found: string | undefined
  readonly fits: boolean
}

/** The file that says which authorities count, beside the policy that names it. */
export interface TrustedRootName {
  readonly file: string
  /** Lower-case hex. */
  readonly blake3: string
}

/** That file, held against its digest. */
export interface TrustedRoot {
  readonly blake3: string
  readonly bytes: Uint8Array
}

/** Where and when a signature was recorded, as its proofs say. */
export interface KeylessProof {
  /** The index of its entry in a log; undefined without one. */
  readonly logIndex: string | undefined
  /** A UTC second; the earliest proven one. */
  readonly time: string
}

/** What a Sigstore bundle is to a trusted root: proven, or why not, after *it is*. */
export type KeylessProven = { readonly proof: KeylessProof } | { readonly problem: string }

/** One Sigstore bundle that came with a bundle, as far as it was looked into. */
export interface KeylessFinding {
  /** `line 2`, or the digest of the manifest that holds it. */
  readonly where: string
  /** What it signs. Empty if that could not be read. */
  readonly payload: Uint8Array
  readonly facts: CertificateFacts
  /** By the digest of a trusted root; none where no policy has an identity that its certificate claims. */
  readonly proven: ReadonlyMap<string, KeylessProven>
  /** Why it is not one that counts here, before any policy is asked: it cannot be read, or states something else. */
  readonly problem: string | undefined
  /** It signs the bundle itself. Undefined: it states something else, or about another one. */
  readonly signs: { readonly notAfter: string | undefined } | undefined
  /** What it states, if it does not sign the bundle. */
  readonly states: AttestedStatement | undefined
}

/** All that came with a bundle. */
export interface KeylessFindings {
  readonly list: readonly KeylessFinding[]
  /** Why there may be one that counts and was not verified. */
  readonly incomplete: string | undefined
  /** Digests of trusted roots that cannot be used: their policies decide nothing. */
  readonly unusable: readonly string[]
  /** SHA-256 of the canonical archive without SIGNATURES/, lower-case hex; undefined where no statement needs it. */
  readonly unsignedSha256: string | undefined
}

/** What the report says of one Sigstore bundle that came with a bundle. */
export interface CheckedKeyless {
  /** `line 2`, or the digest of the manifest that holds it. */
  readonly where: string
  /** Whether it signs the bundle, or states something. */
  readonly is: 'signature' | 'statement' | 'other'
  /** `unclaimed`: no trust policy has an identity that its certificate claims, so it was not verified. */
  readonly result: 'proven' | 'unproven' | 'unclaimed' | 'unreadable'
  /** What its certificate says of the signer. Without a proof it is only a claim. */
  readonly certificate: CertificateFacts
  /** Of a proven one. */
  readonly logIndex: string | null
  /** A UTC second, of a proven one. */
  readonly time: string | null
  /** One line. */
  readonly detail: string
}
