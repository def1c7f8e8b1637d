// The answer of an install. The command prints what the function returns.

import { permissionLines } from '../inspect/permission-lines.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import type { Decision } from '../model/install.ts'
import type { Widening } from '../model/permissions.ts'
import type { Report } from '../model/report.ts'
import type { Install } from '../model/state.ts'
import { bundleIdentity } from '../version/reference.ts'
import type { InstallOutcome } from './install-call.ts'

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
