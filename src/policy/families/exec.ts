// exec: programs of the host, by their absolute path.
import { quoteText } from '../../text/quote.ts'
import { isProgramPath } from '../program-path.ts'
import { PLAIN_ENTRIES } from './entry-lists.ts'
import type { CapabilityFamily } from './family.ts'
import { namedFamily } from './names.ts'

export const exec: CapabilityFamily<'exec'> = {
  family: 'exec',
  member: 'exec',
  ...namedFamily('exec', 'exec', {
    scope: 'program',
    entries: {
      ...PLAIN_ENTRIES,
      problem(entry) {
        if (isProgramPath(entry)) return undefined
        return {
          message: `${quoteText(entry)} is not the absolute path of a program`,
          fix: 'Write for example /usr/bin/jq',
        }
      },
    },
    denial: 'cap_missing',
    example: '<absolute path of the program>',
    ceiling: { field: 'allow_exec' },
    words: {
      may: scope => (scope === undefined ? 'may run every program' : `may run ${scope}`),
      whole: undefined,
      each: undefined,
      power: 'program',
    },
  }),
}
