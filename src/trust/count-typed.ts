// A number of signers as typed.

import { UsageError } from '../model/usage-error.ts'
import { quoted } from '../text/printable.ts'

/** @param flag without its dashes */
export function countTyped(flag: string, text: string): number {
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  const seen = text === '' ? `without --${flag}` : `--${flag} ${quoted(text)}`
  throw new UsageError(`Cannot use ${seen}: it says how many different signers are needed`, {
    field: flag,
    hint: `Write --${flag} 2`,
  })
}
