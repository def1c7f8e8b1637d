// rlp trust unfollow: no longer take the trust policy of a channel.

import { defineCommand, type Io } from '../cli/command.ts'
import { askForYes, mayAsk, openTerminal } from '../cli/interactive.ts'
import { AUDIT_OPTION, auditIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { followDecided } from './audit-lines.ts'
import { listToChange, SYSTEM_OPTION } from './followed-options.ts'
import { unfollow } from './unfollow.ts'

export const command = defineCommand({
  name: 'trust unfollow',
  summary: 'no longer take the trust policy of a channel',
  positionals: [{ name: 'name', required: true, describe: 'as rlp trust status shows it', complete: 'none' }],
  options: {
    yes: { type: 'boolean', alias: 'y', describe: 'without a question' },
    ...SYSTEM_OPTION,
    ...AUDIT_OPTION,
  },
  examples: [['rlp trust unfollow house', 'and forget what is known of it']],
  notes:
    'Its requirements, revocations and floors no longer apply here, and neither do its signers. What is known of it is forgotten, also how far it had got: following it again takes what its place offers then. Which release this user has seen stays known to rlp channel sign and heartbeat.',
  async run(args, io) {
    const places = listToChange(args)
    const audit = await auditIn(args, io)
    const done = await unfollow(args.name, {
      places,
      signal: io.signal,
      mayUnfollow: async lost => {
        if (!args.yes) await ask(args.name, lost, args, io)
      },
      record: channel => audit?.record(followDecided('unfollow', channel)),
    })
    report(io, args, {
      tool: 'trust.unfollow',
      result: done,
      quiet: [args.name],
      text: () => {
        const ok = createStyle(io.color).green(SYMBOLS.ok)
        return [
          `${ok} ${args.name} is no longer followed`,
          ...done.lost.map(line => `  ${printable(line)}`),
          '',
        ].join('\n')
      },
    })
    return EXIT.ok
  },
})

/** @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED unless the answer is yes */
async function ask(
  name: string,
  lost: readonly string[],
  args: { readonly json: boolean },
  io: Io,
): Promise<void> {
  if (!mayAsk(io, { json: args.json, nonInteractive: false }))
    throw new RlpError('NEEDS_ANSWER', `Cannot unfollow ${name}: no person can be asked`, {
      hint: 'Add --yes if that is meant',
    })
  const doing = `unfollow ${name}`
  const prompter = await openTerminal(doing, io)
  prompter.note(lost.join('\n'), `The channel ${name}`)
  await askForYes(prompter, 'No longer follow it?', {
    doing,
    otherwise: 'nothing was changed',
    taken: 'yes alone',
  })
}
