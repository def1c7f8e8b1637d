// The interface of a format in which many bundles are reported, as they are judged.
import type { GlobalArgs, Io } from '../../cli/command.ts'
import type { PassedOver } from '../../model/report.ts'
import type { WalkedList } from '../listing.ts'
import type { Shard } from '../shard.ts'
import type { FleetTally } from '../tally.ts'
import type { FleetJudged } from '../task.ts'

export interface FleetFormat {
  /** The value of `--format`. */
  readonly name: string
  /** For the help; the format for people needs no word. */
  readonly describe?: string
  /** A program reads it: one bundle alone is reported in it as well. */
  readonly isData: boolean
  /** It has a place for a signature: `--key` signs it. */
  readonly isSigned: boolean
  open(setting: FleetSetting): FleetReport | Promise<FleetReport>
}

/** The run, the list and the policies that a report belongs to. */
export interface ReportAbout {
  readonly shard: Shard | undefined
  /** The name of the run, which all of its jobs share. */
  readonly run: string | undefined
  /** Complete after the last bundle. */
  readonly listing: WalkedList
  /** A digest of everything that verdicts depend on now beside the bundles. */
  basis(): Promise<string>
}

export interface FleetSetting {
  readonly about: ReportAbout
  readonly io: Io
  readonly args: GlobalArgs
  readonly tally: FleetTally
  /** To standard output, and to what signs the report. */
  write(text: string): void
}

export interface FleetReport {
  /** @param judged is in the tally already */
  judged(judged: FleetJudged): void
  /** After the last bundle. */
  end(passed: PassedOver): void | Promise<void>
}
