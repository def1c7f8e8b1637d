// What this user's rlp remembers of one agent: how far it has come, who signed it, what it could do, and where it is installed.
import type { Permissions } from './permissions.ts'
import type { HighWaterMark } from './trust.ts'
import type { Verdict } from './verdict.ts'

/** What a flag of `install` let pass. */
export const ALLOWANCES = ['unsigned', 'downgrade', 'signer-change', 'caps-change', 'dev'] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** A high-water mark, and when it was reached, or set by a reset. */
export interface Mark extends Omit<HighWaterMark, 'agent'> {
  /** A UTC second, `2026-11-20T00:00:00Z`. */
  readonly at: string
}

/** One installed bundle. */
export interface Install {
  /** Absolute. */
  readonly root: string
  readonly version: string
  /** BLAKE3 of the manifest. */
  readonly manifestDigest: string
  /** BLAKE3 of the installed file. */
  readonly fileDigest: string
  /** The verdict at the time, under the policies of the time. */
  readonly verdict: Verdict
  /** What the policies of the time called the signers. For people: signers are compared by key. */
  readonly anchors: readonly string[]
  /** Anchor strings of the keys that vouched. */
  readonly signers: readonly string[]
  /** Everything that only a flag let pass. */
  readonly allowed: readonly Allowance[]
  /** Whether the folder for other runtimes was derived. */
  readonly unpacked: boolean
  readonly at: string
}

/** The last trusted install: what the next one is compared with. */
export interface Baseline {
  readonly version: string
  readonly manifestDigest: string
  readonly anchors: readonly string[]
  readonly signers: readonly string[]
  readonly permissions: Permissions
  readonly at: string
}

/** An install that has begun. Whether it took place, the file in its root tells. */
export interface Pending {
  readonly install: Install
  /** What a trusted install raises; absent when it needed development keys. */
  readonly mark?: Mark
  /** What a trusted install replaces. */
  readonly baseline?: Baseline
}

/** Marks that were forgotten on purpose. */
export interface Reset {
  readonly at: string
  readonly reason?: string
  /** The version that became the mark in their place. */
  readonly to?: string
  readonly marks: readonly Mark[]
}

export interface AgentState {
  /** `name` or `name@variant`. */
  readonly agent: string
  /** The newest trusted install. More than one only where an earlier rlp let two contents of one version in. */
  readonly marks: readonly Mark[]
  readonly baseline?: Baseline
  /** One for each root. */
  readonly installs: readonly Install[]
  readonly pending: readonly Pending[]
  readonly resets: readonly Reset[]
}
