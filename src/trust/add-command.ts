// rlp trust add: adds a signer, or a rule for one.
import { type CommandArgs, defineCommand, type ExitCode, type Io } from '../cli/command.ts'
import { type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import type { Target } from '../io/find/search-folders.ts'
import { namedPath } from '../io/home.ts'
import { absolute } from '../io/layout-folder.ts'
import { isOciReference } from '../oci/scheme.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { keyPrefixes, keySpellings } from '../sign/signers/index.ts'
import { TRUST_OPTIONS, trustOf } from '../verify/judging-options.ts'
import { addSigner, type GrantQuestion } from './add-signer.ts'
import { EDIT_OPTIONS, plannedLines, runPolicyEdit } from './ask-edit.ts'
import {
  ANCHOR_OPTIONS,
  anchorFromOptions,
  confirmed,
  identityTyped,
  RULE_OPTIONS,
  ruleFromOptions,
} from './signer-options.ts'

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
