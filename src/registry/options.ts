// The options of commands that log in to registries.
import type { Io } from '../cli/command.ts'
import type { OptionTable } from '../cli/option.ts'
import { accessIn } from '../cli/registry-access.ts'
import type { Listening } from '../cli/render/report.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { UsageError } from '../model/usage-error.ts'
import { accessGiven } from '../verify/login-given.ts'

export const LOGIN_OPTIONS = {
  username: {
    type: 'string',
    placeholder: 'NAME',
    describe: 'log in to the registry by this name, in place of what docker or podman know',
  },
  'password-stdin': { type: 'boolean', describe: 'read the password for --username from standard input' },
} as const satisfies OptionTable

const MOST_BYTES = 64 * 1024

/** Reads the password, if there is one to read. @throws UsageError */
export async function accessOf(
  args: Partial<Listening> & { readonly username: string | undefined; readonly passwordStdin: boolean },
  io: Io,
): Promise<RegistryAccess> {
  const { username, passwordStdin } = args
  const reach = accessIn(io, args)
  if ((username !== undefined) !== passwordStdin) {
    throw new UsageError('Cannot log in: --username and --password-stdin belong together', {
      field: username === undefined ? 'username' : 'password-stdin',
      hint: 'Give both, or log in with docker login or podman login',
    })
  }
  if (username === undefined) return reach
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of io.stdin()) {
    size += chunk.length
    if (size > MOST_BYTES) {
      throw new UsageError('Cannot use the password from standard input: it is too long', {
        field: 'password-stdin',
        hint: 'Send exactly the password or token',
      })
    }
    chunks.push(Uint8Array.from(chunk))
  }
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return { ...reach, ...accessGiven({ login: { username, password } }, io.env) }
}
