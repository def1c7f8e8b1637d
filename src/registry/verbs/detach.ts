// rlp agent detach: removes signatures and statements that are attached to a stored bundle.

import { askForYes, mayAsk } from '../../cli/interactive.ts'
import { type Style, SYMBOLS } from '../../cli/render/style.ts'
import { RlpError } from '../../model/error.ts'
import { anchorsAt, passphrase } from '../../sign/passphrase-inputs.ts'
import { predicateWord } from '../../statement/predicates/index.ts'
import { printable } from '../../text/printable.ts'
import { plural } from '../../text/words.ts'
import {
  commandOf,
  defineVerb,
  needed,
  text,
  texts,
  typedOnly,
  type World,
  whether,
} from '../../verb/index.ts'
import { reachBy } from '../../verb/kinds/registry.ts'
import { type AttachedFacts, type Detached, type DetachedOne, detachNamed, refuseUnsaid } from '../detach.ts'
import { stored } from '../inputs.ts'

/**
 * Removes signatures and statements that are attached to a stored bundle. Only what was read whole is removed: it is attached to this very
 * bundle, its signature holds where a type or a key is named, and no tag names it. The bundle and its digest stay.
 *
 * @param reference `oci://HOST[:PORT]/REPOSITORY` or `oci-layout:FOLDER`, each with `:TAG`, `@sha256:HEX` or both
 *
 * @example
 * const { detached } = await detach('oci://registry.example/agents/mailer:0.1.0', {
 *   type: 'https://slsa.dev/provenance/v1', by: 'ci.pub', dryRun: true,
 * })
 * console.log(detached.length)
 *
 * @throws {@link RlpError} `NOT_FOUND` if nothing of it is attached; `STORE` if a tag names it, or the registry forbids deletion; `NOT_STORED`,
 * `UNREACHABLE`, `NO_PERMISSION` as the registry is; `USAGE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'agent detach',
  summary: 'remove signatures and statements beside a stored bundle',
  called: 'detach',
  arguments: ['reference'],
  inputs: {
    reference: needed(
      stored('the reference of a stored bundle: oci://… or oci-layout:…', {
        flag: 'stored',
        doing: 'detach from',
        hint: 'Write oci://HOST/REPOSITORY:TAG or oci-layout:FOLDER:TAG. Statements of a file are lines of <bundle>.intoto.jsonl',
      }),
    ),
    /** The type of a statement: `https://slsa.dev/provenance/v1`, or `urn:runloop:agent-bundle:v1` for signatures. */
    type: text('remove statements of this type; urn:runloop:agent-bundle:v1 is that of signatures', {
      placeholder: 'URI',
    }),
    /** Whose they are: an anchor string, or the name or path of a public key. */
    by: text('remove what this key alone has signed', { placeholder: 'KEY' }),
    /** `sha256:…` of the manifests that hold them, in place of `type` and `by`. */
    digests: texts('remove these, as rlp agent inspect names them, in place of --type and --by', {
      flag: 'digest',
      placeholder: 'SHA256',
    }),
    /** Also what others have signed; with `type` alone those of all signers. */
    all: whether('remove what others have signed, too'),
    /** Look what would be removed, and remove nothing. */
    dryRun: whether('list what would be removed, and remove nothing'),
    yes: typedOnly(whether('without being asked', { alias: 'y' })),
    // A person can be asked for the passphrase of a private key.
    keys: typedOnly(passphrase),
  },
  async run({ reference, yes, keys, ...named }, world): Promise<Detached> {
    const { label } = reference
    const doing = `detach from "${label}"`
    refuseUnsaid(named, doing)
    const asked = yes || named.dryRun ? undefined : world.terminal
    if (asked !== undefined && !mayAsk(asked.io, { json: asked.args.json, nonInteractive: false }))
      throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked`, {
        hint: 'Look with --dry-run, then add --yes',
      })
    return detachNamed(reference, {
      ...reachBy(world),
      ...named,
      by: named.by === undefined ? undefined : await anchorsAt(keys)(named.by),
      approve: asked && (found => confirm(found, label, asked)),
    })
  },
})

export const command = commandOf(verb, {
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
  warnings: ({ left, incomplete }) => [
    ...left.map(({ digest, why }) => `${digest} stays: ${why}`),
    ...(incomplete === null ? [] : [`not all that is attached was looked at: ${incomplete}`]),
  ],
  quiet: ({ detached }, { asked }) => (asked.dryRun ? undefined : detached.map(({ digest }) => digest)),
  text: (result, { asked, style }) => rendered(result, asked.dryRun, style),
})

async function confirm(
  found: readonly AttachedFacts[],
  stored: string,
  { open, io }: NonNullable<World['terminal']>,
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
