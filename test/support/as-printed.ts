// For tests that compare what a command prints with --json with what the function of the library answers.
import { serialize } from '../../src/contract/serialize.ts'
import { asFlags } from '../../src/text/flag-name.ts'

/** Returns a value of the library as a command prints it: as JSON, and with hints that name flags, and not options. */
export function asPrinted(answer: unknown): unknown {
  return JSON.parse(serialize(answer), (name, member) => (name === 'hint' ? asFlags(member) : member))
}
