// The options that every command has.
import type { OptionTable } from './option.ts'

export const GLOBAL_OPTIONS = {
  json: { type: 'boolean', describe: 'print one line of JSON: the tool contract’s envelope' },
  quiet: { type: 'boolean', alias: 'q', describe: 'print results and errors only' },
  color: {
    type: 'boolean',
    negatable: true,
    describe: 'colour, also where there is no terminal; --no-color for none',
  },
  help: { type: 'boolean', alias: 'h', describe: 'show this help' },
} as const satisfies OptionTable

/** Tokens before `--`: the only ones that can be options. */
export function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? argv : argv.slice(0, end)
}

/**
 * Whether a global switch is asked for, without parsing. Exact: a value never begins with a dash, so these tokens can be
 * nothing else.
 */
export function asksFor(argv: readonly string[], ...spellings: readonly string[]): boolean {
  return beforeDashes(argv).some(
    token => spellings.includes(token) || spellings.includes(token.replace(/=true$/, '')),
  )
}
