// What passes between the job that verifies many bundles and the threads that judge them: values that can be copied.

import type { DecidedBundle } from '../model/audit.ts'
import type { LookedUp } from '../model/carried.ts'
import type { CheckedPolicy, Reason, Report, Warning } from '../model/report.ts'
import type { Verdict } from '../model/verdict.ts'
import { utcSecond } from '../text/time.ts'
import { codesOf } from '../verify/make-report.ts'

/** Starting a thread takes as long as judging so many bundles. */
export const WORTH_THREADS = 64
export const MOST_THREADS = 1024

/** One bundle to judge. */
export interface FleetTask {
  /** Absolute, or a reference. */
  readonly path: string
  readonly label: string
  /** Its name below the folder or list that named it; the label if left out. */
  readonly listed?: string | undefined
  /** What it has to be; the name of its file implies it where this is left out. */
  readonly expect?: string | undefined
  /** Why it cannot be reached. */
  readonly problem?: Reason | undefined
  /** It was met in a folder, as no link. */
  readonly isBelow?: true | undefined
  /** It is a repository, whose bundles are found when its registry answers. */
  readonly isRepository?: true | undefined
  /** It is a prefix, whose repositories its registry lists. */
  readonly isPrefix?: true | undefined
  /** What its registry has shown of it, to find what earlier reports say; left out if it was not asked. */
  readonly stored?: LookedUp | undefined
  /** What earlier reports say of its bytes; left out if nothing, or if they were not asked. */
  readonly earlier?: EarlierLines | undefined
}

/** Lines of earlier reports about the same bytes. */
export interface EarlierLines {
  /** Of the bytes as they are stored now; for a stored bundle, as its manifest names them. */
  readonly sha256: string
  readonly lines: readonly string[]
}

/** One bundle to judge, or several whose bytes are only hashed: these are answered with a {@link Digest} each. */
export type FleetWork = FleetTask | readonly FleetTask[]

/** SHA-256 in lower-case hex; undefined for a bundle that is judged anew whatever earlier reports say. */
export type Digest = string | undefined

export type FleetAnswer = FleetJudged | readonly Digest[]

export function isHashing(work: FleetWork): work is readonly FleetTask[] {
  return Array.isArray(work)
}

/** How every bundle of one call is judged. */
export interface FleetOptions {
  readonly allowUnsigned: boolean
  readonly allowDev: boolean
  /** Absolute. */
  readonly trustPolicy: string | undefined
  /** In place of the file beside each bundle. Absolute. */
  readonly attestations: string | undefined
  /** Paths of locks, absolute. */
  readonly locks: readonly string[]
  /** The only root whose installed agents count as marks, absolute. */
  readonly root?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** One line of the report. The members are in this order, and `sha256` comes first so that it is found without parsing. */
export interface FleetRecord {
  readonly type: 'bundle'
  /** Of the bytes as they are stored. Null for an unpacked bundle, and if not all bytes were read. */
  readonly sha256: string | null
  readonly target: string
  readonly verdict: Verdict
  /** Whether the exit code for this bundle is 0. */
  readonly accepted: boolean
  readonly exit: number
  /** Whether the verdict was taken from an earlier report. */
  readonly reused: boolean
  /** False for a bundle in a registry whose verdict is reused: its manifest was read, and its bytes were not. Otherwise left out. */
  readonly fetched?: false
  readonly agent: Report['agent']
  /** `blake3:…` of manifest.toml. */
  readonly identity: string | null
  readonly form: Report['form']
  /** Keys whose signatures are valid, whether or not a policy trusts them. */
  readonly signers: readonly string[]
  /** What trust policies call those that count. */
  readonly anchors: readonly string[]
  /** Every grant of policy.caps; null if the contents were not examined. */
  readonly caps: readonly string[] | null
  /** Ids; null if the contents were not examined. */
  readonly tools: readonly string[] | null
  readonly reasons: readonly Reason[]
  /** What ends soon; left out where nothing does. */
  readonly warnings?: readonly Warning[] | undefined
  /** When the signature ends. */
  readonly notAfter: string | null
  /** When the verdict was given, also if it is reused: a UTC second. */
  readonly judged: string
  /** A digest of everything that the verdict depends on. Null for a verdict that is not used again. */
  readonly basis: string | null
}

/** A judged bundle, for the side that reports. */
export interface FleetJudged {
  readonly verdict: Verdict
  readonly exit: number
  readonly reused: boolean
  readonly fetched?: false | undefined
  readonly warnings?: readonly Warning[] | undefined
  /** The record as JSON, without a newline. */
  readonly line: string
  /** What the audit log keeps of it. */
  readonly decided: DecidedBundle
}

/** @param policies by which it was judged */
export function judgedOf(record: FleetRecord, policies: readonly CheckedPolicy[] = []): FleetJudged {
  const { verdict, exit, reused, fetched, warnings } = record
  const { target, accepted, agent, identity, sha256, signers, reasons } = record
  const decided = {
    target,
    accepted,
    verdict,
    agent,
    identity,
    sha256,
    signers,
    policies,
    codes: codesOf(reasons),
  }
  return { verdict, exit, reused, fetched, warnings, line: JSON.stringify(record), decided }
}

/** A bundle that was not judged, and why. */
export function unjudged({ label }: FleetTask, reason: Reason, exit = 3): FleetJudged {
  return judgedOf({
    type: 'bundle',
    sha256: null,
    target: label,
    verdict: 'indeterminate',
    accepted: false,
    exit,
    reused: false,
    agent: null,
    identity: null,
    form: 'archive',
    signers: [],
    anchors: [],
    caps: null,
    tools: null,
    reasons: [reason],
    notAfter: null,
    judged: utcSecond(new Date()),
    basis: null,
  })
}
