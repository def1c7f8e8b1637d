// The table of words that completion answers from. The build writes its rows from the declarations of all commands (scripts/list-words.ts), as
// text, because a Tab reads all of it: tabs divide fields, blanks divide what is in a field.
import { OPTION_ROWS, PLACE_ROWS } from '../generated/words.ts'
import type { ListName } from '../option.ts'

/** Words that are read from the disk: names of keys, of agents in `agents/` and of installed bundles, ids of tools, and what a command declares. */
export type DiskList = 'key' | 'agent' | 'bundle' | 'tool' | ListName

/** The values that an option or an argument may have: words, `:` and the name of a list, `:files` and `:folders`. */
type Values = string

export interface TableOption {
  /** With its dashes, and perhaps a letter: `--out -o`. */
  readonly names: string
  readonly describe: string
  /** Undefined for a switch. */
  readonly values: Values | undefined
}

interface TablePlace {
  readonly options: readonly TableOption[]
  /** All arguments behind the last one have its values. */
  readonly places: readonly Values[]
}

/** Returns the rows by their command words: '' is all of rlp, `agent` a group, `agent lint` a command. */
export function readWordTable(): ReadonlyMap<string, TablePlace> {
  const all = OPTION_ROWS.split('\n').map((row): TableOption => {
    const [names = '', describe = '', values] = row.split('\t')
    return { names, describe, values }
  })
  const rows = PLACE_ROWS.split('\n').map((row): [string, TablePlace] => {
    const [words = '', ranges = '', ...places] = row.split('\t')
    const options = ranges.split(' ').flatMap(range => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return all.slice(first, last + 1)
    })
    return [words, { options, places }]
  })
  return new Map(rows)
}
