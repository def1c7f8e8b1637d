// rlp lock remove: agents out of rlp.lock.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { removeLocked } from './lock-file.ts'
import { LOCK_OPTION, lockPlace } from './options.ts'

export const command = defineCommand({
  name: 'lock remove',
  summary: 'take agents out of rlp.lock',
  positionals: [
    {
      name: 'agent',
      required: true,
      many: true,
      complete: 'none',
      lists: ['locked'],
      describe: 'agents of the lock',
    },
  ],
  options: {
    lock: LOCK_OPTION,
    'dry-run': { type: 'boolean', describe: 'write nothing: say what would be taken out' },
  },
  examples: [
    ['rlp lock remove mailer', 'it is not deployed any more'],
    ['rlp lock remove mailer --json', 'for a program'],
  ],
  notes: 'All of them, or none. What is installed stays: rlp agent uninstall removes it.',
  async run(args, io) {
    const place = lockPlace(args, io)
    const result = await removeLocked(args.agent, place, { signal: io.signal, dryRun: args.dryRun })
    report(io, args, {
      tool: 'lock.remove',
      result,
      quiet: args.dryRun ? undefined : result.agents,
      text: () => {
        const { green } = createStyle(io.color)
        return result.agents
          .map(
            agent =>
              `${green(SYMBOLS.ok)} ${printable(`${agent} ${args.dryRun ? 'would be ' : ''}removed from ${place.label}`)}\n`,
          )
          .join('')
      },
    })
    return EXIT.ok
  },
})
