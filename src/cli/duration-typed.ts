// How long something lasts, as typed after an option: `90d`.

import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import { DURATION_FORM, secondsIn } from '../text/time.ts'

/** In seconds. @param flag without its dashes */
export function durationTyped(flag: string, text: string): number {
  const seconds = secondsIn(text)
  if (seconds !== undefined) return seconds
  throw new UsageError(`Cannot use --${flag} ${quoted(text)}: it is not ${DURATION_FORM}`, {
    field: flag,
    hint: `Write for example --${flag} 12h`,
  })
}
