// The options of the commands that make a named key, and what they say of it.
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { homeLabel } from '../io/home.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { MadeKey } from './new-key.ts'

export const NEW_KEY_NAME = {
  name: 'name',
  required: true,
  describe: 'what to call it',
  complete: 'none',
} as const satisfies Positional

export const NEW_KEY_OPTIONS = {
  passphrase: {
    type: 'boolean',
    negatable: true,
    default: true,
    describe: 'leave it unencrypted: everybody who gets the file can use it',
  },
} as const satisfies OptionTable

/** Says where a new key is, and what its public half is called. */
export function reportNewKey(made: MadeKey, tool: string, args: GlobalArgs, io: Io): ExitCode {
  const { anchor, path, encrypted } = made
  report(io, args, {
    tool,
    result: made,
    quiet: [anchor],
    text: () => `${createStyle(io.color).green(SYMBOLS.ok)} ${homeLabel(path)}\n${anchor}\n`,
  })
  if (!encrypted) note(io, args, 'The key is not encrypted: everybody who reads the file can sign as you')
  return EXIT.ok
}
