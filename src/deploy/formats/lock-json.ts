// What became of each agent of a lock, as the tool contract's envelope.
import { success } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { countsOf } from '../../format/text/counts.ts'
import { printableJson } from '../../format/text/printable.ts'
import { EXIT } from '../../model/exit-code.ts'
import { LOCK_ANSWERS } from '../lock-check.ts'
import type { LockFormat } from './lock-format.ts'

export const LOCK_CHECK = 'lock.check'

export const lockJson = {
  name: 'json',
  render({ lock, rows, exit }) {
    const counts = Object.fromEntries(countsOf(LOCK_ANSWERS, rows))
    const result = {
      lock: lock.label,
      agents: rows,
      passed: exit === EXIT.ok,
      summary: {
        agents: rows.length,
        same: counts['same'] ?? 0,
        changed: counts['changed'] ?? 0,
        cannotTell: counts['cannot tell'] ?? 0,
      },
    }
    return `${printableJson(serialize(success(LOCK_CHECK, result)))}\n`
  },
} as const satisfies LockFormat
