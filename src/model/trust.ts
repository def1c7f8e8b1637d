// The trust policy: whose signatures count, and what they may grant (docs/spec/trust-policy.md).

import type { Anchor, Group } from './anchor.ts'
import type { Attestations } from './attestation.ts'
import type { ChannelFacts } from './channel.ts'
import type { InstalledFile } from './installed-file.ts'
import type { KeylessFindings, TrustedRoot, TrustedRootName } from './keyless.ts'
import type { OverrideFile } from './override.ts'
import type { ChannelCode } from './reason-codes.ts'

/** What an anchor or a group may grant. Without a ceiling it can approve a bundle but grants nothing. */
export interface Ceiling {
  /** `any` is every family but `net` and `exec`, which have keys of their own. */
  readonly allowCaps: 'any' | readonly string[]
  readonly allowNet: 'any' | readonly string[]
  /** Hosts with a port for plain http; undefined is `any` if `allowNet` is, else none. It grants no host. */
  readonly allowHttp: 'any' | readonly string[] | undefined
  /** True is every program; a list has absolute paths. */
  readonly allowExec: boolean | readonly string[]
  /** By the name of a secret, where it may go: hosts with a port, programs, and words such as `model`. */
  readonly secretsTo: Readonly<Record<string, readonly string[]>> | undefined
  /** Patterns of agents (agent/agent-pattern.ts); undefined is every agent. */
  readonly agents: readonly string[] | undefined
}

/** One rule, or a list of them, each for other agents: what one agent is granted, another is not. */
export type Rules = Ceiling | readonly Ceiling[]

export interface Revocation {
  readonly since: string | undefined
  readonly reason: string | undefined
  /** An anchor string; used only to decide whether the signer has changed. */
  readonly replacedBy: string | undefined
}

/** A statement about a bundle that has to be there, signed by one of these. */
export interface RequiredAttestation extends Readonly<Record<ComparedField, string | undefined>> {
  /** Its `predicateType`. */
  readonly type: string
  /** Names of anchors that attest, and of groups of them. */
  readonly by: readonly string[]
  /** Of a statement by an identity: the ref that was built. It may end in a `*`. */
  readonly ref: string | undefined
}

/** What a policy may require that a statement names, compared as it is: of a provenance its builder's id, and the source that was built. */
export const COMPARED_FIELDS = ['builder', 'source'] as const

export type ComparedField = (typeof COMPARED_FIELDS)[number]

/** What has to be there. `anchors` is a member of the table `[require]` alone, `agents`, `signers` and `expiresWithin` of an entry `[[require]]`. */
export interface Requirements {
  /** Patterns of agents; left out: every agent. */
  readonly agents?: readonly string[]
  readonly anchors?: readonly string[]
  /** Names of anchors and groups. */
  readonly signers?: readonly string[]
  readonly signatures: number
  /** Days. */
  readonly expiresWithin?: number
  /** Left out where none are required. */
  readonly attestations?: readonly RequiredAttestation[]
}

/** The one table `[require]`, or the entries `[[require]]`. */
export type Require = Requirements | readonly Requirements[]

export interface TrustPolicy {
  /** A UTC second, after which the policy decides nothing. */
  readonly validUntil: string | undefined
  /** Which authorities of keyless signatures count. A policy with identities has one. */
  readonly trustedRoot: TrustedRootName | undefined
  readonly anchors: readonly Anchor[]
  /** Their names are none of anchors. */
  readonly groups: readonly Group[]
  /** By the name of an anchor or a group. */
  readonly rules: ReadonlyMap<string, Rules>
  readonly require: Require | undefined
  /** By a pattern of agents, the oldest version that is accepted. */
  readonly floors: ReadonlyMap<string, string>
  /** By anchor string. */
  readonly revokedKeys: ReadonlyMap<string, Revocation>
  /** By the BLAKE3 of a bundle's manifest, lower-case hex. */
  readonly revokedBundles: ReadonlyMap<string, Revocation>
}

/** Where a policy applies from: the system's file, the user's, a channel that is followed, or one that a caller named. */
export type PolicyRole = 'system' | 'user' | 'channel' | 'given'

/** A trust policy: its content, or why it decides nothing. */
export interface PolicySource {
  /** Name of the file in messages. */
  readonly path: string
  readonly role: PolicyRole
  /** BLAKE3 of its bytes; undefined when they could not be read. */
  readonly digest: string | undefined
  /** Undefined when the policy is malformed, unreadable, or writable by others. */
  readonly policy: TrustPolicy | undefined
  /** Why it decides nothing, with line and column if there are any. */
  readonly problems: readonly string[]
  /** How to mend that, if it is known. */
  readonly hint?: string | undefined
  /** The file that {@link TrustPolicy.trustedRoot} names; of a usable policy with identities it is there. */
  readonly root?: TrustedRoot | undefined
  /** Why it decides nothing, if a channel brought it. */
  readonly code?: ChannelCode | undefined
  /** The channel that brought it. */
  readonly channel?: ChannelFacts | undefined
  /** 1-based line of a value in the policy, for reports. */
  lineOf(pointer: readonly (string | number)[]): number | undefined
}

/** A policy that came with a channel. */
export type ChannelSource = PolicySource & { readonly channel: ChannelFacts }

/** The newest trusted install of an agent, by any signer (docs/spec/marks.md). */
export interface HighWaterMark {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  /** BLAKE3 of the manifest. Null after `trust reset --to`: any content of this version may come next. */
  readonly manifestDigest: string | null
  /** Anchor strings of the keys that vouched; empty if none did, or if they are not known. */
  readonly keys: readonly string[]
  /** The installed file that counts as this mark, because the state has none or an older one. Left out for a mark of the state. */
  readonly installed?: InstalledFile
}

/** Everything outside a bundle that its verdict depends on, gathered before it is judged. */
export interface TrustContext {
  /** All of them must pass. */
  readonly policies: readonly PolicySource[]
  /** This host follows channels, and the caller handed in policies in their place. */
  readonly channelsWaived?: boolean | undefined
  /** Whether development keys count. */
  readonly allowDev: boolean
  /** What came with the bundle that others state about it; undefined if nothing did. */
  readonly attestations?: Attestations | undefined
  /** Keyless signatures and statements that came with the bundle, as far as policies name identities. */
  readonly keyless?: KeylessFindings | undefined
  readonly now: Date
  /** The marks of the agent that the bundle claims to be. */
  readonly marks: FoundMarks
  /** The operator's overrides of this agent on this host. They never change who is trusted. */
  readonly overrides: readonly OverrideFile[]
}

/** What this user's state says of an agent. Unreadable state is never treated as "no marks". */
export type FoundMarks =
  | {
      readonly marks: readonly HighWaterMark[]
      /** Whether the agent was ever installed signed here. If so, a missing signature is never waived. */
      readonly wasSigned: boolean
    }
  | { readonly problem: string; readonly hint?: string | undefined }
