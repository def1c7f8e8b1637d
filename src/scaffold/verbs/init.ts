// rlp agent init: makes an agent of a folder that exists, around the files that are there.
import { basename, resolve } from 'node:path'
import { askToReplace } from '../../cli/interactive.ts'
import { type Style, SYMBOLS } from '../../cli/render/style.ts'
import type { Target } from '../../io/find/find-agents.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { MANIFEST_FILE } from '../../model/agent.ts'
import { RlpError } from '../../model/error.ts'
import { printable } from '../../text/printable.ts'
import { writePath } from '../../text/shell-words.ts'
import {
  type At,
  commandOf,
  defineVerb,
  type Input,
  needed,
  text,
  type World,
  whether,
} from '../../verb/index.ts'
import { type AskPerson, asking } from '../../verb/kinds/questions.ts'
import { type Initialized, initAgent, type ManifestChange } from '../init-agent.ts'
import { showReplaced } from '../render-agent.ts'

const folder: Input<PathGiven, Target> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    describe: 'the folder; the current one if left out',
    complete: 'dir',
    optional: true,
  },
  absent: ({ cwd }) => ({ path: cwd, label: '.' }),
  fromTyped: (typed: string, { world: { cwd } }: At) => ({ path: resolve(cwd, typed), label: typed }),
  fromGiven: (given, { world }) => targetGiven(given, world, 'make an agent of'),
}

/**
 * Makes an agent of a folder that exists: writes what it lacks, and replaces no file but a manifest.toml that needs digests, with `replace`.
 *
 * @example
 * const { files } = await init('services/mailer', { name: 'mailer' })
 * console.log(files)
 *
 * @throws {@link RlpError} `EXISTS` for a manifest that would be replaced; then nothing was written. `USAGE`, `NOT_FOUND`, `WRONG_FILE_TYPE`,
 * `LINT_FAILED`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent init',
  summary: 'make an agent of a folder that exists; every file of it stays',
  called: 'init',
  arguments: ['folder'],
  inputs: {
    folder: needed(folder),
    /** Name of the agent; the folder's where this is left out. */
    name: text('name of the agent; that of the folder if left out', { placeholder: 'NAME' }),
    /** Write digests into a manifest that is there; otherwise one that needs them is refused. */
    replace: whether('replace what the diff shows, without a question', { flag: 'yes', alias: 'y' }),
    asking,
  },
  async run({ folder, name, replace, asking }, world): Promise<Initialized> {
    const target = folder.label === '.' ? { ...folder, label: basename(folder.path) } : folder
    const confirm = (change: ManifestChange) => agreed(change, target.label, replace, asking, world)
    return initAgent(target, name, confirm, world)
  },
})

async function agreed(
  { before, text }: ManifestChange,
  label: string,
  replace: boolean,
  asking: AskPerson | undefined,
  { terminal }: World,
): Promise<void> {
  if (terminal !== undefined)
    showReplaced([{ path: MANIFEST_FILE, before, text }], label, terminal.args, terminal.io)
  if (replace) return
  if (terminal === undefined)
    throw new RlpError('EXISTS', `Cannot change "${label}": ${MANIFEST_FILE} would be replaced`, {
      hint: 'Pass replace: true, which writes its digests and nothing else of it',
    })
  const doing = `change "${label}"`
  await askToReplace([MANIFEST_FILE], doing, await asking?.(doing))
}

export const command = commandOf(verb, {
  examples: [
    ['rlp agent init', 'around what is in the current folder'],
    ['rlp agent init services/mail --name mailer', 'under another name than the folder’s'],
  ],
  notes:
    'It writes what is missing: manifest.toml with real digests, policy.caps that grants nothing, tools.json without tools, an entry that does nothing, and .bundleignore, which packs nothing of the folder but the files of an agent. Where no package rlp-bundle is found, .schemas/ gets the schemas for your editor.\n\nA file that is there stays. Only a manifest.toml gets digests, after its diff was shown and answered with yes, or with --yes.',
  quiet: () => [],
  text: (done, { asked, style }) => render(asked.folder.label, done, style),
})

function render(label: string, { files, replaced }: Initialized, style: Style): string {
  const lines = files.map(
    path => `    ${printable(path)}${style.dim(replaced.includes(path) ? ' (digests)' : '')}`,
  )
  if (lines.length === 0) return `${style.bold(printable(label))}  nothing is missing\n`
  const at = writePath(label)
  return [
    `${style.green(SYMBOLS.ok)} ${style.bold(printable(label))}`,
    ...lines,
    '',
    'Every other file stays as it is. Next:',
    '',
    ...[`tool add ${at}`, `agent dev ${at}`].map(line => `  ${style.cyan(printable(`rlp ${line}`))}`),
    '',
  ].join('\n')
}
