// The trust policy: whose signatures count, and what they may grant (DESIGN §3.7).
import type { OverrideFile } from './override.ts'

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

/** A trust policy as it was found: read, or why it decides nothing. */
export interface PolicySource {
  /** As people call the file. */
  readonly path: string
  readonly role: 'system' | 'user' | 'given'
  /** BLAKE3 of its bytes; undefined when they could not be read. */
  readonly digest: string | undefined
  /** Undefined when the policy is malformed, unreadable, or writable by others. */
  readonly policy: TrustPolicy | undefined
  /** Why it decides nothing, with line and column where there are any. */
  readonly problems: readonly string[]
  /** 1-based line of a place in the policy, for reports. */
  lineOf(pointer: readonly (string | number)[]): number | undefined
}

/** The newest trusted install of an agent, whoever signed it (DESIGN §3.7, "high-water mark"). */
export interface HighWaterMark {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  /** BLAKE3 of the manifest. Null after `trust reset --to`: any content of this version may come next. */
  readonly manifestDigest: string | null
  /** Anchor strings of the keys that vouched; empty where none did, or where they are not known. */
  readonly keys: readonly string[]
}

/** Everything outside a bundle that trust in it depends on, gathered before it is judged. */
export interface TrustContext {
  /** All of them must pass. */
  readonly policies: readonly PolicySource[]
  /** Whether development keys count. */
  readonly allowDev: boolean
  readonly now: Date
  /** Those of the agent that the bundle says it is. */
  readonly marks: FoundMarks
  /** The operator's overrides of this agent that are there on this host. None of them changes who is trusted. */
  readonly overrides: readonly OverrideFile[]
}

/** What this user's state says of an agent. State that cannot be relied upon is never "no marks". */
export type FoundMarks =
  | {
      readonly marks: readonly HighWaterMark[]
      /** Whether the agent was ever installed signed here: then a missing signature is never waived. */
      readonly wasSigned: boolean
    }
  | { readonly problem: string; readonly hint?: string }
