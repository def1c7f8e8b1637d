// rlp login: a name and a password for a registry, checked, and kept where docker keeps them.
import { defineCommand } from '../cli/command.ts'
import { reachIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { homeLabel } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { hostPortOf } from '../oci/reference.ts'
import { printable } from '../text/printable.ts'
import { askLogin } from './ask-login.ts'
import { logIn } from './login.ts'
import { registryHost } from './registry-host.ts'

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
