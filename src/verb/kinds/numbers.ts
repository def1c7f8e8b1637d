// Inputs that are numbers: how many, and how long.
import { UsageError } from '../../model/error.ts'
import { quoted } from '../../text/printable.ts'
import { DURATION_FORM, secondsIn } from '../../text/time.ts'
import type { At, Input } from '../input.ts'
import { checked, type Facts } from './words.ts'

/** A number of signers or the like: whole, 1 or more. @param says what the number says, for the message */
export function count(
  describe: string,
  says: string,
  facts: Facts<'string'> = {},
): Input<number, number | undefined> {
  return {
    type: 'number',
    typed: { placeholder: 'N', ...facts, type: 'string', describe },
    fromTyped: (typed: string, { spelt, field }: At) => {
      if (/^[1-9][0-9]{0,3}$/.test(typed)) return Number(typed)
      throw new UsageError(`Cannot use ${spelt} ${quoted(typed)}: it says ${says}`, {
        field,
        hint: `Write ${spelt} 2`,
      })
    },
    fromGiven: checked(isCount, 'a whole number, 1 or more'),
  }
}

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
    fromGiven: checked(isDuration, `a whole number of seconds, from 1 to ${LONGEST}`),
  }
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

/** As long as can be typed: no calendar has a time that is much later. */
const LONGEST = 999_999 * 86_400

export function isDuration(value: unknown): value is number {
  return isCount(value) && value <= LONGEST
}
