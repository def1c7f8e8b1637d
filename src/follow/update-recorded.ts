// Updates followed channels, and records what became of each.
import type { Audit } from '../io/audit.ts'
import type { RlpError } from '../model/error.ts'
import type { Asked, World } from '../verb/index.ts'
import { reachBy } from '../verb/kinds/registry.ts'
import { UpdateRecords } from './audit-lines.ts'
import type { FOLLOWED } from './inputs.ts'
import { type ChannelOutcome, type Followed, updateAll } from './update-all.ts'

export interface RecordedUpdates {
  readonly outcomes: readonly ChannelOutcome[]
  /** Why a line of the audit log is missing. */
  readonly lost: RlpError | undefined
}

/** What is not in the audit log is updated all the same. @throws RlpError CANCELLED */
export async function updateRecorded(
  followed: readonly Followed[],
  asked: Asked<typeof FOLLOWED> & { readonly audit: Audit | undefined; readonly dryRun: boolean },
  world: World,
): Promise<RecordedUpdates> {
  const { home, now, audit, dryRun } = asked
  const records = new UpdateRecords(audit)
  const updating = { ...reachBy(world, home), now, dryRun }
  const outcomes = await updateAll(followed, updating, one => records.record(one))
  return { outcomes, lost: records.lost }
}
