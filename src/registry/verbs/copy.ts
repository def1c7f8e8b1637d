// rlp agent copy: stored bundles into another registry or layout folder.

import { each, type Outcome, onlyOne, worstExit } from '../../cli/each.ts'
import { SYMBOLS } from '../../cli/render/style.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { nearReference } from '../../io/layout-folder.ts'
import { EXIT } from '../../model/exit-code.ts'
import { printable } from '../../text/printable.ts'
import { writePath } from '../../text/shell-words.ts'
import { plural } from '../../text/words.ts'
import { type At, commandOf, defineVerb, givenText, type Input, needed, whether } from '../../verb/index.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { folderOrNone } from '../../verify/judging-inputs.ts'
import { KEEPS_NOTHING } from '../attach.ts'
import { type Copied, copyBundle } from '../copy.ts'
import { force, sentTo, storedAt, typedStored } from '../inputs.ts'
import { pushTarget } from '../push-target.ts'
import { printSent, type ShowingSent } from '../render-sent.ts'

const from: Input<string, readonly Target[]> = {
  type: 'string',
  typed: {
    type: 'strings',
    flag: 'stored',
    lists: ['reference'],
    describe: 'references of stored bundles, and behind them where to: oci://… or oci-layout:…',
  },
  fromTyped: (typed: readonly string[], at: At) =>
    typed
      .slice(0, -1)
      .map(one =>
        typedStored(
          one,
          at,
          `Cannot copy "${one}": it is no reference of a stored bundle`,
          `rlp agent push ${writePath(one)} stores a bundle from the disk`,
        ),
      ),
  fromGiven: (given, at) => [storedAt(givenText(given, at), at)],
}

/**
 * Copies a stored bundle byte for byte, with the signatures and statements that are attached to it. Its digest stays the same, and what is
 * there already is not sent. It judges nothing: readers of the copy do. If the registry keeps nothing beside a bundle, the bundle alone is
 * copied, and `lost` names what stayed behind.
 *
 * @param from `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:HEX]` or `oci-layout:FOLDER[:TAG][@sha256:HEX]`
 * @param to a registry or a layout folder, with a tag of its own or the one of `from`; with a `/` at the end, the repository is called after the agent
 *
 * @example
 * const { reference } = await copy('oci://dev.example/agents/mailer:0.1.0', 'oci://registry.example/agents/')
 *
 * @throws {@link RlpError} `EXISTS` for a tag with other content; `USAGE` for a reference or target that is wrong; `NOT_STORED`, `UNREACHABLE`,
 * `NO_PERMISSION`, `STORE` as the registries are; `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent copy',
  summary: 'copy stored bundles to another registry, with what was added to them',
  called: 'copy',
  arguments: ['from', 'to'],
  inputs: {
    to: needed(
      sentTo(
        'copy',
        'stored',
        'Name oci://HOST/REPOSITORY or oci-layout:FOLDER. rlp agent pull puts a bundle into a folder as a file',
      ),
    ),
    from: needed(from),
    force,
    /** False copies the bundle alone, without the signatures and statements that are attached to it. */
    attach: {
      ...whether('copy the bundle alone, without signatures and statements that are attached to it', {
        flag: 'no-attach',
      }),
      absent: () => true,
      fromTyped: (isLeftOut: boolean) => !isLeftOut,
    },
    /** Look what is there, and store nothing: the answer says what would be. */
    dryRun: whether('look what is there, and store nothing'),
    /** The folder whose config.toml may name a mirror of `from`, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
    home: folderOrNone,
  },
  isLong: true,
  async run({ from, to, home, ...how }, world): Promise<Outcome<Copied>> {
    const copying = { ...reachBy(world, home), ...how, to: pushTarget(to.path, from.length, 'copy') }
    return each(from, one => copyBundle(one, copying))
  },
  answer: (outcome): Copied => onlyOne(outcome),
})

export const command = commandOf(verb, {
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
  exit: outcome => worstExit(isLost(outcome) ? [EXIT.machine] : [], outcome.failed),
  print: (outcome, showing) =>
    printSent(outcome, showing, {
      tool: 'agent.copy',
      warnings: isLost(outcome)
        ? [
            `${showing.asked.to.label}: ${KEEPS_NOTHING}. Copy to one that does. --no-attach copies the bundle alone`,
          ]
        : [],
      textOf: rendered,
    }),
})

function isLost({ done }: Outcome<Copied>): boolean {
  return done.some(({ lost }) => lost.length > 0)
}

function rendered(copied: Copied, { asked: { dryRun }, style, io }: ShowingSent): string {
  const { from, reference, manifest, changed, sent, attached, lost, left } = copied
  const what = changed ? (dryRun ? 'would be copied to' : 'copied to') : 'is already at'
  const size = dryRun ? 'would be sent' : 'sent'
  return [
    `${style.green(SYMBOLS.ok)} ${printable(from)} ${what} ${printable(nearReference(reference, io.cwd))}`,
    `  stored as ${manifest}${changed ? `; ${plural(sent, 'byte')} ${size}` : ''}`,
    ...attached.map(digest => `  attached: ${digest}`),
    ...lost.map(digest => `  ${style.yellow('not copied:')} ${digest}`),
    ...left.map(({ digest, why }) => `  ${style.yellow('not attached:')} ${digest}: ${printable(why)}`),
    '',
  ].join('\n')
}
