// rlp lock list: what rlp.lock pins. No bundle is read.
import { commandOf, defineVerb } from '../../verb/index.ts'
import { lock } from '../inputs.ts'
import { type LockListed, listLocked } from '../locked-entry.ts'
import { renderList } from '../render-lock.ts'

/**
 * What a lock pins. No bundle is read.
 *
 * @example
 * const { agents } = await lockList()
 * for (const { agent, version, caps } of agents) console.log(agent, version, caps)
 *
 * @throws {@link RlpError} as {@link lockCheck}
 */
export const verb = defineVerb({
  name: 'lock list',
  summary: 'show what rlp.lock pins',
  inputs: { lock },
  run: ({ lock }): Promise<LockListed> => listLocked(lock),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp lock list', 'every agent, with what it may do'],
    ['rlp lock list --json', 'for a program'],
  ],
  notes: 'Reads the lock alone. rlp lock check looks at the bundles.',
  text: (listed, { style }) => renderList(listed, style),
})
