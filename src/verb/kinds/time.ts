// Inputs that are times: the one that a verb counts from, for which a command takes the clock's, and how long something lasts.
import { isDate } from 'node:util/types'
import { UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'
import { DURATION_FORM, secondsIn } from '../../text/time.ts'
import type { At, Input } from '../input.ts'
import { checked, type Facts, isCount } from './words.ts'

const givenDate = checked(
  (given): given is Date => isDate(given) && !Number.isNaN(given.getTime()),
  'a valid Date',
)

export const now: Input<Date, Date | undefined> = { type: 'Date', fromGiven: givenDate }

/** The moment at which it is done; now where this is left out. */
export const moment: Input<Date, Date> = { type: 'Date', absent: () => new Date(), fromGiven: givenDate }

/** A time from now on, in seconds; typed as 90d or 12h. */
export function duration(describe: string, facts: Facts<'string'> = {}): Input<number, number | undefined> {
  return {
    type: 'number',
    typed: { placeholder: 'TIME', ...facts, type: 'string', describe },
    fromTyped: (typed: string, { spelt, field }: At) => {
      const seconds = secondsIn(typed)
      if (seconds !== undefined) return seconds
      throw new UsageError(`Cannot use ${spelt} ${quoted(typed)}: it is not ${DURATION_FORM}`, {
        field,
        hint: `Write for example ${spelt} 12h`,
      })
    },
    fromGiven: checked(isCount, 'a whole number of seconds, 1 or more'),
  }
}
