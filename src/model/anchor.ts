// The signers that a trust policy knows: keys, identities, and groups of them (docs/spec/trust-policy.md).

/** What the signatures of an anchor are for: bundles, or statements about them such as how they were built. */
export const ANCHOR_USES = ['sign', 'attest'] as const
export type AnchorUse = (typeof ANCHOR_USES)[number]

/** What names an identity, in the order in which its string has them. */
export const IDENTITY_MEMBERS = [
  'repository_id',
  'owner_id',
  'workflow',
  'ref',
  'environment',
  'runner',
  'trigger',
  'builder',
  'builder_digest',
  'email',
  'subject',
] as const
export type IdentityMember = (typeof IDENTITY_MEMBERS)[number]

/** A signer without a key to keep: who an issuer says that it is. All are exact texts; `ref` may end in a `*`. */
export interface Identity extends Readonly<Partial<Record<IdentityMember, string>>> {
  readonly issuer: string
}

/** Counts if so many different signers among its anchors count. It is no signer itself. */
export interface Group {
  readonly name: string
  /** Names of anchors. */
  readonly of: readonly string[]
  readonly atLeast: number
}

/** One signer. Several keys of one anchor count once. */
export interface Anchor {
  readonly name: string
  /** Anchor strings, `ed25519:<base64>`; none of an identity. */
  readonly keys: readonly string[]
  /** In place of keys. */
  readonly identity: Identity | undefined
  /** A UTC second, after which it does not count. */
  readonly until: string | undefined
  /** Counts only with `--allow-dev`. */
  readonly allowDev: boolean
  /** At least one, and none twice. A key that attests in a pipeline does not thereby sign bundles. */
  readonly use: readonly AnchorUse[]
}
