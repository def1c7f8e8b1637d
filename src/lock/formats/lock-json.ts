// What became of each agent of a lock, as the tool contract's envelope.
import { success } from '../../contract/envelope.ts'
import { serialize } from '../../contract/serialize.ts'
import { printableJson } from '../../text/printable.ts'
import type { LockFormat } from './lock-format.ts'

export const lockJson = {
  name: 'json',
  render: ({ checked }) => `${printableJson(serialize(success('lock.check', checked)))}\n`,
} as const satisfies LockFormat
