// What an install is asked for, and what becomes of it.
import type { Target } from '../io/find/find-agents.ts'
import type { Root } from '../io/root/root-places.ts'
import type { RlpError } from '../model/error.ts'
import type { Decision, InstallFlags, Offer } from '../model/install.ts'
import type { Report } from '../model/report.ts'
import type { JobJudging } from '../verify/examine.ts'

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
  readonly dryRun?: boolean | undefined
  /**
   * The installed bundle as it was judged. The same content takes its place only if its signatures last as long, and if none is missing that counts
   * today. Left out, it may be replaced.
   */
  readonly holds?: Offer | undefined
  /** The locks that install all that they name, of which one names this agent. Left out for a bundle that a person installs. */
  readonly by?: InstallingLock | undefined
  /** Where it is remembered what is installed; `$RUNLOOP_HOME` or `~/.runloop` where it is left out. */
  readonly home?: string
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
