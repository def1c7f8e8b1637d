// The time that a verb counts from. A command takes the clock's.
import { isDate } from 'node:util/types'
import type { Input } from '../input.ts'
import { checked } from './words.ts'

export const now: Input<Date, Date | undefined> = {
  type: 'Date',
  fromGiven: checked(
    (given): given is Date => isDate(given) && !Number.isNaN(given.getTime()),
    'a valid Date',
  ),
}
