// Checks a number of signers or days, as a person types it and as a caller of the library gives it.

import { UsageError } from '../model/error.ts'
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

/** Types are gone at run time. @throws UsageError */
export function refuseNoCount(field: string, count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return
  throw new UsageError(`Cannot use ${field}: it is no whole number, 1 or more`, { field })
}
