// rlp trust add: adds a signer, or a rule for one. A person has to review what a bundle proposes, and what is wide.
import { mayAsk, refusedToWrite, saysYes } from '../../cli/interactive.ts'
import { camelCase, type OptionTable } from '../../cli/option.ts'
import type { Target } from '../../io/find/search-folders.ts'
import { placeTyped } from '../../io/layout-folder.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import { own } from '../../model/own.ts'
import type { IdentityTable, RuleTable } from '../../model/trust-table.ts'
import { anchorsAt, passphrase } from '../../sign/passphrase-inputs.ts'
import { keyPrefixes, keySpellings } from '../../sign/signers/index.ts'
import { quoted } from '../../text/printable.ts'
import type { AnchorRequest, FlagValues } from '../../trust-policy/anchor-fields/field.ts'
import { textsTyped } from '../../trust-policy/anchor-fields/identity.ts'
import { ANCHOR_FIELDS } from '../../trust-policy/anchor-fields/index.ts'
import type { Refuse } from '../../trust-policy/rule-fields/field.ts'
import { RULE_FIELDS, type RuleRequest } from '../../trust-policy/rule-fields/index.ts'
import {
  type At,
  asItIs,
  commandOf,
  defineVerb,
  givenFunction,
  type Input,
  needed,
  text,
  typedOnly,
  type World,
  whether,
} from '../../verb/index.ts'
import { path } from '../../verb/kinds/paths.ts'
import { JUDGING } from '../../verify/judging-inputs.ts'
import { addSigner, type GrantQuestion, type TrustGrant } from '../add-signer.ts'
import { changesOf, type PolicyEdited } from '../edit-policy.ts'
import { EDITING, editNamedPolicy } from '../inputs.ts'
import { type SignerRequest, signerRequest } from '../new-signer.ts'
import { plannedLines, SHOWN_EDIT } from '../render-edit.ts'

type Args = Readonly<Record<string, unknown>>

function flagsIn(args: Args): FlagValues {
  return flag => own(args, camelCase(flag)) as ReturnType<FlagValues>
}

/** @param flag without its dashes */
function refusing(flag: string): Refuse {
  return (problem, text) => {
    const which = text === undefined ? '' : ` ${quoted(text)}`
    return new UsageError(`Cannot use --${flag}${which}: ${problem}`, { field: flag })
  }
}

/** What the signer may grant: a flag for each field of a rule. */
const rule: Input<RuleTable, RuleRequest | undefined> = {
  type: 'RuleTable',
  flags: Object.fromEntries(Object.values(RULE_FIELDS).map(({ flag, option }) => [flag, option])),
  fromTyped: (args: Args) => {
    const said = Object.entries(RULE_FIELDS).flatMap(([name, { flag, typed }]) => {
      const value = typed(own(args, camelCase(flag)) as readonly string[], refusing(flag))
      return value === undefined ? [] : [[name, value]]
    })
    return said.length === 0 ? undefined : (Object.fromEntries(said) as RuleRequest)
  },
  fromGiven: rule => signerRequest({ rule }, true).rule,
}

type IdentityAsked = Pick<SignerRequest, 'texts' | 'identity'>

/** Who signs without a key. @returns what was said; with `isOpen` a part of an identity is enough */
const identity: Input<Partial<IdentityTable>, (isOpen: boolean) => IdentityAsked> = {
  type: 'Partial<IdentityTable>',
  flags: ANCHOR_FIELDS.identity.asked.options,
  absent: () => () => ({ texts: {}, identity: undefined }),
  fromTyped: (args: Args) => isOpen => ({
    texts: textsTyped(flagsIn(args)),
    identity: isOpen ? undefined : ANCHOR_FIELDS.identity.asked.typed(flagsIn(args), refusing),
  }),
  fromGiven: identity => {
    signerRequest({ identity }, true)
    return isOpen => signerRequest({ identity }, isOpen)
  },
}

type AnchorAsked = Omit<AnchorRequest, 'key' | 'identity' | 'isFurtherKey'>

/** A field of the signer. @param name of the option of the library */
function anchorField<Given>(
  field: 'use' | 'until' | 'allowDev',
  name: 'use' | 'until' | 'dev',
  type: string,
): Input<Given, AnchorAsked> {
  const { options, typed } = ANCHOR_FIELDS[field].asked
  return {
    type,
    flags: options as OptionTable,
    absent: () => ({}),
    fromTyped: (args: Args) => {
      const value = typed(flagsIn(args), refusing)
      return value === undefined ? {} : { [field]: value }
    },
    fromGiven: given => signerRequest({ [name]: given }, true).anchor,
  }
}

type MayGrant = (grant: TrustGrant) => boolean | Promise<boolean>
type Ask = (question: GrantQuestion & { readonly name: string }) => Promise<void>

const mayGrant: Input<MayGrant, Ask> = {
  type: '(grant: TrustGrant) => boolean | Promise<boolean>',
  absent: world => question =>
    world.terminal === undefined ? agreed(question, undefined) : confirmed(question, world.terminal),
  fromGiven: (given, at) => {
    const mayGrant = givenFunction(given, at)
    return question => agreed(question, mayGrant)
  },
}

async function agreed({ name, why, ...planned }: Parameters<Ask>[0], mayGrant: MayGrant | undefined) {
  if ((await mayGrant?.({ ...changesOf(planned), why })) === true) return
  throw new RlpError('NEEDS_ANSWER', `Cannot add "${name}": ${why}, and mayGrant has not agreed to it`, {
    hint: 'Look at the change, and answer true in mayGrant',
  })
}

async function confirmed(
  { name, why, ...planned }: Parameters<Ask>[0],
  { args, io, open }: NonNullable<World['terminal']>,
): Promise<void> {
  const doing = `add "${name}"`
  if (!mayAsk(io, { json: args.json, nonInteractive: false })) {
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${why}, and no person can be asked`, {
      hint: 'Look at it with --dry-run, then repeat with --yes',
    })
  }
  const prompter = await open(doing, io)
  prompter.note(plannedLines(planned).join('\n'), 'What is written, and what follows')
  if (!(await saysYes(prompter, 'Let the signer grant this?'))) throw refusedToWrite(doing)
}

const proposing: Input<PathGiven, Target | undefined> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    placeholder: 'PLACE',
    describe:
      'propose the rule that this bundle asks for, or each bundle of this folder, and the identity that has signed it; asks before it writes',
  },
  fromTyped: (label: string, { world: { cwd } }: At) => placeTyped(label, cwd),
  fromGiven: (given, { world }) => targetGiven(given, world, 'propose a rule for'),
}

/**
 * Lets a signer count, and says what they may grant. What is there stays: a rule only grows, and comments and formatting survive.
 *
 * @example
 * const { changed } = await trustAdd('release', {
 *   key: 'release.pub',
 *   rule: { allow_caps: ['kb_read', 'time'], agents: ['mailer'] },
 * })
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` for a rule to which `mayGrant` does not say yes; `USAGE`, `EXISTS` for a key of another signer, one that is
 * revoked, or a second one without `furtherKey`; `NOT_FOUND`, `NOT_VERIFIED` for a bundle that is not sound or not signed by the signer,
 * `WRONG_FILE_TYPE` for what is no key, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust add',
  summary: 'let a signer count, and say what they may grant',
  arguments: ['name', 'key'],
  inputs: {
    name: needed(text('what to call the signer', { complete: 'none' })),
    /** The signer's public key: `ed25519:…`, or as `key` of {@link sign} names one. Get it from the signer, never from a bundle. */
    key: text(
      `the public key: ed25519:…, or as one of yours: ${keySpellings()}; absent for an identity, or to change the rule only`,
      { begins: keyPrefixes() },
    ),
    /** What the signer may grant, in addition to what is there; a signer without a rule can approve, and grants nothing. */
    rule,
    /** Propose the rule that this bundle asks for, and the identity that has signed it: a path or a reference. For a folder, those of each bundle in it. */
    for: proposing,
    /** What others state about that bundle; the file beside it where this is left out. */
    attestations: {
      ...JUDGING.attestations,
      typed: {
        type: 'string',
        placeholder: 'FILE',
        describe: 'with --for: what others state about it, in place of <bundle>.intoto.jsonl',
      },
    },
    /** In place of a key. With `for` a part of one is enough, which chooses among those that have signed the bundle. */
    identity,
    /** What the signatures are for; bundles where this is left out. */
    use: anchorField<readonly ('sign' | 'attest')[]>('use', 'use', "readonly ('sign' | 'attest')[]"),
    /** The signer counts only with `allowDev`. */
    dev: anchorField<boolean>('allowDev', 'dev', 'boolean'),
    /** A UTC second, after which the signer does not count. */
    until: anchorField<string>('until', 'until', 'string'),
    /** The file of the authorities that prove an identity; it is copied beside a policy that names none yet. */
    trustedRoot: {
      ...path('the authorities that prove an identity; copied beside a policy that names none yet'),
      // It may be `-`, for standard input.
      fromTyped: asItIs<string>,
    },
    furtherKey: whether('one more key of a signer who is there; all keys of one signer count once'),
    /** Take a key of the conformance kit, with which anybody can sign; only for tests. */
    allowTestKey: whether('take a key of the conformance kit, with which anybody can sign; only for tests'),
    yes: typedOnly(whether('do not ask', { alias: 'y' })),
    /** Whether the signer may grant what a bundle proposes, or what is wide (`any`). Without it such a rule is refused. */
    mayGrant,
    passphrase,
    ...EDITING,
  },
  run(asked, world) {
    const { name, key, rule, use, until, dev, trustedRoot, attestations, yes, mayGrant } = asked
    const request = {
      name,
      key,
      rule,
      trustedRoot,
      attestations,
      bundle: asked.for,
      ...asked.identity(asked.for !== undefined),
      anchor: { ...use, ...dev, ...until },
      isFurtherKey: asked.furtherKey,
      allowTestKey: asked.allowTestKey,
    }
    const ask = yes ? undefined : (question: GrantQuestion) => mayGrant({ ...question, name })
    return editNamedPolicy(asked, world, editing =>
      addSigner(request, editing, anchorsAt(asked.passphrase), ask),
    )
  },
  answer: ({ answer }): PolicyEdited => answer,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust add release ed25519:… --allow-caps kb_read,time --agent mailer', 'a signer and the limits'],
    ['rlp trust add release release.pub --for mailer-0.1.0.agent.bundle', 'the limits that one bundle needs'],
    ['rlp trust add release release.pub --for dist', 'a rule for each agent whose bundle is in a folder'],
    ['rlp trust add security review.pub', 'a signer without a rule can approve, and grants nothing'],
    ['rlp trust add builder review.pub --use attest', 'states how bundles were built, and signs none'],
    ['rlp trust add release --allow-net api.mail.example --dry-run', 'look at a wider rule first'],
    [
      'rlp trust add ci --for mailer-0.1.0.agent.bundle --trusted-root root.json',
      'the identity that has signed without a key, as it is proven, and the limits',
    ],
    [
      "rlp trust add ci --issuer https://token.actions.githubusercontent.com --repository-id 123456789 --workflow .github/workflows/release.yml --ref 'refs/tags/v*' --trusted-root root.json",
      'the same by hand',
    ],
  ],
  notes:
    'Get the key from the signer directly: by phone, from their site, on paper. A bundle can be signed by anybody, so no key is ever taken from one. An identity is proposed from a bundle only if the authorities of the trusted root prove it. What is there stays: a rule only grows, and comments and formatting survive. What is added for one agent is granted to no other: an agent that no rule names gets a rule of its own. A wide grant (any) is asked for like one that a bundle proposes. To narrow a rule, edit the file.',
  ...SHOWN_EDIT,
})
