// rlp trust update: fetch what the channels that are followed have published since.

import { defineCommand } from '../cli/command.ts'
import { AUDIT_OPTION, auditIn, reachIn } from '../cli/options.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { note, report } from '../cli/render/report.ts'
import { EXIT } from '../model/exit-code.ts'
import { updatedAnswer } from './answers.ts'
import { UpdateRecords } from './audit-lines.ts'
import { listsToRead, SYSTEM_OPTION } from './followed-options.ts'
import { outcomeLine, REFUSED_AGAIN } from './render-followed.ts'
import { followedIn, tookAll, updatable, updateAll } from './update-all.ts'

export const command = defineCommand({
  name: 'trust update',
  summary: 'fetch what the channels that are followed have published',
  positionals: [{ name: 'name', describe: 'only this channel', complete: 'none' }],
  options: {
    'dry-run': { type: 'boolean', describe: 'fetch and check, and write nothing' },
    ...SYSTEM_OPTION,
    ...AUDIT_OPTION,
  },
  examples: [
    ['rlp trust update', 'every channel that you follow, and the system’s where you may write them'],
    ['rlp trust update --system', 'by a timer, for every user of this host'],
    ['rlp trust update --dry-run', 'what there is, without taking it'],
  ],
  notes:
    'What cannot be proven is refused, and what was there stays. A channel whose heartbeat has ended decides nothing, so update more often than its heartbeat lasts.\n\nExit code 3: a channel could not be reached, or what it offers is refused; or --audit could not be written, and then the update is done all the same.',
  async run(args, io) {
    const { dryRun } = args
    const followed = await followedIn(listsToRead(args), args.name)
    // An ordinary user follows their own; what the system follows is root's.
    const mine = args.system ? followed : updatable(followed)
    const updating = { ...reachIn(io, args), now: new Date(), dryRun }
    const audit = dryRun ? undefined : await auditIn(args, io)
    const records = new UpdateRecords(audit)
    const outcomes = await updateAll(mine, updating, one => records.record(one))
    const tool = 'trust.update'
    const answer = updatedAnswer(outcomes)
    const { lost } = records
    if (lost === undefined || !args.json)
      report(io, args, {
        tool,
        result: answer,
        warnings: answer.warnings,
        quiet: outcomes.every(tookAll) ? [] : undefined,
        text: () => outcomes.map(one => `${outcomeLine(one, io.color)}\n`).join(''),
      })
    if (followed.length === 0)
      note(
        io,
        args,
        'No channel is followed here: rlp trust follow CHANNEL --root DIGEST begins to follow one',
      )
    else if (mine.length < followed.length) note(io, args, 'What the system follows is updated by root')
    if (outcomes.some(one => 'updated' in one && one.updated.refused !== undefined))
      note(io, args, REFUSED_AGAIN)
    if (lost !== undefined) return refuseUnrecorded(lost, { tool, extra: { ...answer } }, args, io)
    return outcomes.every(tookAll) ? EXIT.ok : EXIT.machine
  },
})
