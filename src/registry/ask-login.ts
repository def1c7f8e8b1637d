// The name and the password that a person or a pipeline gives to `rlp login`. The password is the first line of standard input, or it is asked for
// on a terminal.
import type { Io } from '../cli/command.ts'
import { openSecretPrompt } from '../cli/interactive.ts'
import type { RegistryLogin } from '../model/carried.ts'
import { UsageError } from '../model/error.ts'
import { printable } from '../text/printable.ts'

const MOST_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * @throws UsageError for what no registry can be sent
 * @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED
 */
export async function askLogin(
  { username, passwordStdin }: { readonly username: string | undefined; readonly passwordStdin: boolean },
  io: Io,
): Promise<RegistryLogin> {
  if (username === undefined && passwordStdin)
    throw new UsageError('Cannot log in: --username and --password-stdin belong together', {
      field: 'password-stdin',
      hint: 'Say with --username who logs in',
    })
  const name = username ?? (await askName(io))
  const password = passwordStdin ? await firstLine(io.stdin()) : await askPassword(name, io)
  return usable({ username: name, password })
}

async function askName(io: Io): Promise<string> {
  const { readName } = await openPrompt(io, 'name and password')
  return readName('Name', text =>
    text === '' || /[:\p{Cc}]/u.test(text) ? 'A name has no colon' : undefined,
  )
}

async function askPassword(username: string, io: Io): Promise<string> {
  const { readSecret } = await openPrompt(io, 'password')
  return readSecret(`Password of ${printable(username)}`, text =>
    text === '' ? 'Nothing was typed' : undefined,
  )
}

function openPrompt(io: Io, what: string) {
  const hint = 'Give --username NAME --password-stdin, and the password on standard input'
  return openSecretPrompt(io, { doing: 'log in', what, hint })
}

async function firstLine(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let read = new Uint8Array()
  for await (const chunk of chunks) {
    const end = chunk.indexOf(NEWLINE)
    read = Buffer.concat([read, end < 0 ? chunk : chunk.subarray(0, end)])
    if (read.length > MOST_BYTES)
      throw new UsageError('Cannot use the password from standard input: it is too long', {
        field: 'password-stdin',
        hint: 'Send exactly the password or token',
      })
    if (end >= 0) break
  }
  return Buffer.from(read).toString('utf8').replace(/\r$/, '')
}

function usable({ username, password }: RegistryLogin): RegistryLogin {
  if (password === '') throw unusable('the password is empty')
  if (/[\u0000-\u001f\u007f]/.test(username + password))
    throw unusable('it holds a line break or a control character')
  if (username.includes(':')) throw unusable('a name with a colon cannot be sent')
  return { username, password }
}

/** Does not repeat anything of the login itself. */
function unusable(seen: string): UsageError {
  return new UsageError(`Cannot log in: ${seen}`, { hint: 'Give exactly the name and the password or token' })
}
