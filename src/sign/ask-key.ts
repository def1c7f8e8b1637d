// Asks for what a command needs to use a key. Passphrases come from RLP_KEY_PASSPHRASE or are asked for on a terminal, never from an
// option, which other users could read.
import type { Io } from '../cli/command.ts'
import { openSecretPrompt } from '../cli/interactive.ts'
import { RlpError } from '../model/error.ts'
import type { KeyQuery } from './signers/kind.ts'

/** The world in which a command finds the key that its user names. */
export function keyQuery(which: string, io: Io): KeyQuery {
  const { cwd, env, stdin, signal } = io
  return { which, cwd, env, stdin, signal, ask: askPassphrase(io) }
}

/** Asks for the passphrase of an existing key. */
export function askPassphrase(io: Io): (which: string) => Promise<string> {
  return async which => {
    const { readSecret } = await openPrompt(io, `use the key "${which}"`)
    return readSecret(`Passphrase of ${which}`)
  }
}

/** A passphrase for a new key, asked for twice. */
export async function newPassphrase(io: Io, name: string, doing: 'generate' | 'import'): Promise<string> {
  const given = io.env['RLP_KEY_PASSPHRASE']
  const problem = given ? tooShort(given) : undefined
  if (problem !== undefined)
    throw new RlpError('USAGE', `Cannot ${doing} the key "${name}": RLP_KEY_PASSPHRASE is too short`, {
      hint: `${problem}: a person who has the file tries short ones within hours`,
    })
  if (given) return given
  const { readSecret } = await openPrompt(io, `${doing} the key "${name}"`)
  for (;;) {
    const first = await readSecret(`Passphrase for ${name}`, tooShort)
    const second = await readSecret('The same again')
    if (first === second) return first
    io.stderr('The two differ: type both again\n')
  }
}

/** The same for a typed one and for one from the environment. */
function tooShort(text: string): string | undefined {
  return text.length < LEAST ? `At least ${LEAST} characters` : undefined
}

const LEAST = 8

function openPrompt(io: Io, doing: string) {
  return openSecretPrompt(io, { doing, what: 'passphrase', hint: 'Set RLP_KEY_PASSPHRASE' })
}
