// rlp agent init: makes an agent of a folder that exists, around the files that are there.
import { basename, resolve } from 'node:path'
import { defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { askToReplace, mayAsk, NON_INTERACTIVE, openTerminal } from '../cli/interactive.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { EXIT } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { type Initialized, initAgent, type ManifestChange } from './init-agent.ts'
import { showReplaced } from './render-agent.ts'

export const command = defineCommand({
  name: 'agent init',
  summary: 'make an agent of a folder that exists; every file of it stays',
  positionals: [{ name: 'folder', describe: 'the folder; the current one if left out', complete: 'dir' }],
  options: {
    name: {
      type: 'string',
      placeholder: 'NAME',
      describe: 'name of the agent; that of the folder if left out',
    },
    yes: { type: 'boolean', alias: 'y', describe: 'replace what the diff shows, without a question' },
    'non-interactive': NON_INTERACTIVE,
  },
  examples: [
    ['rlp agent init', 'around what is in the current folder'],
    ['rlp agent init services/mail --name mailer', 'under another name than the folder’s'],
  ],
  notes:
    'It writes what is missing: manifest.toml with real digests, policy.caps that grants nothing, tools.json without tools, an entry that does nothing, and .bundleignore, which packs nothing of the folder but the files of an agent. Where no package rlp-bundle is found, .schemas/ gets the schemas for your editor.\n\nA file that is there stays. Only a manifest.toml gets digests, after its diff was shown and answered with yes, or with --yes.',
  async run(args, io) {
    const label = args.folder ?? '.'
    const path = resolve(io.cwd, label)
    const target = { path, label: label === '.' ? basename(path) : label }
    const done = await initAgent(target, args.name, change => confirm(change, target.label, args, io), io)
    report(io, args, {
      tool: 'agent.init',
      result: done,
      text: () => render(label, done, args.quiet, io),
    })
    return EXIT.ok
  },
})

async function confirm(
  { before, text }: ManifestChange,
  label: string,
  args: GlobalArgs & { readonly yes: boolean; readonly nonInteractive: boolean },
  io: Io,
): Promise<void> {
  showReplaced([{ path: MANIFEST_FILE, before, text }], label, args, io)
  if (args.yes) return
  const doing = `change "${label}"`
  const prompter = mayAsk(io, args) ? await openTerminal(doing, io) : undefined
  await askToReplace([MANIFEST_FILE], doing, prompter)
}

function render(label: string, { files, replaced }: Initialized, quiet: boolean, io: Io): string {
  const style = createStyle(io.color)
  const lines = files.map(
    path => `    ${printable(path)}${style.dim(replaced.includes(path) ? ' (digests)' : '')}`,
  )
  if (quiet) return ''
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
