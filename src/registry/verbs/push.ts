// rlp agent push: bundles into a registry or a layout folder.

import { each, type Outcome, onlyOne, worstExit } from '../../cli/each.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import { attestationsOf } from '../../io/bundle/read-attestations.ts'
import { findBundles } from '../../io/find/find-bundles.ts'
import { namedPath } from '../../io/home.ts'
import { nearReference } from '../../io/layout-folder.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { UsageError } from '../../model/error.ts'
import { printable } from '../../text/printable.ts'
import { type At, commandOf, defineVerb, type Input, needed, whether } from '../../verb/index.ts'
import { type Bundles, searching, targetsOf } from '../../verb/kinds/bundles.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { type AttestationsInput, attestationsInput } from '../../verify/input.ts'
import { force, sentTo } from '../inputs.ts'
import { type Pushed, pushBundle } from '../push.ts'
import { pushTarget, refuseStored } from '../push-target.ts'
import { printSent, type ShowingSent } from '../render-sent.ts'

const bundle: Input<PathGiven, Bundles> = {
  type: 'PathGiven',
  typed: {
    type: 'strings',
    names: 'bundle',
    describe:
      'bundles, unpacked bundles or folders of bundles, and behind them where to: oci://… or oci-layout:…',
  },
  fromTyped: (typed: readonly string[]) => ({ typed: typed.slice(0, -1) }),
  fromGiven: (given, { world }) => ({ found: [targetGiven(given, world, 'push')] }),
}

const attach: Input<AttestationsInput, string | Uint8Array | false | undefined> = {
  type: 'AttestationsInput',
  flags: {
    attach: {
      type: 'string',
      placeholder: 'FILE',
      describe:
        'store the statements in this file that are about a bundle beside it, in place of <bundle>.intoto.jsonl',
    },
    'no-attach': { type: 'boolean', describe: 'store no statements beside it' },
  },
  fromTyped: ({ attach, noAttach }: { attach?: string; noAttach: boolean }, { world }: At) => {
    if (noAttach && attach !== undefined)
      throw new UsageError('Cannot use --attach with --no-attach: one names what the other leaves out', {
        field: 'no-attach',
        hint: 'Leave one of them out',
      })
    return noAttach ? false : namedPath(attach, world.cwd)
  },
  fromGiven: (given, { world, field }) => attestationsInput(given, world.cwd, field),
}

/**
 * Stores a bundle, and gives it its version as the tag. What is there already is not sent again. A new statement by a key takes the place of what
 * this key alone has stated before, in a statement of the same type about the same bundle.
 *
 * @param to `oci://HOST[:PORT]/REPOSITORY[:TAG]` or `oci-layout:FOLDER[:TAG]`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference, manifest } = await push('dist/mailer-0.1.0.agent.bundle', 'oci://registry.example/agents/')
 * console.log(reference, manifest)
 *
 * @throws {@link RlpError} `NOT_VERIFIED` for a bundle that is not sound, or is unsigned; `EXISTS` for a tag with other content; `USAGE` for a
 * target that is wrong; `UNREACHABLE`, `NO_PERMISSION`, `STORE` as the registry is; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent push',
  summary: 'store bundles in a registry, or in a layout folder',
  called: 'push',
  arguments: ['bundle', 'to'],
  inputs: {
    force,
    /** What others state about it, to go beside it; the file `<bundle>.intoto.jsonl` beside the bundle where this is left out. */
    attach,
    /** Push a sound bundle without signature. */
    allowUnsigned: whether('push a sound bundle without signature'),
    /** Look what is there, and store nothing: the answer says what is new. */
    dryRun: whether('look what is new, and store nothing'),
    bundle: needed(bundle),
    to: needed(sentTo('push', 'bundle')),
  },
  isLong: true,
  async run({ bundle, to, attach: named, ...how }, world): Promise<Outcome<Pushed>> {
    const targets = await targetsOf(bundle, typed => findBundles(typed, searching(world)))
    targets.forEach(refuseStored)
    const target = pushTarget(to.path, targets.length)
    const attach = named === undefined || named === false ? named : await attestationsOf('', named)
    const pushing = { ...reachBy(world), ...how, to: target, attach }
    return each(targets, one => pushBundle(one, pushing))
  },
  answer: (outcome): Pushed => onlyOne(outcome),
})

export const command = commandOf(verb, {
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
  exit: ({ failed }) => worstExit([], failed),
  print: (outcome, showing) =>
    printSent(outcome, showing, {
      tool: 'agent.push',
      warnings: outcome.done.flatMap(({ warnings = [] }) => warnings),
      textOf: rendered,
    }),
})

function rendered(pushed: Pushed, { asked: { dryRun }, style, io }: ShowingSent): string {
  const { bundle, reference, manifest, identity, isNew, attached = [], replaced = [] } = pushed
  const verb = dryRun ? 'would be pushed to' : 'pushed to'
  const where = printable(nearReference(reference, io.cwd))
  return [
    `${style.green(SYMBOLS.ok)} ${printable(bundle)} ${isNew ? verb : 'is already at'} ${where}`,
    `  stored as ${manifest}`,
    ...attached.map(digest => `  ${dryRun ? 'would be attached' : 'attached'}: ${digest}`),
    ...replaced.map(({ digest }) => `  replaced: ${digest}`),
    `  ${style.dim(`manifest ${identity}`)}`,
    '',
  ].join('\n')
}
