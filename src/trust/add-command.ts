// rlp trust add: adds a signer, or a rule for one. The key comes from the caller, never from a bundle.

import { resolve } from 'node:path'
import { type CommandArgs, defineCommand, type ExitCode, type Io } from '../cli/command.ts'
import { type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { REGISTRY_OPTIONS } from '../cli/registry-access.ts'
import { note } from '../cli/render/report.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { isMeantAsAnchor } from '../format/signature/kinds/index.ts'
import { isWide } from '../format/trust/rule-fields/index.ts'
import { expandHome } from '../io/home.ts'
import { standingAt } from '../io/read/inspect-file.ts'
import { RlpError } from '../model/error.ts'
import type { PolicySource } from '../model/trust.ts'
import { UsageError } from '../model/usage-error.ts'
import { anchorOf } from '../sign/ask-public-key.ts'
import { keyPrefixes, keySpellings } from '../sign/signers/index.ts'
import { TRUST_OPTIONS } from '../verify/judging-options.ts'
import { ANCHOR_OPTIONS, anchorFromOptions } from './anchor-options.ts'
import { carryOut, EDIT_OPTIONS, openEdit } from './ask-edit.ts'
import { confirmed, requestOf, sayUnsigned } from './ask-grant.ts'
import type { TrustChange } from './change.ts'
import { keysInDocument, ruleInDocument } from './edit.ts'
import { verdictUnder } from './effect.ts'
import { isTestKey } from './kit-keys.ts'
import { type BundleRequest, RULE_FLAGS, RULE_OPTIONS, ruleFromOptions } from './rule-options.ts'

const OPTIONS = {
  ...RULE_OPTIONS,
  for: {
    type: 'string',
    placeholder: 'BUNDLE',
    describe: 'propose the rule that this bundle asks for, no more; asks before it writes',
  },
  attestations: {
    ...TRUST_OPTIONS.attestations,
    describe: 'with --for: what others state about it, in place of <bundle>.intoto.jsonl',
  },
  ...ANCHOR_OPTIONS,
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
    describe: `the public key: ed25519:…, or as one of yours: ${keySpellings()}; absent to change the rule only`,
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
  ],
  notes:
    'Get the key from the signer directly: by phone, from their site, on paper. A bundle can be signed by anybody, so no key is ever taken from one. What is there stays: a rule only grows, and comments and formatting survive. What is added for one agent is granted to no other: an agent that no rule names gets a rule of its own. A wide grant (any) is asked for like one that a bundle proposes. To narrow a rule, edit the file.',
  run: (args, io) => runTrustAdd(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runTrustAdd(args: TrustAddArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const edit = await openEdit('trust.add', args, io)
  const ruleThere = (agent: string) => ruleInDocument(edit.document, args.name, agent)
  const request = await requestOf(args, ruleThere, io)
  const rule = combined(ruleFromOptions(args), request)
  if (args.key === undefined && rule === undefined) {
    throw new UsageError('Cannot add: there is neither a key nor a rule', {
      hint: `Name the signer’s key: rlp trust add ${args.name} KEY`,
    })
  }
  const key = args.key === undefined ? undefined : await keyOf(args.key, io)
  if (key !== undefined && isTestKey(key) && !args.allowTestKey) {
    throw new UsageError(
      `Cannot trust ${key}: it is a test key of the conformance kit, and anybody can sign with it`,
      {
        field: 'key',
        hint: 'Ask the signer for their own key. In a test of a reader, add --allow-test-key',
      },
    )
  }
  const keys = [...(key === undefined ? [] : [key]), ...keysInDocument(edit.document, args.name)]
  if (request !== undefined && keys.length > 0) sayUnsigned(request, { name: args.name, keys }, args, io)
  for (const line of request?.unsaid ?? []) note(io, args, line)
  const change: TrustChange = {
    do: 'add',
    name: args.name,
    isFurtherKey: args.furtherKey,
    ...(key !== undefined && { key }),
    ...anchorFromOptions(args),
    ...(rule && { rule }),
  }
  const asks = !args.yes && (request !== undefined || (rule !== undefined && isWide(rule)))
  const why = request === undefined ? 'the rule is wide' : 'the rule is proposed by a bundle'
  const confirm = (shown: readonly string[]) => confirmed(shown, { name: args.name, why }, args, io, open)
  const { bundle } = request ?? {}
  const foresee = bundle && ((edited: PolicySource) => verdictUnder(bundle, edited, edit.file, io))
  return carryOut({ ...edit, change, ...(asks && { confirm }), ...(foresee && { foresee }) }, args, io)
}

async function keyOf(which: string, io: Io): Promise<string> {
  const isNamed = isMeantAsAnchor(which) || keyPrefixes().some(prefix => which.startsWith(prefix))
  const isBundle =
    !isNamed &&
    (isOciReference(which) ||
      /^(?:un)?signed-bundle$/.test(await standingAt(resolve(io.cwd, expandHome(which)))))
  if (isBundle) {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot take a key from "${which}": it is a bundle`, {
      hint: 'Anybody can sign a bundle. Ask the signer for the key, and use --for to propose the rule that this bundle needs',
    })
  }
  return anchorOf(which, io)
}

function combined(options: ReturnType<typeof ruleFromOptions>, request: BundleRequest | undefined) {
  if (options === undefined || request === undefined) return options ?? request?.rule
  const flags = `${RULE_FLAGS.slice(0, -1).join(', ')} or ${RULE_FLAGS.at(-1)}`
  throw new UsageError(`Cannot use --for together with ${flags}`, {
    field: 'for',
    hint: 'Take what the bundle asks first, then add to it in a second step',
  })
}
