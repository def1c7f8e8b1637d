// time: the clock.
import type { CapabilityFamily } from './family.ts'
import { switchOf } from './switch.ts'

export const time: CapabilityFamily<'time'> = {
  family: 'time',
  member: 'time',
  ...switchOf('time', 'time', { may: 'may read the clock', whole: 'reads the clock' }),
}
