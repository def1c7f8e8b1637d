// rlp agent push: bundles into a registry or a layout folder.
import { defineCommand } from '../cli/command.ts'
import { changedEach, each, printFailures, worstExit } from '../cli/each.ts'
import { reachIn } from '../cli/options.ts'
import { leavingOut } from '../cli/render/passed-over.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, type Style, SYMBOLS } from '../cli/render/style.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { findBundles } from '../io/find/find-bundles.ts'
import { namedPath } from '../io/home.ts'
import { absolute, nearReference } from '../io/layout-folder.ts'
import { noReference } from '../io/reference.ts'
import { UsageError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { type Pushed, pushBundle } from './push.ts'
import { pushTarget, refuseStored } from './push-target.ts'

export const command = defineCommand({
  name: 'agent push',
  summary: 'store bundles in a registry, or in a layout folder',
  positionals: [
    {
      name: 'bundle',
      required: true,
      many: true,
      names: 'bundle',
      describe:
        'bundles, unpacked bundles or folders of bundles, and behind them where to: oci://… or oci-layout:…',
    },
  ],
  options: {
    force: {
      type: 'boolean',
      describe: 'move a tag that names other content; renewed signatures need no force',
    },
    attach: {
      type: 'string',
      placeholder: 'FILE',
      describe:
        'store the statements in this file that are about a bundle beside it, in place of <bundle>.intoto.jsonl',
    },
    'no-attach': { type: 'boolean', describe: 'store no statements beside it' },
    'allow-unsigned': { type: 'boolean', describe: 'push a sound bundle without signature' },
    'dry-run': { type: 'boolean', describe: 'look what is new, and store nothing' },
  },
  examples: [
    [
      'rlp agent push dist/mailer-0.1.0.agent.bundle oci-layout:store',
      'into a folder; the tag is the version',
    ],
    [
      'rlp agent push dist/mailer-0.1.0.agent.bundle oci://registry.example/agents/mailer',
      'into a repository that is called after the agent',
    ],
    ['rlp agent push dist oci://registry.example/agents/', 'many, into one repository for each agent'],
    [
      'rlp agent push dist oci-layout:store/ --dry-run --json',
      'which bundles are new (changed), before anything is stated about them',
    ],
  ],
  notes:
    'What is stated about a bundle in <bundle>.intoto.jsonl goes along, beside it. A new statement by a key takes the place of what this key alone has stated before, in a statement of the same type about the same bundle; rlp agent detach removes others. A bundle that is not sound, or is unsigned, is not pushed. What is there already is not sent again. Registries let anybody who may push move a tag: rlp does so only with --force, or if the new bundle renews the signatures: the same agent with a later end, signed by everyone who had signed. A deployment that pins the printed digest is not affected.\n\ndocs/registries.md says what is stored, and how to log in.',
  async run(args, io) {
    if (args.noAttach && args.attach !== undefined)
      throw new UsageError('Cannot use --attach with --no-attach: one names what the other leaves out', {
        field: 'no-attach',
        hint: 'Leave one of them out',
      })
    const to = args.bundle.at(-1) ?? ''
    if (args.bundle.length < 2 || !isOciReference(to))
      throw noReference(to, {
        message: `Cannot push: ${args.bundle.length < 2 ? 'the target is missing' : `"${to}" is no target`}`,
        field: 'bundle',
        hint: 'Name the target last: oci://HOST/REPOSITORY, or oci-layout:FOLDER',
      })
    const targets = await findBundles(args.bundle.slice(0, -1), leavingOut(io, args))
    targets.forEach(refuseStored)
    const target = pushTarget(absolute(to, io.cwd), targets.length)
    const { force, allowUnsigned, dryRun } = args
    const named = namedPath(args.attach, io.cwd)
    const attach =
      named === undefined ? (args.noAttach ? (false as const) : undefined) : await attestationsOf('', named)
    const pushing = { ...reachIn(io, args), to: target, attach, force, allowUnsigned, dryRun }
    const { done, failed } = await each(targets, one => pushBundle(one, pushing))
    report(io, args, {
      tool: 'agent.push',
      warnings: done.flatMap(({ warnings = [] }) => warnings),
      result: changedEach('bundles', { done, failed }),
      quiet: dryRun
        ? undefined
        : done.map(({ reference, manifest }) => `${nearReference(reference, io.cwd)}@${manifest}`),
      text: () => done.map(one => rendered(one, { dryRun, cwd: io.cwd }, createStyle(io.color))).join(''),
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

function rendered(
  pushed: Pushed,
  { dryRun, cwd }: { readonly dryRun: boolean; readonly cwd: string },
  style: Style,
): string {
  const { bundle, reference, manifest, identity, isNew, attached = [], replaced = [] } = pushed
  const verb = dryRun ? 'would be pushed to' : 'pushed to'
  const where = printable(nearReference(reference, cwd))
  return [
    `${style.green(SYMBOLS.ok)} ${printable(bundle)} ${isNew ? verb : 'is already at'} ${where}`,
    `  stored as ${manifest}`,
    ...attached.map(digest => `  ${dryRun ? 'would be attached' : 'attached'}: ${digest}`),
    ...replaced.map(({ digest }) => `  replaced: ${digest}`),
    `  ${style.dim(`manifest ${identity}`)}`,
    '',
  ].join('\n')
}
