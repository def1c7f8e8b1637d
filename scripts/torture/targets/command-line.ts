// Target: words as a command line, in a folder with an agent and a bundle: the options that a command has with values that they may not.
// It ends with one of the exit codes, and never with ours for "this is a bug" (70).
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REGISTRY } from '../../../src/cli/commands.ts'
import { agentTree, bundleOf, writeTree } from '../../../test/support/agent.ts'
import { run } from '../../../test/support/fake-terminal.ts'
import { installKeys } from '../../../test/support/trust-world.ts'
import { TEXTS } from '../mutate/nasty.ts'
import type { Random } from '../random.ts'
import { demand, type Target } from './target.ts'

const GLOBAL = ['--json', '--quiet', '--help', '-q', '--no-color', '--', '-', '--nonsense'] as const
const NAMES = [
  'mini',
  'mini',
  'm.bundle',
  'm.bundle',
  'nothing',
  '.',
  'mini/manifest.toml',
  'a@b',
  'release',
  'new',
] as const
/** Nothing that leads out of the folder: some of these words are taken as the place to write to. */
const HARMLESS = TEXTS.filter(text => !/[/\\~\0]/.test(text))
/** They would go on, or start something. */
const LEFT_OUT = /^tool (?:serve|call)/

const COMMANDS = await Promise.all(
  REGISTRY.commands
    .filter(({ name }) => !LEFT_OUT.test(name))
    .map(async ({ name, load }) => {
      const { command } = await load()
      const options = Object.entries(command.options).map(([key, option]) => ({
        key,
        isFlag: option.type === 'boolean',
      }))
      return { words: name.split(' '), options, takes: command.positionals?.length ?? 0 }
    }),
)

export const COMMAND_TARGET: Target = {
  name: 'command',
  share: 400,
  make(random: Random) {
    const { words, options, takes } = random.pick(COMMANDS)
    const argv = [...words]
    for (let n = 0; n < takes; n++)
      if (!random.once(8)) argv.push(random.pick(random.pick([NAMES, NAMES, NAMES, HARMLESS])))
    for (let n = random.below(4); n > 0 && options.length > 0; n--) {
      const { key, isFlag } = random.pick(options)
      argv.push(`--${random.once(12) ? 'no-' : ''}${key}`)
      if (isFlag ? random.once(12) : !random.once(12))
        argv.push(random.pick(random.pick([NAMES, ['2', 'json', 'dir', 'env:KEY'], HARMLESS])))
    }
    if (random.once(2)) argv.push(random.pick(GLOBAL))
    return Buffer.from(JSON.stringify(random.once(12) ? random.shuffle(argv) : argv))
  },
  async answer(input, folder) {
    const argv = JSON.parse(Buffer.from(input).toString()) as string[]
    const inner = join(folder, 'cwd')
    mkdirSync(inner)
    writeTree(join(inner, 'mini'), agentTree())
    writeFileSync(join(inner, 'm.bundle'), bundleOf(agentTree()))
    const home = join(folder, 'home')
    installKeys(home)
    process.env['RUNLOOP_HOME'] = home
    const { exit, stdout, stderr } = await run(argv, undefined, { cwd: inner })
    demand(exit !== 70, `${argv.join(' ')}: ${stderr || stdout}`)
    if (argv.includes('--json') && !argv.includes('--') && exit !== 0 && stdout !== '') JSON.parse(stdout)
    return `exit ${exit}`
  },
}
