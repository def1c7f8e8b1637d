// The moment that a verb counts from. A command takes the clock's.
import { isDate } from 'node:util/types'
import type { Input } from '../input.ts'
import { checked } from './words.ts'

const givenDate = checked(
  (given): given is Date => isDate(given) && !Number.isNaN(given.getTime()),
  'a valid Date',
)

export const now: Input<Date, Date | undefined> = { type: 'Date', fromGiven: givenDate }

/** The moment at which it is done; now where this is left out. */
export const moment: Input<Date, Date> = { type: 'Date', absent: () => new Date(), fromGiven: givenDate }
