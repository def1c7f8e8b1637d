// A trust policy as an object: the tables of trust-policy.toml, by the same names.

/** One signer: an anchor string, `ed25519:<base64>`, a table with one or more of them, or an identity. */
export type AnchorTable =
  | string
  | ({ readonly key: string } & AnchorLimits)
  | ({ readonly keys: readonly string[] } & AnchorLimits)
  | (IdentityTable & AnchorLimits)

/** A signer without a key to keep, as its issuer names it: `repository_id`, `workflow` and `ref` or `environment`; `email`; or `subject`. */
export interface IdentityTable {
  readonly issuer: string
  readonly repository_id?: string
  readonly owner_id?: string
  readonly workflow?: string
  /** One `*` may be at its end. */
  readonly ref?: string
  readonly environment?: string
  readonly runner?: string
  readonly trigger?: string
  readonly builder?: string
  readonly builder_digest?: string
  readonly email?: string
  readonly subject?: string
}

interface AnchorLimits {
  readonly allow_dev?: boolean
  /** A UTC second, after which it does not count. */
  readonly until?: string
  /** What its signatures are for; bundles where it is left out. */
  readonly use?: readonly ('sign' | 'attest')[]
}

/** Anchors of which so many have to count. */
export interface GroupTable {
  readonly of: readonly string[]
  readonly at_least: number
}

/** What an anchor or a group may grant. */
export interface RuleTable {
  /** Capabilities such as `model` or `kb_read:drafts`; `any` for all families but net and exec. */
  readonly allow_caps?: 'any' | readonly string[]
  /** Hosts, `host` or `host:port`. */
  readonly allow_net?: 'any' | readonly string[]
  /** Hosts for plain http, each `host:port`; left out, it is `any` if `allow_net` is, else none. */
  readonly allow_http?: 'any' | readonly string[]
  /** True for every program, or absolute paths. */
  readonly allow_exec?: boolean | readonly string[]
  /** By the name of a secret, where it may go: hosts with a port, programs, `model`, `kb_write` and `fs`. */
  readonly secrets_to?: { readonly [secret: string]: readonly string[] }
  /** Agents that it may vouch for, `name`, `name@variant`, `prefix*` or `prefix*@*`; all where it is left out. */
  readonly agents?: readonly string[]
}

/** A statement that has to come with a bundle. */
export interface RequiredAttestationTable {
  /** Its `predicateType`: `https://slsa.dev/provenance/v1`. */
  readonly type: string
  /** Names of anchors with the use `attest`, and of groups of them: one of them must have signed it. */
  readonly by: readonly string[]
  /** Of a provenance: the id of its builder. */
  readonly builder?: string
  /** Of a provenance: the source that was built. */
  readonly source?: string
  /** Of a provenance by an identity: the ref that was built. One `*` may be at its end. */
  readonly ref?: string
}

/** What has to be there for some agents. */
export interface RequireEntryTable {
  /** `name`, with all its variants, `name@variant` or `prefix*`; all where it is left out. */
  readonly agents?: readonly string[]
  /** Names of anchors and groups: each must have signed. */
  readonly signers?: readonly string[]
  readonly signatures?: number
  /** How far ahead the end of a signature may be: `90d`. */
  readonly expires_within?: string
  readonly attestations?: readonly RequiredAttestationTable[]
}

/**
 * A trust policy in memory, as docs/spec/trust-policy.md describes the file. It is closed: a key that is not known makes the whole policy unusable, and
 * with a policy that cannot be used every verdict is `indeterminate`.
 *
 * @example
 * const policy: TrustPolicyTable = {
 *   anchors: { release: 'ed25519:…' },
 *   rules: { release: { allow_caps: 'any', allow_net: [], allow_exec: false, agents: ['mailer'] } },
 * }
 */
export interface TrustPolicyTable {
  /** A UTC second such as `2027-11-20T00:00:00Z`, after which the policy decides nothing. */
  readonly valid_until?: string
  /** The file beside the policy that says which authorities of keyless signatures count, and its BLAKE3 in lower-case hex. */
  readonly sigstore?: { readonly trusted_root: { readonly file: string; readonly blake3: string } }
  /** By a name of your choice. */
  readonly anchors?: { readonly [name: string]: AnchorTable }
  /** By a name of your choice, which no anchor has. */
  readonly groups?: { readonly [name: string]: GroupTable }
  /** By the name of an anchor or a group. In a list each rule names its agents, and no agent is named twice. */
  readonly rules?: { readonly [name: string]: RuleTable | readonly RuleTable[] }
  /** Every bundle needs these anchors, and signatures of as many distinct anchors; or entries, each for some agents. */
  readonly require?:
    | {
        readonly anchors?: readonly string[]
        readonly signatures?: number
        /** Statements that have to come with every bundle (docs/evidence.md). */
        readonly attestations?: readonly RequiredAttestationTable[]
      }
    | readonly RequireEntryTable[]
  /** By the name of an agent or a pattern, the oldest version that is accepted: `1.4.0`. */
  readonly floors?: { readonly [agents: string]: string }
  /** By `ed25519:…` for a key and `blake3:…` for the manifest of a bundle. */
  readonly revoked?: {
    readonly [what: string]: {
      readonly since?: string
      readonly reason?: string
      readonly replaced_by?: string
    }
  }
}
