// rlp logout: takes away what rlp login or docker login has kept of a registry.
import { defineCommand } from '../cli/command.ts'
import { reachIn } from '../cli/options.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { homeLabel } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { hostPortOf } from '../oci/reference.ts'
import { printable } from '../text/printable.ts'
import { logOut, registryHost } from './login.ts'

export const command = defineCommand({
  name: 'logout',
  summary: 'forget a login to a registry',
  positionals: [
    { name: 'host', required: true, complete: 'none', describe: 'a registry, as registry.example:5000' },
  ],
  options: {},
  examples: [['rlp logout registry.example', 'also what docker login has kept']],
  notes:
    'What podman keeps in a file of its own stays, and is named. The registry itself is not asked: a token that it gave stays valid until it ends.',
  async run(args, io) {
    const host = registryHost(args.host, 'log out of')
    const named = hostPortOf(host)
    const { from, changed, leftIn } = await logOut(host, reachIn(io, args))
    report(io, args, {
      tool: 'logout',
      result: { registry: named, changed, file: from.path, helper: from.helper, leftIn },
      quiet: [],
      text: () => {
        const { green } = createStyle(io.color)
        return changed
          ? `${green(SYMBOLS.ok)} ${printable(`logged out of ${named}`)}\n`
          : `${printable(`no login for ${named} in ${homeLabel(from.path)}`)}\n`
      },
    })
    if (leftIn !== undefined)
      note(
        io,
        args,
        `${homeLabel(leftIn)} still has a login for ${named}: podman logout ${named} takes it away`,
      )
    return EXIT.ok
  },
})
