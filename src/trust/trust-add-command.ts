// rlp trust add: adds a signer, or a rule for one. A person has to review what a bundle proposes, and what is wide.
import { type CommandArgs, defineCommand, type ExitCode, type GlobalArgs, type Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, openTerminal, refusedToWrite, saysYes } from '../cli/interactive.ts'
import { type ArgsOf, camelCase, type OptionTable, type Positional, type Together } from '../cli/option.ts'
import type { Target } from '../io/find/search-folders.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { own } from '../model/own.ts'
import { isOciReference } from '../oci/scheme.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { keyPrefixes, keySpellings } from '../sign/signers/index.ts'
import { quoted } from '../text/printable.ts'
import type { AnchorRequest, FlagValues } from '../trust-policy/anchor-fields/field.ts'
import { textsTyped } from '../trust-policy/anchor-fields/identity.ts'
import { ANCHOR_FIELDS } from '../trust-policy/anchor-fields/index.ts'
import type { Refuse } from '../trust-policy/rule-fields/field.ts'
import { RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { addSigner, type GrantQuestion } from './add-signer.ts'
import { EDIT_OPTIONS, plannedLines, runPolicyEdit } from './ask-edit.ts'

type AnchorFields = typeof ANCHOR_FIELDS
type OptionsOf<F> = F extends { asked: { options: infer O } } ? O : never
type AnchorOptionTable = Together<
  { [F in keyof AnchorFields]: OptionsOf<AnchorFields[F]> }[keyof AnchorFields]
>

/** By its flag, each option of a field that has some. */
const ANCHOR_OPTIONS: AnchorOptionTable = Object.assign(
  {},
  ...Object.values(ANCHOR_FIELDS).map(({ asked }) => asked?.options),
)

type Args = ArgsOf<typeof ANCHOR_OPTIONS, []>

/** @param isOpen what is said of an identity may be a part of one, which {@link identityTyped} gives */
function anchorFromOptions(args: Args, isOpen = false): Omit<AnchorRequest, 'key' | 'isFurtherKey'> {
  const said = Object.entries(ANCHOR_FIELDS).flatMap(([name, { asked }]) => {
    if (asked === undefined || (isOpen && name === 'identity')) return []
    const value = asked.typed(flagsIn(args), refusing)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(said)
}

/** What was typed of an identity. */
function identityTyped(args: Args): ReturnType<typeof textsTyped> {
  return textsTyped(flagsIn(args))
}

function flagsIn(args: Args): FlagValues {
  return flag => own(args, camelCase(flag)) as ReturnType<FlagValues>
}

type RuleFields = typeof RULE_FIELDS

/** By its flag, the option of each field of a rule. */
const RULE_OPTIONS = Object.fromEntries(
  Object.values(RULE_FIELDS).map(({ flag, option }) => [flag, option]),
) as { readonly [F in keyof RuleFields as RuleFields[F]['flag']]: RuleFields[F]['option'] }

/** Undefined if no option is about a rule. */
function ruleFromOptions(args: ArgsOf<typeof RULE_OPTIONS, []>): RuleRequest | undefined {
  const said = Object.entries(RULE_FIELDS).flatMap(([name, { flag, typed: read }]) => {
    const value = read(own(args, camelCase(flag)) as readonly string[], refusing(flag))
    return value === undefined ? [] : [[name, value]]
  })
  return said.length === 0 ? undefined : (Object.fromEntries(said) as RuleRequest)
}

/** @param flag without its dashes */
function refusing(flag: string): Refuse {
  return (problem, text) => {
    const which = text === undefined ? '' : ` ${quoted(text)}`
    return new UsageError(`Cannot use --${flag}${which}: ${problem}`, { field: flag })
  }
}

/** @param shown the change, and what follows from it */
async function confirmed(
  shown: readonly string[],
  { name, why }: { readonly name: string; readonly why: string },
  { json }: GlobalArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `add "${name}"`
  if (!mayAsk(io, { json, nonInteractive: false })) {
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: ${why}, and no person can be asked`, {
      hint: 'Look at it with --dry-run, then repeat with --yes',
    })
  }
  const prompter = await open(doing, io)
  prompter.note(shown.join('\n'), 'What is written, and what follows')
  if (!(await saysYes(prompter, 'Let the signer grant this?'))) throw refusedToWrite(doing)
}

const OPTIONS = {
  ...RULE_OPTIONS,
  for: {
    type: 'string',
    placeholder: 'PLACE',
    describe:
      'propose the rule that this bundle asks for, or each bundle of this folder, and the identity that has signed it; asks before it writes',
  },
  attestations: {
    ...TRUST_OPTIONS.attestations,
    describe: 'with --for: what others state about it, in place of <bundle>.intoto.jsonl',
  },
  ...ANCHOR_OPTIONS,
  'trusted-root': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'the authorities that prove an identity; copied beside a policy that names none yet',
  },
  'further-key': {
    type: 'boolean',
    describe: 'one more key of a signer who is there; all keys of one signer count once',
  },
  'allow-test-key': {
    type: 'boolean',
    describe: 'take a key of the conformance kit, with which anybody can sign; only for tests',
  },
  yes: { type: 'boolean', alias: 'y', describe: 'do not ask' },
  ...EDIT_OPTIONS,
} as const satisfies OptionTable

const POSITIONALS = [
  { name: 'name', required: true, describe: 'what to call the signer', complete: 'none', lists: ['signer'] },
  {
    name: 'key',
    begins: keyPrefixes(),
    describe: `the public key: ed25519:…, or as one of yours: ${keySpellings()}; absent for an identity, or to change the rule only`,
  },
] as const satisfies readonly Positional[]

type TrustAddArgs = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

export const command = defineCommand({
  name: 'trust add',
  summary: 'let a signer count, and say what they may grant',
  positionals: POSITIONALS,
  options: OPTIONS,
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
  run: (args, io) => runTrustAdd(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runTrustAdd(args: TrustAddArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const { name, key, trustedRoot, allowTestKey } = args
  const { identity, ...anchor } = anchorFromOptions(args, args.for !== undefined)
  const { attestations } = trustOf({ ...args, trustPolicy: undefined, allowDev: false }, io)
  const asked = {
    name,
    key,
    texts: identityTyped(args),
    identity,
    trustedRoot,
    allowTestKey,
    anchor,
    attestations,
    isFurtherKey: args.furtherKey,
    rule: ruleFromOptions(args),
    bundle: args.for === undefined ? undefined : bundleCalled(args.for, io),
  }
  const mayGrant = (question: GrantQuestion) =>
    confirmed(plannedLines(question), { name, why: question.why }, args, io, open)
  return runPolicyEdit('add', args, io, editing =>
    addSigner(asked, editing, anchorsBy(io), args.yes ? undefined : mayGrant),
  )
}

function bundleCalled(label: string, { cwd }: Io): Target {
  const path = isOciReference(label) ? absolute(label, cwd) : namedPath(label, cwd)
  return { path, label }
}
