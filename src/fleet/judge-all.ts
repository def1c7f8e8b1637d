// Judges bundles and keeps their whole reports in memory, for a program that asks about a few. A bundle whose line could not be written to
// the audit log is not accepted, whatever its verdict is.

import type { Audit } from '../io/audit.ts'
import { StreamSha256 } from '../io/bundle/bundle-bytes.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { Reason } from '../model/report.ts'
import { type Judging, reportUnread, verifyWith } from '../verify/examine.ts'
import type { Verification } from '../verify/verify.ts'
import { eachInLanes, farServer } from './lanes.ts'
import { type ListedRepositories, repositoriesIn, storedIn, taskOf } from './sources.ts'
import type { FleetJudged, FleetRecord, FleetTask } from './task.ts'

interface JudgedBundle extends Pick<FleetTask, 'path' | 'label'> {
  readonly verification: Verification
  /** Of its bytes as they are stored; only if it was asked for. */
  readonly sha256: string | undefined
}

/** In the order of the tasks: those on this machine one after another, and meanwhile those that are fetched. */
export async function judgedAll(
  tasks: Iterable<FleetTask> | AsyncIterable<FleetTask>,
  judging: Judging & { readonly withSha256?: boolean },
  setting: Setting,
  onListed: (listed: ListedRepositories) => void,
): Promise<JudgedBundle[]> {
  const server = ({ path, problem }: FleetTask) => (problem === undefined ? farServer(path) : undefined)
  const judged = await eachInLanes(tasks, { server, signal: setting.signal }, async (task, signal) => {
    const { path, label, expect, problem, isBelow, isRepository, isPrefix } = task
    const within = { ...setting, signal }
    if (isPrefix) return judgedAll(repositoriesIn(task, within, onListed), judging, within, onListed)
    if (isRepository) {
      const found = await storedIn(task, within)
      return judgedAll(
        found.map(one => taskOf(one, expect)),
        judging,
        within,
        onListed,
      )
    }
    const passed = judging.withSha256 === true ? new StreamSha256() : undefined
    const through = passed && ((chunks: AsyncIterable<Uint8Array>) => passed.through(chunks))
    const options = { ...judging, expect, label, signal, through }
    const verification =
      problem === undefined
        ? await verifyWith(path, { ...options, follow: isBelow !== true }, 'parsed')
        : await reportUnread(problem, options)
    return [{ path, label, verification, sha256: passed?.sha256 }]
  })
  return judged.flat()
}

/** Of the only place that was named, an error says more than the report of a bundle that was not found. */
export function refuseUnreached({ code, message, hint }: Reason): void {
  if (code !== 'timed_out' && code !== 'unreachable') return
  const is = code === 'timed_out' ? 'TIMED_OUT' : 'UNREACHABLE'
  throw new RlpError(is, message, hint === undefined ? {} : { hint })
}

export class Recorder {
  readonly #audit: Audit
  /** Why the first decision that is not in the log is not in it. */
  lost: RlpError | undefined

  constructor(audit: Audit) {
    this.#audit = audit
  }

  /** Whether it is in the log. */
  isRecorded(decided: FleetJudged['decided']): boolean {
    try {
      this.#audit.record({ ...decided, command: 'agent.verify' })
      return true
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      this.lost ??= error
      return false
    }
  }

  recorded(judged: FleetJudged): FleetJudged {
    if (this.isRecorded(judged.decided)) return judged
    const record = JSON.parse(judged.line) as FleetRecord
    const exit = judged.exit === EXIT.bug ? EXIT.bug : EXIT.machine
    // A later call must not take the verdict from here, and leave it unrecorded.
    return { ...judged, exit, line: JSON.stringify({ ...record, accepted: false, exit, basis: null }) }
  }
}
