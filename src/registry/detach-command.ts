// rlp agent detach: removes signatures and statements that are attached to a stored bundle.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { askForYes, mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { reachIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { absolute } from '../io/layout-folder.ts'
import { noReference } from '../io/reference.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { printable } from '../text/printable.ts'
import { plural } from '../text/words.ts'
import { type AttachedFacts, type Detached, type DetachedOne, detach, refuseUnsaid } from './detach.ts'

const OPTIONS = {
  type: {
    type: 'string',
    placeholder: 'URI',
    describe: 'remove statements of this type; urn:runloop:agent-bundle:v1 is that of signatures',
  },
  by: { type: 'string', placeholder: 'KEY', describe: 'remove what this key alone has signed' },
  digest: {
    type: 'strings',
    placeholder: 'SHA256',
    describe: 'remove these, as rlp agent inspect names them, in place of --type and --by',
  },
  all: { type: 'boolean', describe: 'remove what others have signed, too' },
  'dry-run': { type: 'boolean', describe: 'list what would be removed, and remove nothing' },
  yes: { type: 'boolean', alias: 'y', describe: 'without being asked' },
} as const satisfies OptionTable

const STORED = {
  name: 'stored',
  required: true,
  lists: ['reference'],
  describe: 'the reference of a stored bundle: oci://… or oci-layout:…',
} as const satisfies Positional

type DetachArgs = CommandArgs<typeof OPTIONS, readonly [typeof STORED]>

export const command = defineCommand({
  name: 'agent detach',
  summary: 'remove signatures and statements beside a stored bundle',
  positionals: [STORED],
  options: OPTIONS,
  examples: [
    [
      'rlp agent detach oci-layout:store:0.1.0 --type https://slsa.dev/provenance/v1 --by ci --dry-run',
      'the provenance of one key, and what would be removed',
    ],
    [
      'rlp agent detach oci-layout:store:0.1.0 --by old --dry-run',
      'what an old key has signed, and what would be removed',
    ],
  ],
  notes:
    'The bundle and its digest stay. What is named is listed, and a person is asked. It is removed only if it is attached to this very bundle, its signature holds, and no tag names it. What several keys have signed stays unless --all says so. A keyless signature or statement is named by its digest: only a trust policy can tell whose it is.\n\nThe list at the tag sha256-<hex> is corrected first, then the manifest is deleted. Many registries forbid that: then the exit code is 3, and docs/registries.md says what to do.',
  run: (args, io) => runDetach(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runDetach(args: DetachArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const { stored, type, by, digest, all, dryRun } = args
  if (!isOciReference(stored))
    throw noReference(stored, {
      message: `Cannot detach from "${stored}": it is no reference`,
      field: 'stored',
      hint: 'Write oci://HOST/REPOSITORY:TAG or oci-layout:FOLDER:TAG. Statements of a file are lines of <bundle>.intoto.jsonl',
    })
  refuseUnsaid({ type, by, digests: digest, all }, `detach from "${stored}"`)
  if (!dryRun && !args.yes && !mayAsk(io, { json: args.json, nonInteractive: false }))
    throw new RlpError('NEEDS_ANSWER', `Cannot detach from "${stored}": no person can be asked`, {
      hint: 'Look with --dry-run, then add --yes',
    })
  const target = { path: absolute(stored, io.cwd), label: stored }
  const result = await detach(target, {
    ...reachIn(io, args),
    type,
    digests: digest,
    all,
    dryRun,
    by: by === undefined ? undefined : await anchorsBy(io)(by),
    approve: dryRun || args.yes ? undefined : found => confirm(found, stored, io, open),
  })
  const { left, incomplete } = result
  report(io, args, {
    tool: 'agent.detach',
    warnings: [
      ...left.map(({ digest, why }) => `${digest} stays: ${why}`),
      ...(incomplete === null ? [] : [`not all that is attached was looked at: ${incomplete}`]),
    ],
    result,
    quiet: dryRun ? undefined : result.detached.map(one => one.digest),
    text: () => rendered(result, dryRun, createStyle(io.color)),
  })
  return EXIT.ok
}

async function confirm(
  found: readonly AttachedFacts[],
  stored: string,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `detach from "${stored}"`
  const prompter = await open(doing, io)
  prompter.note(
    found.map(lineOf).join('\n'),
    `${plural(found.length, 'thing')} attached to ${printable(stored)}`,
  )
  await askForYes(prompter, 'Remove this?', { doing, otherwise: 'nothing was removed', taken: 'yes alone' })
}

function lineOf({ digest, kind, type, signers }: AttachedFacts): string {
  const by = signers.length === 0 ? '' : ` by ${signers.join(' and ')}`
  return printable(`${whatIs(kind, type)}${by}: ${digest}`)
}

function whatIs(kind: AttachedFacts['kind'], type: string | null): string {
  if (kind === 'keyless') return 'keyless, not checked here'
  if (type === null) return `${kind}, not signed by a key that it names`
  return kind === 'signature' ? kind : predicateWord(type)
}

function rendered({ from, detached }: Detached, dryRun: boolean, style: Style): string {
  const kept = (one: DetachedOne) =>
    one.deleted || dryRun
      ? ''
      : '; the registry forbids deletion (405) and keeps its bytes, which nothing lists any more'
  const verb = dryRun ? 'would be removed from' : 'removed from'
  return [
    `${style.green(SYMBOLS.ok)} ${plural(detached.length, 'thing')} ${verb} ${printable(from)}`,
    ...detached.map(one => `  ${lineOf(one)}${kept(one)}`),
    '',
  ].join('\n')
}
