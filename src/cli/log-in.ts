// The options about registries → the outside world of the command with what they say. The password is the first line of standard input; what
// is behind it is left to the command, which may have another use for it.
import { accessGiven } from '../io/library/registry-given.ts'
import { UsageError } from '../model/usage-error.ts'
import type { Io } from './command.ts'
import type { ArgsOf } from './option.ts'
import type { REGISTRY_OPTIONS } from './registry-access.ts'

export type RegistryArgs = Partial<ArgsOf<typeof REGISTRY_OPTIONS, readonly []>>

const MOST_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** @throws UsageError */
export async function withRegistries(
  { username, passwordStdin = false, fetchTimeout }: RegistryArgs,
  io: Io,
): Promise<Io> {
  if ((username !== undefined) !== passwordStdin)
    throw new UsageError('Cannot log in: --username and --password-stdin belong together', {
      field: username === undefined ? 'username' : 'password-stdin',
      hint: 'Give both, or log in with docker login or podman login',
    })
  const { password, stdin } = username === undefined ? { stdin: io.stdin } : await passwordFrom(io.stdin())
  const { env: _, ...registries } = accessGiven(
    {
      ...(username !== undefined && password !== undefined && { login: { username, password } }),
      ...(fetchTimeout !== undefined && { fetchTimeoutMs: fetchTimeout * 1000 }),
    },
    io.env,
  )
  return { ...io, registries, stdin }
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
