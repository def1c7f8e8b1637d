// rlp trust follow: take the trust policy that others publish, from now on.

import { defineCommand } from '../cli/command.ts'
import { AUDIT_OPTION, auditIn, reachIn } from '../cli/options.ts'
import { refuseUnrecorded } from '../cli/render/refusal.ts'
import { report } from '../cli/render/report.ts'
import { EXIT } from '../model/exit-code.ts'
import { followedAnswer } from './answers.ts'
import { followDecided, UpdateRecords } from './audit-lines.ts'
import { addFollowed, channelAsked } from './followed-list.ts'
import { listToChange, SYSTEM_OPTION } from './followed-options.ts'
import { outcomeLine } from './render-followed.ts'
import { tookAll, updateAll } from './update-all.ts'

export const command = defineCommand({
  name: 'trust follow',
  summary: 'take the trust policy that a channel publishes, from now on',
  positionals: [
    {
      name: 'channel',
      required: true,
      describe: 'oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag',
      complete: 'none',
    },
  ],
  options: {
    root: {
      type: 'string',
      placeholder: 'blake3:HEX',
      required: true,
      describe: 'the digest of one of its roots, which a person who publishes it gave you',
    },
    name: {
      type: 'string',
      placeholder: 'NAME',
      describe: 'what to call it here; the last part of its reference',
    },
    ...SYSTEM_OPTION,
    ...AUDIT_OPTION,
  },
  examples: [
    ['rlp trust follow oci://registry.example/trust/house --root blake3:…', 'for you'],
    [
      'rlp trust follow oci://registry.example/trust/house --root blake3:… --system',
      'for everybody on this host',
    ],
  ],
  notes:
    'Its policy applies beside the system’s and yours: a bundle has to pass all of them. From now on every verdict is indeterminate while the channel is not there, or has ended. Get the digest from a person, not from the registry: rlp channel status prints it where the channel is published.',
  async run(args, io) {
    const channel = channelAsked(args, io.cwd)
    const { name } = channel
    const places = listToChange(args)
    const audit = await auditIn(args, io)
    const isAdded = await addFollowed(channel, places, io.signal, () =>
      audit?.record(followDecided('follow', channel)),
    )
    const updating = { ...reachIn(io, args), now: new Date(), dryRun: false }
    const records = new UpdateRecords(audit)
    const outcomes = await updateAll([{ channel, places }], updating, one => records.record(one))
    const { lost } = records
    const isGood = outcomes.every(tookAll)
    const tool = 'trust.follow'
    const answer = followedAnswer(outcomes, places, isAdded)
    if (lost === undefined || !args.json)
      report(io, args, {
        tool,
        result: answer,
        warnings: answer.warnings,
        quiet: isGood ? [] : undefined,
        text: () => {
          const first = isAdded ? `followed, and written down in ${answer.list}` : 'followed already'
          const lines = [`${name}: ${first}`, ...outcomes.map(one => outcomeLine(one, io.color))]
          if (!isGood)
            lines.push(
              `Until an update succeeds, every verdict here is indeterminate. rlp trust unfollow ${name} takes it back`,
            )
          return `${lines.join('\n')}\n`
        },
      })
    if (lost !== undefined) return refuseUnrecorded(lost, { tool, extra: { ...answer } }, args, io)
    return isGood ? EXIT.ok : EXIT.machine
  },
})
