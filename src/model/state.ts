// What this user's rlp remembers of one agent: its newest version, its signers, its permissions, and where it
// is installed.
import type { Permissions } from './permissions.ts'
import type { HighWaterMark } from './trust.ts'
import type { Verdict } from './verdict.ts'

/** The exceptions that a flag of `install` can allow. */
export const ALLOWANCES = ['unsigned', 'downgrade', 'signer-change', 'caps-change', 'dev'] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** A high-water mark, and the time when it was reached or set by a reset. */
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
  /** The verdict at that time, under the policies of that time. */
  readonly verdict: Verdict
  /** What the policies of that time called the signers. For people: signers are compared by key. */
  readonly anchors: readonly string[]
  /** Anchor strings of the keys that vouched. */
  readonly signers: readonly string[]
  /** The exceptions that flags allowed. */
  readonly allowed: readonly Allowance[]
  /** Whether the folder for other runtimes was unpacked. */
  readonly unpacked: boolean
  /**
   * `sha256:…` of the manifest in a registry or layout folder that it was read from. Left out for another source. It says
   * when `install --lock` reads the source again, and nothing about the file.
   */
  readonly oci?: string
  /** When its signatures expire; left out if they do not. */
  readonly notAfter?: string
  /**
   * The name of the lock that put it there, with all else that the lock names. Left out for a lock without a name, and for a bundle that a person
   * installed. `install --lock --prune` removes it when no lock names the agent any more.
   */
  readonly lock?: string
  readonly at: string
}

/** A trusted install, whether it is still there or not. Where it is not, the next one in its root is compared with it. */
export interface Baseline {
  /** Absolute. */
  readonly root: string
  readonly version: string
  readonly manifestDigest: string
  readonly anchors: readonly string[]
  readonly signers: readonly string[]
  readonly permissions: Permissions
  readonly at: string
}

/** An install that has begun. The file in its root shows whether it was completed. */
export interface Pending {
  readonly install: Install
  /** The mark that a trusted install raises; absent if it needed development keys. */
  readonly mark?: Mark
  /** What a trusted install adds to the baselines. */
  readonly baseline?: Baseline
}

/** Marks that were forgotten on purpose. */
export interface Reset {
  readonly at: string
  readonly reason?: string
  /** The version that replaced the mark. */
  readonly to?: string
  readonly marks: readonly Mark[]
}

export interface AgentState {
  /** `name` or `name@variant`. */
  readonly agent: string
  /**
   * The newest trusted install. If there are several of one version, each was trusted here.
   */
  readonly marks: readonly Mark[]
  /** Whether this user ever had it, in any root, signed or not. */
  readonly wasInstalled: boolean
  /** The last ones, the newest at the end: a few of each root. */
  readonly baselines: readonly Baseline[]
  /** One for each root. */
  readonly installs: readonly Install[]
  readonly pending: readonly Pending[]
  readonly resets: readonly Reset[]
}
