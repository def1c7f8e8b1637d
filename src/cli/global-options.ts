// The options that every command has.
import type { OptionTable } from './option.ts'

export const GLOBAL_OPTIONS = {
  json: { type: 'boolean', describe: 'print one line of JSON: the tool contract’s envelope' },
  quiet: { type: 'boolean', alias: 'q', describe: 'print results and errors only' },
  color: {
    type: 'boolean',
    negatable: true,
    describe: 'colour, even without a terminal; --no-color for none',
  },
  help: { type: 'boolean', alias: 'h', describe: 'show this help' },
} as const satisfies OptionTable

/** Tokens before `--`: only these can be options. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/** Whether a global switch is present, without parsing. Exact, because a value never begins with a dash. */
export function asksFor(argv: readonly string[], ...spellings: readonly string[]): boolean {
  return beforeDashes(argv).some(
    token => spellings.includes(token) || spellings.includes(token.replace(/=true$/, '')),
  )
}
