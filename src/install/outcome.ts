// The request for an install and its outcome, as a value for callers and as a line for the audit log. The command prints what the function
// returns.

import { permissionLines } from '../inspect/permission-lines.ts'
import type { Target } from '../io/find/find-agents.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import type { AuditCode, AuditDecision } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import type { Decision, InstallFlags, InstallRefusal, Offer } from '../model/install.ts'
import type { Widening } from '../model/permissions.ts'
import type { Report } from '../model/report.ts'
import type { Install } from '../model/state.ts'
import type { JobJudging } from '../verify/examine.ts'
import { auditedBundle, NotVerifiedError } from '../verify/make-report.ts'
import { bundleIdentity } from '../version/reference.ts'

export interface InstallCall {
  readonly source: Target
  readonly root: Root
  readonly judging: JobJudging
  readonly flags: InstallFlags
  /** Whether a first install may proceed; asked once, before anything is written. */
  readonly mayBegin: (offer: Offer, decision: Installing) => Promise<boolean>
  /**
   * Told what was decided, before anything is put in place; throws to prevent it.
   * @param sha256 of the bytes as they are stored; undefined for an unpacked bundle
   */
  readonly onDecided?: ((outcome: InstallOutcome, sha256: string | undefined) => void) | undefined
  /** Judge and decide, ask no person, and leave everything as it is. */
  readonly dryRun: boolean
  /**
   * The installed bundle as it was judged. The same content takes its place only if its signatures last as long, and if none is missing that counts
   * today. Left out, it may be replaced.
   */
  readonly holds?: Offer | undefined
  /** The locks that install all that they name, of which one names this agent. Left out for a bundle that a person installs. */
  readonly by?: InstallingLock | undefined
  /** Where it is remembered what is installed. */
  readonly home: string
}

/** A lock that is installed as a whole. */
export interface InstallingLock {
  /** What it is called, if it has a name. */
  readonly name: string | undefined
}

export type Installing = Extract<Decision, { is: 'install' }>

export type InstallOutcome =
  /** The verdict is against it. `foreign`: why the archive is not canonical. */
  | {
      readonly is: 'not-verified'
      readonly report: Report
      readonly foreign: readonly string[]
      /** What kept it from being read. */
      readonly unread?: RlpError | undefined
    }
  | {
      readonly is: 'not-begun'
      readonly report: Report
      readonly offer: Offer
      readonly decision: Installing
    }
  | {
      readonly is: 'decided'
      readonly report: Report
      readonly offer: Offer
      readonly decision: Decision
      /** Whether a statement about it was put beside it that was not there. */
      readonly hasNewStatements: boolean
    }

/** An installed bundle. `widened`, `narrowed` and `described` say how it differs from the agent that was there; they are left out for a first install. */
export interface InstallResult extends Partial<Widening> {
  /** `name` or `name@variant`. */
  readonly agent: string
  readonly version: string
  /** False if the bundle and each statement about it were there already. With `dryRun`, whether an install would change something. */
  readonly changed: boolean
  /** Whether a statement about it was put beside it that was not there (docs/evidence.md). */
  readonly hasNewStatements: boolean
  /** The version that it replaced. */
  readonly previous: string | undefined
  /** The installed file, absolute. */
  readonly bundle: string
  /** The folder for other runtimes, absolute. */
  readonly folder: string | undefined
  /** `blake3:…` of the manifest. */
  readonly identity: string
  /** The permissions of the agent, one line each, for people. */
  readonly permissions: readonly string[]
  /** As it is remembered. */
  readonly install: Omit<Install, 'manifestDigest'>
  readonly report: Report
}

/** An outcome that is not refused: the bundle is in place, or was there. */
export type Placed = Extract<InstallOutcome, { is: 'decided' }> & {
  readonly decision: Exclude<Decision, { is: 'refused' }>
}

/** A sound bundle that may not take the place of what is there, and why. */
export class InstallRefusedError extends RlpError {
  override readonly name = 'InstallRefusedError'
  readonly refusals: readonly InstallRefusal[]
  readonly report: Report

  constructor(agent: string, refusals: readonly [InstallRefusal, ...InstallRefusal[]], report: Report) {
    super('NOT_VERIFIED', `Cannot install ${agent}: ${refusals[0].message}`, { hint: refusals[0].hint })
    this.refusals = refusals
    this.report = report
  }
}

export function isPlaced(outcome: InstallOutcome): outcome is Placed {
  return outcome.is === 'decided' && outcome.decision.is !== 'refused'
}

/** Whether a file was put in place: the bundle, or statements beside it. */
export function isChangedInstall(outcome: InstallOutcome): boolean {
  return outcome.is === 'decided' && (outcome.decision.is === 'install' || outcome.hasNewStatements)
}

export function installResult(placed: Placed, root: Root): InstallResult {
  const { report, offer, decision, hasNewStatements } = placed
  const { agent, version, permissions } = offer
  const isNew = decision.is === 'install'
  const { manifestDigest, ...install } = isNew ? decision.pending.install : decision.install
  return {
    agent,
    version,
    changed: isChangedInstall(placed),
    hasNewStatements,
    previous: isNew ? decision.previous : version,
    bundle: bundlePath(root, agent),
    folder: install.unpacked ? folderPath(root, agent) : undefined,
    identity: bundleIdentity(manifestDigest),
    permissions: permissionLines(permissions),
    ...(isNew && !decision.isFirst && decision.changes),
    install,
    report,
  }
}

/** The same for a program. @throws NotVerifiedError, InstallRefusedError; RlpError NEEDS_ANSWER for a first install without a yes */
export function resultFor(outcome: InstallOutcome, root: Root): InstallResult {
  const { report } = outcome
  if (outcome.is === 'not-verified') throw outcome.unread ?? new NotVerifiedError(report)
  const { agent } = outcome.offer
  if (outcome.is === 'not-begun')
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot install ${agent} for the first time: mayBegin has not agreed to it`,
      { hint: 'Look at what it may do, and answer true in mayBegin' },
    )
  const { decision } = outcome
  if (decision.is === 'refused') throw new InstallRefusedError(agent, decision.refusals, report)
  return installResult({ ...outcome, decision }, root)
}

/** @param how `root`: absolute; `lockConsents`: whether a lock was the consent */
export function installAuditEntry(
  outcome: InstallOutcome,
  sha256: string | undefined,
  { root, lockConsents }: { readonly root: string; readonly lockConsents: boolean },
): AuditDecision {
  const accepted = isPlaced(outcome)
  const bundle = auditedBundle(outcome.report, { accepted, sha256 })
  const codes = [...new Set([...bundle.codes, ...againstIn(outcome)])]
  const consent = accepted && lockConsents ? consentIn(outcome) : undefined
  return { ...bundle, command: 'agent.install', codes, root, consent }
}

/** What a lock consented to; of what was installed before, what is more. */
function consentIn(outcome: InstallOutcome): AuditDecision['consent'] {
  const { lock } = outcome.report
  if (lock === undefined || outcome.is !== 'decided' || outcome.decision.is !== 'install') return undefined
  const widened = outcome.decision.changes.widened.map(({ message }) => message)
  return { lock: lock.path, digest: lock.digest, widened }
}

/** Beside what the report says. */
function againstIn(outcome: InstallOutcome): AuditCode[] {
  if (outcome.is === 'not-begun') return ['not_confirmed']
  if (outcome.is === 'not-verified' || outcome.decision.is !== 'refused') return []
  return outcome.decision.refusals.map(({ reason }) => reason)
}
