// rlp trust add: adds a signer, or a rule for one. The key comes from the caller, never from a bundle; an identity from one only if it is proven.

import { type CommandArgs, defineCommand, type ExitCode, type Io } from '../cli/command.ts'
import { type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { note } from '../cli/render/report.ts'
import { isWide } from '../format/trust/rule-fields/index.ts'
import type { PolicySource } from '../model/trust.ts'
import { UsageError } from '../model/usage-error.ts'
import { keyPrefixes, keySpellings } from '../sign/signers/index.ts'
import { TRUST_OPTIONS } from '../verify/judging-options.ts'
import { ANCHOR_OPTIONS, anchorFromOptions } from './anchor-options.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'
import { confirmed, requestOf } from './ask-grant.ts'
import { signerOf } from './ask-signer.ts'
import type { TrustChange } from './change.ts'
import { ruleInDocument } from './edit.ts'
import { verdictUnder } from './effect.ts'
import { type BundleRequest, RULE_FLAGS, RULE_OPTIONS, ruleFromOptions } from './rule-options.ts'

const OPTIONS = {
  ...RULE_OPTIONS,
  for: {
    type: 'string',
    placeholder: 'BUNDLE',
    describe:
      'propose the rule that this bundle asks for, and the identity that has signed it; asks before it writes',
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
  ...REGISTRY_OPTIONS,
  ...EDIT_OPTIONS,
} as const satisfies OptionTable

const POSITIONALS = [
  { name: 'name', required: true, describe: 'what to call the signer', complete: 'none' },
  {
    name: 'key',
    begins: keyPrefixes(),
    describe: `the public key: ed25519:…, or as one of yours: ${keySpellings()}; absent for an identity, or to change the rule only`,
  },
] as const satisfies readonly Positional[]

export type TrustAddArgs = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

export const command = defineCommand({
  name: 'trust add',
  summary: 'let a signer count, and say what they may grant',
  positionals: POSITIONALS,
  options: OPTIONS,
  examples: [
    ['rlp trust add release ed25519:… --allow-caps kb_read,time --agent mailer', 'a signer and the limits'],
    ['rlp trust add release release.pub --for mailer-0.1.0.agent.bundle', 'the limits that one bundle needs'],
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
  const edit = await openEdit('trust.add', args, io)
  const ruleThere = (agent: string) => ruleInDocument(edit.document, args.name, agent)
  const request = await requestOf(args, ruleThere, io)
  const rule = combined(ruleFromOptions(args), request)
  const signer = await signerOf(args, edit, request, io)
  const { key, identity, root } = signer
  if (key === undefined && identity === undefined && rule === undefined) {
    throw new UsageError('Cannot add: there is neither a key nor an identity nor a rule', {
      hint: `Name the signer’s key: rlp trust add ${args.name} KEY`,
    })
  }
  for (const line of request?.unsaid ?? []) note(io, args, line)
  const change: TrustChange = {
    do: 'add',
    name: args.name,
    isFurtherKey: args.furtherKey,
    ...anchorFromOptions(args, request !== undefined),
    ...(key !== undefined && { key }),
    ...(identity !== undefined && { identity }),
    ...(root && { trustedRoot: { file: root.name, blake3: root.blake3 } }),
    ...(rule && { rule }),
  }
  const asks = !args.yes && (request !== undefined || (rule !== undefined && isWide(rule)))
  const proposed = signer.isProposed ? 'the identity and the rule are' : 'the rule is'
  const why = request === undefined ? 'the rule is wide' : `${proposed} proposed by a bundle`
  const confirm = (shown: readonly string[]) => confirmed(shown, { name: args.name, why }, args, io, open)
  const { bundle } = request ?? {}
  const foresee = bundle && ((edited: PolicySource) => verdictUnder(bundle, edited, edit.file, io))
  const asking = { ...(asks && { confirm }), ...(foresee && { foresee }) }
  return carryOut({ ...edit, change, root, said: signer.said, ...asking }, args, io)
}

function combined(options: ReturnType<typeof ruleFromOptions>, request: BundleRequest | undefined) {
  if (options === undefined || request === undefined) return options ?? request?.rule
  const flags = `${RULE_FLAGS.slice(0, -1).join(', ')} or ${RULE_FLAGS.at(-1)}`
  throw new UsageError(`Cannot use --for together with ${flags}`, {
    field: 'for',
    hint: 'Take what the bundle asks first, then add to it in a second step',
  })
}
