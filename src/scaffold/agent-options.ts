// The options of `agent scaffold` → answers to the wizard's questions, and the paths to write to.
import { join, resolve } from 'node:path'
import type { CommandArgs, Io } from '../cli/command.ts'
import { NON_INTERACTIVE } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { UsageError } from '../model/error.ts'
import { quoted } from '../text/printable.ts'
import { openingFile } from './scaffold.ts'
import { refuseInAgent, type ScaffoldPlace } from './write-scaffold.ts'

export const SCAFFOLD_OPTIONS = {
  'non-interactive': NON_INTERACTIVE,
  description: {
    type: 'string',
    placeholder: 'TEXT',
    describe: 'what the agent is for, “Agent <name>” if left out',
  },
  model: {
    type: 'string',
    placeholder: 'ID',
    describe: 'the model it uses, null:echo if left out; none for no model',
  },
  'model-secret': { type: 'string', placeholder: 'ID', describe: 'id of the secret that the model needs' },
  'cap-fs': {
    type: 'strings',
    placeholder: 'DIR',
    describe: 'folders it may read, ~/.runloop/artifacts/<name> if left out; - for none',
  },
  'cap-net': {
    type: 'strings',
    placeholder: 'HOST',
    describe: 'hosts it may reach, host or host:port; none if left out',
  },
  'cap-kb-read': {
    type: 'strings',
    placeholder: 'DOMAIN',
    describe: 'knowledge-base domains it may read; none if left out',
  },
  'cap-kb-write': {
    type: 'strings',
    placeholder: 'DOMAIN',
    describe: 'knowledge-base domains it may write; none if left out',
  },
  root: {
    type: 'string',
    placeholder: 'DIR',
    describe: 'folder that gets the agent’s folder',
    default: 'agents',
  },
  opening: {
    type: 'boolean',
    negatable: true,
    describe: 'write an opening too, a YAML file that runs the agent once; not if left out',
  },
  'opening-path': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'where the opening goes, examples/openings/<name>.yaml if left out',
  },
  'opening-goal': {
    type: 'string',
    placeholder: 'TEXT',
    describe: 'what a run of the opening is for, “run the <name> agent” if left out',
  },
  'opening-param': {
    type: 'string',
    placeholder: 'NAME',
    describe: 'the input of the opening, prompt if left out',
  },
  force: {
    type: 'boolean',
    describe: 'write into a folder that is there; shows what it replaces, and asks on a terminal',
  },
  yes: { type: 'boolean', alias: 'y', describe: 'with --force: replace what is shown, without a question' },
  'crates-dir': {
    type: 'refused',
    describe: 'write a Rust crate too',
    instead:
      'No source code is generated: write the agent in any language that compiles to wasm32-wasip1, and put the module at bin/<name>.wasm',
  },
} as const satisfies OptionTable

export const SCAFFOLD_NAME = {
  name: 'name',
  describe: 'name of the agent: lowercase letters, digits and underscores; asked on a terminal if left out',
  complete: 'none',
} as const satisfies Positional

export type ScaffoldArgs = CommandArgs<typeof SCAFFOLD_OPTIONS, readonly [typeof SCAFFOLD_NAME]>

/** With a name, from the command line or from a person. */
export type NamedArgs = ScaffoldArgs & { readonly name: string }

/** @throws UsageError */
export function placeOf(args: NamedArgs, io: Io): ScaffoldPlace {
  const [flag] = openingFlags(args)
  if (args.opening === false && flag !== undefined)
    throw new UsageError(`Cannot use --${flag} with --no-opening`, { field: flag })
  const root = withHome(args.root, io)
  const label = join(root, args.name)
  const opening = withHome(args.openingPath ?? openingFile(args.name), io)
  const path = resolve(io.cwd, label)
  const openingPath = resolve(io.cwd, opening)
  const place = { path, label, openingPath, opening }
  refuseInAgent(place, 'opening-path')
  return place
}

/** Shells leave `--root=~/x` unchanged. */
function withHome(path: string, io: Io): string {
  if (path !== '~' && !path.startsWith('~/')) return path
  const home = io.env['HOME']
  if (home) return join(home, path.slice(1))
  throw new UsageError(`Cannot use ${quoted(path)}: $HOME is not set`, { hint: 'Write the path in full' })
}

/** Answers that need no question. */
export function givenBy(args: ScaffoldArgs): Map<string, string> {
  const given = new Map<string, string>()
  const lists = [
    ['cap-fs', args.capFs],
    ['cap-net', args.capNet],
    ['cap-kb-read', args.capKbRead],
    ['cap-kb-write', args.capKbWrite],
  ] as const
  for (const [id, list] of lists) {
    if (list.length > 0) given.set(id, list.length === 1 && list[0] === '-' ? '' : list.join(','))
  }
  const opening = args.opening ?? (openingFlags(args).length > 0 || undefined)
  if (opening !== undefined) given.set('opening', opening ? 'yes' : 'no')
  if (args.openingGoal !== undefined) given.set('opening-goal', args.openingGoal)
  if (args.openingParam !== undefined) given.set('opening-param', args.openingParam)
  return given
}

/** The options that only an opening has. */
function openingFlags({ openingPath, openingGoal, openingParam }: ScaffoldArgs): string[] {
  const given = { 'opening-path': openingPath, 'opening-goal': openingGoal, 'opening-param': openingParam }
  return Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
}

/** Options that a person may still change; without a person they are the answers. */
export function suggestions({ description, model, modelSecret }: ScaffoldArgs): [string, string][] {
  const all = [
    ['description', description],
    ['model', model],
    ['model-secret', modelSecret],
  ] as const
  return all.flatMap(([id, text]) => (text === undefined ? [] : [[id, text]]))
}
