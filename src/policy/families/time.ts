// time: the clock.
import { switchOf } from './switch.ts'

export const time = switchOf('time', 'time', {
  may: 'may read the clock',
  whole: 'reads the clock',
  synonyms: 'clock date',
  secretPlace: undefined,
  imports: { runloop: ['time_now'], wasi: /^clock_/ },
})
