// The trust policy: whose signatures count, and what they may grant (DESIGN §3.7).

/** One signer. Several keys of one anchor count once. */
export interface Anchor {
  readonly name: string
  /** Anchor strings, `ed25519:<base64>`. */
  readonly keys: readonly string[]
  /** Counts only where development signatures are allowed by name. */
  readonly allowDev: boolean
}

/** What an anchor may grant; one without a ceiling can approve, never grant. */
export interface Ceiling {
  /** `any` is every family but `net` and `exec`, which have their own keys. */
  readonly allowCaps: 'any' | readonly string[]
  readonly allowNet: 'any' | readonly string[]
  readonly allowExec: boolean
  /** References `name` or `name@variant`; undefined is every agent. */
  readonly agents: readonly string[] | undefined
}

export interface Revocation {
  readonly since: string | undefined
  readonly reason: string | undefined
  /** An anchor string; it only answers the question of a changed signer. */
  readonly replacedBy: string | undefined
}

export interface TrustPolicy {
  readonly anchors: readonly Anchor[]
  /** By anchor name. */
  readonly rules: ReadonlyMap<string, Ceiling>
  readonly require: { readonly anchors: readonly string[]; readonly signatures: number } | undefined
  /** By anchor string. */
  readonly revokedKeys: ReadonlyMap<string, Revocation>
  /** By the BLAKE3 of a bundle's manifest, lower-case hex. */
  readonly revokedBundles: ReadonlyMap<string, Revocation>
}
