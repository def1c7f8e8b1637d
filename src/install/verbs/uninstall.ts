// rlp agent uninstall: removes an installed bundle and its folder. Its high-water mark stays.
import { askForYes, mayAsk } from '../../cli/interactive.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import { rootFor } from '../../io/root/roots.ts'
import { RlpError } from '../../model/error.ts'
import { printable } from '../../text/printable.ts'
import { commandOf, defineVerb, needed, text, typedOnly, type World, whether } from '../../verb/index.ts'
import { home, path } from '../../verb/kinds/paths.ts'
import { ROOT_OPTION } from '../../verify/judging-options.ts'
import { agentNamed, type Uninstalled, uninstallAgent } from '../uninstall.ts'

/**
 * Removes an installed bundle and the folder that was unpacked from it. Which version was trusted here stays known: an older one is refused
 * as before. Nothing is asked.
 *
 * @param agent `name` or `name@variant`
 *
 * @example
 * const { bundle } = await uninstall('mailer', { root: '/srv/agents' })
 * console.log(bundle)
 *
 * @throws {@link RlpError} `NOT_FOUND` if it is not there, `USAGE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent uninstall',
  summary: 'remove an installed agent',
  called: 'uninstall',
  arguments: ['agent'],
  inputs: {
    agent: needed(text('name or name@variant', { flag: 'name', complete: 'none' })),
    /** Where agents are installed; the folder `agents` of `home` where this is left out. */
    root: path(ROOT_OPTION.describe, { placeholder: 'DIR' }),
    /** Where it is remembered what is installed; `$RUNLOOP_HOME` or `~/.runloop`. */
    home,
    yes: typedOnly(whether('without being asked', { alias: 'y' })),
  },
  async run({ agent: named, home, yes, ...asked }, { cwd, signal, terminal }): Promise<Removed> {
    const agent = agentNamed(named)
    const root = await rootFor(asked.root, cwd, home)
    const beforeRemoving = async () => {
      if (terminal !== undefined && !yes)
        await confirm(`uninstall ${agent}`, `Remove ${agent} from ${root.label}?`, terminal)
    }
    return { ...(await uninstallAgent(agent, { root, home, signal, beforeRemoving })), from: root.label }
  },
  answer: ({ from, ...uninstalled }): Uninstalled => uninstalled,
})

interface Removed extends Uninstalled {
  /** The name of the root in messages. */
  readonly from: string
}

async function confirm(
  doing: string,
  question: string,
  { args, io, open }: NonNullable<World['terminal']>,
): Promise<void> {
  if (!mayAsk(io, { json: args.json, nonInteractive: false }))
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked`, { hint: 'Add --yes' })
  await askForYes(await open(doing, io), question, { doing, otherwise: 'nothing was removed' })
}

export const command = commandOf(verb, {
  examples: [
    ['rlp agent uninstall mailer', 'asks first'],
    ['rlp agent uninstall mailer@pro --root /srv/agents --yes', 'in a pipeline'],
  ],
  notes:
    'Which version was trusted here, and who signed it, stays known: an older one is refused as before. rlp trust reset forgets that.',
  quiet: ({ agent }) => [agent],
  text: ({ agent, from }, { style }) =>
    `${style.green(SYMBOLS.ok)} ${agent} removed from ${printable(from)}\n`,
})
