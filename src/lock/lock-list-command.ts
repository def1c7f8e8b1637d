// rlp lock list: what rlp.lock pins. No bundle is read.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { createStyle } from '../cli/render/style.ts'
import { EXIT } from '../model/exit-code.ts'
import { listLocked } from './locked-entry.ts'
import { LOCK_OPTION, lockPlace } from './options.ts'
import { renderList } from './render-lock.ts'

export const command = defineCommand({
  name: 'lock list',
  summary: 'show what rlp.lock pins',
  options: { lock: LOCK_OPTION },
  examples: [
    ['rlp lock list', 'every agent, with what it may do'],
    ['rlp lock list --json', 'for a program'],
  ],
  notes: 'Reads the lock alone. rlp lock check looks at the bundles.',
  async run(args, io) {
    const result = await listLocked(lockPlace(args, io))
    report(io, args, {
      tool: 'lock.list',
      result,
      text: () => renderList(result, createStyle(io.color)),
    })
    return EXIT.ok
  },
})
