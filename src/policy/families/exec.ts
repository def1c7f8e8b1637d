// exec: programs of the host, by their absolute path.
import { quoteText } from '../../text/quote.ts'
import { programIn } from '../../tools/command-oddities.ts'
import { isProgramPath } from '../program-path.ts'
import { PLAIN_ENTRIES } from './entry-lists.ts'
import { namedFamily } from './names.ts'

export const exec = namedFamily('exec', 'exec', {
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
    plain: programIn,
  },
  denial: 'cap_missing',
  example: '<absolute path of the program>',
  ceiling: { field: 'allow_exec', secretPlace: scope => scope ?? '' },
  words: {
    may: scope => (scope === undefined ? 'may run every program' : `may run ${scope}`),
    whole: undefined,
    each: undefined,
    power: 'program',
    reach: 'run programs',
    broad: { does: 'start every program', fix: 'Name the programs, for example exec = ["/usr/bin/jq"]' },
    synonyms: 'command commands program programs process processes shell run bin binary cmd executable',
  },
  imports: { runloop: ['exec_spawn', 'exec_spawn_capture'], wasi: /^proc_(?:exec|spawn|fork)/ },
})
