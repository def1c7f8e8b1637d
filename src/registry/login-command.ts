// rlp login: a name and a password for a registry, checked, and kept where docker keeps them. The password is the first line of standard
// input, or it is asked for on a terminal.
import { defineCommand, type Io } from '../cli/command.ts'
import { openSecretPrompt } from '../cli/interactive.ts'
import { reachIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { homeLabel } from '../io/home.ts'
import type { RegistryLogin } from '../model/carried.ts'
import { UsageError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import { hostPortOf } from '../oci/reference.ts'
import { printable } from '../text/printable.ts'
import { logIn, registryHost } from './login.ts'

export const command = defineCommand({
  name: 'login',
  summary: 'log in to a registry, for every command after it',
  positionals: [
    { name: 'host', required: true, complete: 'none', describe: 'a registry, as registry.example:5000' },
  ],
  options: {
    username: {
      type: 'string',
      placeholder: 'NAME',
      describe: 'who logs in; asked for on a terminal if left out',
    },
    'password-stdin': {
      type: 'boolean',
      describe: 'read the password from the first line of standard input, in place of asking for it',
    },
  },
  examples: [
    ['rlp login registry.example', 'asks for name and password'],
    ['rlp login registry.example --username ci --password-stdin < token', 'in a pipeline'],
  ],
  notes:
    'The registry is asked first whether it takes them. They are kept where docker login keeps them, so that docker, podman, skopeo and oras find them too: with the credential helper that docker’s config.json names, else in that file, as it is and for its user alone. rlp logout takes them away.',
  async run(args, io) {
    const host = registryHost(args.host, 'log in at')
    const login = await askLogin(args, io)
    const { kept, changed, checked, hiddenBy } = await logIn(host, login, reachIn(io, args))
    const named = hostPortOf(host)
    const { path, helper } = kept
    const { username } = login
    report(io, args, {
      tool: 'login',
      result: { registry: named, username, changed, checked, file: path, helper, hiddenBy },
      quiet: [],
      text: () => {
        const { green, dim } = createStyle(io.color)
        const where =
          helper === undefined
            ? `kept in ${homeLabel(path)}, as it is: the password is readable there`
            : `kept by the credential helper ${helper}`
        return `${green(SYMBOLS.ok)} ${printable(`logged in at ${named} as ${username}`)}\n${dim(`  ${printable(where)}`)}\n`
      },
    })
    if (!checked) note(io, args, `${named} did not ask who you are, so the password was not checked`)
    if (hiddenBy !== undefined)
      note(
        io,
        args,
        `${homeLabel(hiddenBy)} has another login for ${named}, which goes first: podman logout ${named} takes it away`,
      )
    return EXIT.ok
  },
})

const MOST_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * @throws UsageError for what no registry can be sent
 * @throws RlpError NEEDS_ANSWER where no person can be asked, CANCELLED
 */
async function askLogin(
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
