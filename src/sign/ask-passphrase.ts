// Passphrases: from RLP_KEY_PASSPHRASE, or asked for on a terminal; never from an option, which others could read.

import type { Io } from '../cli/command.ts'
import { RlpError } from '../model/error.ts'

/** Asks for the passphrase of an existing key. */
export function askPassphrase(io: Io): (which: string) => Promise<string> {
  return async which => {
    refuseWithoutTerminal(io, `use the key "${which}"`)
    const { readSecret } = await import('../cli/secret-prompt.ts')
    return readSecret(`Passphrase of ${which}`)
  }
}

/** A passphrase for a new key, asked for twice. */
export async function newPassphrase(io: Io, name: string): Promise<string> {
  const given = io.env['RLP_KEY_PASSPHRASE']
  if (given) return given
  refuseWithoutTerminal(io, `generate the key "${name}"`)
  const { readSecret } = await import('../cli/secret-prompt.ts')
  const first = await readSecret(`Passphrase for ${name}`, text =>
    text.length < 8 ? 'At least 8 characters' : undefined,
  )
  const second = await readSecret('The same again')
  if (first === second) return first
  throw new RlpError('USAGE', `Cannot generate the key "${name}": the two passphrases differ`, {
    hint: 'Run the command again',
  })
}

function refuseWithoutTerminal(io: Io, doing: string): void {
  if (io.isTTY.stdin && io.isTTY.stderr) return
  throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked for the passphrase`, {
    hint: 'Set RLP_KEY_PASSPHRASE',
  })
}
