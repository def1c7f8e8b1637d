// The options about registries → the outside world of the command with what they say. The password is the first line of standard input; what
// is behind it is left to the command, which may have another use for it. Or it is asked for on a terminal.
import { printable } from '../format/text/printable.ts'
import { accessGiven } from '../io/library/registry-given.ts'
import type { RegistryLogin } from '../model/carried.ts'
import { UsageError } from '../model/usage-error.ts'
import type { Io } from './command.ts'
import type { ArgsOf } from './option.ts'
import type { REGISTRY_OPTIONS } from './registry-access.ts'
import { openSecretPrompt } from './secret-asked.ts'

export type RegistryArgs = Partial<ArgsOf<typeof REGISTRY_OPTIONS, readonly []>>

const MOST_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** @throws UsageError; RlpError NEEDS_ANSWER, CANCELLED */
export async function withRegistries(
  { username, passwordStdin = false, fetchTimeout }: RegistryArgs,
  io: Io,
): Promise<Io> {
  if (username === undefined && passwordStdin)
    throw new UsageError('Cannot log in: --username and --password-stdin belong together', {
      ...{ field: 'password-stdin', hint: 'Say with --username who logs in' },
    })
  const { password, stdin } = passwordStdin ? await passwordFrom(io.stdin()) : { stdin: io.stdin }
  const login =
    username === undefined ? undefined : { username, password: password ?? (await askPassword(username, io)) }
  const { env: _, ...registries } = accessGiven(
    {
      login,
      fetchTimeoutMs: fetchTimeout === undefined ? undefined : fetchTimeout * 1000,
    },
    io.env,
  )
  return { ...io, registries, stdin }
}

/** A name and a password, of the person at the terminal. @throws RlpError NEEDS_ANSWER, CANCELLED */
export async function askLogin(io: Io): Promise<RegistryLogin> {
  const { readName } = await openPrompt(io, 'name and password')
  const username = await readName('Name', text =>
    text === '' || /[:\p{Cc}]/u.test(text) ? 'A name has no colon' : undefined,
  )
  return { username, password: await askPassword(username, io) }
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

async function passwordFrom(
  chunks: AsyncIterable<Uint8Array>,
): Promise<Pick<Io, 'stdin'> & { password: string }> {
  const source = chunks[Symbol.asyncIterator]()
  let line = new Uint8Array()
  let rest: Uint8Array | undefined
  while (rest === undefined) {
    const { done, value } = await source.next()
    if (done === true) break
    const end = value.indexOf(NEWLINE)
    line = Buffer.concat([line, end < 0 ? value : value.subarray(0, end)])
    if (end >= 0) rest = Uint8Array.from(value.subarray(end + 1))
    if (line.length > MOST_BYTES)
      throw new UsageError('Cannot use the password from standard input: it is too long', {
        field: 'password-stdin',
        hint: 'Send exactly the password or token',
      })
  }
  const before = rest
  const stdin = async function* () {
    if (before !== undefined && before.length > 0) yield before
    for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value
  }
  return { password: Buffer.from(line).toString('utf8').replace(/\r$/, ''), stdin }
}
