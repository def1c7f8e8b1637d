// rlp lock remove: agents out of rlp.lock.
import { SYMBOLS } from '../../cli/render/style.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed, texts } from '../../verb/index.ts'
import { dryRun, lock } from '../inputs.ts'
import { type LockRemoved, removeLocked } from '../lock-file.ts'

/**
 * Takes agents out of a lock: all of them, or none.
 *
 * @example
 * await lockRemove(['mailer'], { lock: 'deploy/rlp.lock' })
 *
 * @throws {@link RlpError} `NOT_FOUND` for a missing lock or an agent that it has not, `LOCK_UNUSABLE`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'lock remove',
  summary: 'take agents out of rlp.lock',
  arguments: ['agents'],
  inputs: {
    agents: needed(texts('agents of the lock', { flag: 'agent', complete: 'none', lists: ['locked'] })),
    lock,
    /** Write nothing: fail where it would fail. */
    dryRun: dryRun('say what would be taken out'),
  },
  run: ({ agents, lock, dryRun }, { signal }): Promise<LockRemoved> =>
    removeLocked(agents, lock, { signal, dryRun }),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp lock remove mailer', 'it is not deployed any more'],
    ['rlp lock remove mailer --json', 'for a program'],
  ],
  notes: 'All of them, or none. What is installed stays: rlp agent uninstall removes it.',
  quiet: ({ agents }, { asked }) => (asked.dryRun ? undefined : agents),
  text: ({ agents }, { asked: { lock, dryRun }, style }) =>
    agents
      .map(agent => `${agent} ${dryRun ? 'would be ' : ''}removed from ${lock.label}`)
      .map(line => `${style.green(SYMBOLS.ok)} ${printable(line)}\n`)
      .join(''),
})
