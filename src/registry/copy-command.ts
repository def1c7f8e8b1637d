// rlp agent copy: stored bundles into another registry or layout folder.

import { defineCommand } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import { reachIn } from '../cli/options.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { absolute, nearReference } from '../io/layout-folder.ts'
import { noReference } from '../io/reference.ts'
import { EXIT } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import { KEEPS_NOTHING } from './attach.ts'
import { type Copied, copyBundle } from './copy.ts'
import { pushTarget } from './push-target.ts'

export const command = defineCommand({
  name: 'agent copy',
  summary: 'copy stored bundles to another registry, with what was added to them',
  positionals: [
    {
      name: 'stored',
      required: true,
      many: true,
      lists: ['reference'],
      describe: 'references of stored bundles, and behind them where to: oci://… or oci-layout:…',
    },
  ],
  options: {
    force: {
      type: 'boolean',
      describe: 'move a tag that names other content; renewed signatures need no force',
    },
    'no-attach': {
      type: 'boolean',
      describe: 'copy the bundle alone, without signatures and statements that are attached to it',
    },
    'dry-run': { type: 'boolean', describe: 'look what is there, and store nothing' },
  },
  examples: [
    [
      'rlp agent copy oci://dev.example/agents/mailer:0.1.0 oci://registry.example/agents/',
      'promote a release: the digest stays the same',
    ],
    [
      'rlp agent copy oci://registry.example/agents/mailer:0.1.0 oci-layout:carried',
      'into a folder, for a place without a network',
    ],
    ['rlp agent copy oci-layout:carried:0.1.0 oci://far.example/agents/ --dry-run', 'what would be sent'],
  ],
  notes:
    'Byte for byte, with the signatures and statements that are attached: a digest that a deployment pins holds on both sides. What is there already is not sent. Nothing is judged: a reader of the copy verifies it.\n\nSome registries keep nothing beside a bundle. The bundle is then copied, what stays behind is named, and the exit code is 3; with --no-attach it is 0.',
  async run(args, io) {
    const to = args.stored.at(-1) ?? ''
    const from = args.stored.slice(0, -1)
    if (from.length === 0 || !isOciReference(to))
      throw noReference(to, {
        message: `Cannot copy: ${from.length === 0 ? 'the target is missing' : `"${to}" is no target`}`,
        field: 'stored',
        hint: isOciReference(to)
          ? 'Name the target last: oci://HOST/REPOSITORY, or oci-layout:FOLDER'
          : 'Name oci://HOST/REPOSITORY or oci-layout:FOLDER. rlp agent pull puts a bundle into a folder as a file',
      })
    from.forEach(refuseFile)
    const target = pushTarget(absolute(to, io.cwd), from.length, 'copy')
    const copying = {
      ...reachIn(io, args),
      to: target,
      force: args.force,
      dryRun: args.dryRun,
      attach: !args.noAttach,
    }
    const { dryRun } = args
    const sources = from.map(label => ({ path: absolute(label, io.cwd), label }))
    const { done, failed } = await each(sources, async source => copyBundle(source, copying))
    const isLost = done.some(({ lost }) => lost.length > 0)
    report(io, args, {
      tool: 'agent.copy',
      warnings: isLost
        ? [`${to}: ${KEEPS_NOTHING}. Copy to one that does. --no-attach copies the bundle alone`]
        : [],
      result: changedEach('bundles', { done, failed }),
      quiet: dryRun
        ? undefined
        : done.map(({ reference, manifest }) => `${nearReference(reference, io.cwd)}@${manifest}`),
      text: () => done.map(one => rendered(one, { dryRun, cwd: io.cwd }, createStyle(io.color))).join(''),
    })
    printFailures(io, args, failed)
    return worstExit(isLost ? [EXIT.machine] : [], failed)
  },
})

function refuseFile(from: string): void {
  if (isOciReference(from)) return
  throw noReference(from, {
    message: `Cannot copy "${from}": it is no reference of a stored bundle`,
    field: 'stored',
    hint: `rlp agent push ${writePath(from)} stores a bundle from the disk`,
  })
}

function rendered(
  { from, reference, manifest, changed, sent, attached, lost, left }: Copied,
  { dryRun, cwd }: { readonly dryRun: boolean; readonly cwd: string },
  style: Style,
): string {
  const what = changed ? (dryRun ? 'would be copied to' : 'copied to') : 'is already at'
  const size = dryRun ? 'would be sent' : 'sent'
  return [
    `${style.green(SYMBOLS.ok)} ${printable(from)} ${what} ${printable(nearReference(reference, cwd))}`,
    `  stored as ${manifest}${changed ? `; ${plural(sent, 'byte')} ${size}` : ''}`,
    ...attached.map(digest => `  attached: ${digest}`),
    ...lost.map(digest => `  ${style.yellow('not copied:')} ${digest}`),
    ...left.map(({ digest, why }) => `  ${style.yellow('not attached:')} ${digest}: ${printable(why)}`),
    '',
  ].join('\n')
}
