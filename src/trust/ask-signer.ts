// Who it is that rlp trust add lets count: a key that the caller names, an identity that is typed or proven, or a signer who is there.
import { resolve } from 'node:path'
import type { GlobalArgs, Io } from '../cli/command.ts'
import type { ArgsOf } from '../cli/option.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { isMeantAsAnchor } from '../format/signature/kinds/index.ts'
import { expandHome } from '../io/home.ts'
import { standingAt } from '../io/read/inspect-file.ts'
import type { Identity } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { TrustedRoot } from '../model/keyless.ts'
import { UsageError } from '../model/usage-error.ts'
import { anchorOf } from '../sign/ask-public-key.ts'
import { keyPrefixes } from '../sign/signers/index.ts'
import { type ANCHOR_OPTIONS, anchorFromOptions, identityTyped } from './anchor-options.ts'
import type { Edit } from './ask-edit.ts'
import { type Proposal, sayUnsigned } from './ask-grant.ts'
import { anchorInDocument, rootInDocument } from './edit.ts'
import { NAME_A_ROOT } from './identity-added.ts'
import { isTestKey } from './kit-keys.ts'
import { keylessWith, proofsOf } from './proofs.ts'
import { assertSignedBy, proposalFrom } from './proposal.ts'
import { type RootGiven, rootGiven, rootInUse } from './root-given.ts'

type SignerArgs = GlobalArgs &
  ArgsOf<typeof ANCHOR_OPTIONS, []> & {
    readonly name: string
    readonly key: string | undefined
    readonly trustedRoot: string | undefined
    readonly allowTestKey: boolean
    readonly dryRun: boolean
  }

interface Signer {
  readonly key?: string
  readonly identity?: Identity
  /** A file that was named. */
  readonly root?: RootGiven
  /** Sentences about it, beside the diff. */
  readonly said: readonly string[]
  /** By a bundle, and not typed. */
  readonly isProposed: boolean
}

type Editing = Omit<Edit, 'change'>

/** @param request what a bundle asks for */
export async function signerOf(
  args: SignerArgs,
  edit: Editing,
  request: Proposal | undefined,
  io: Io,
): Promise<Signer> {
  const typed = identityTyped(args)
  const isTyped = Object.keys(typed).length > 0
  const there = anchorInDocument(edit.document, args.name)
  if (args.key !== undefined && isTyped)
    throw new UsageError(`Cannot add "${args.name}" with a key and an identity: a signer has one of them`, {
      field: 'key',
      hint: 'Leave the key out, or --issuer and what follows it',
    })
  const { identity } = anchorFromOptions(args, request !== undefined)
  const isIdentity =
    isTyped || there?.identity !== undefined || (args.key === undefined && there === undefined)
  if (
    args.trustedRoot !== undefined &&
    !(isIdentity && (isTyped || there !== undefined || request !== undefined))
  )
    throw new UsageError('Cannot use --trusted-root: it is for an identity, and none is added', {
      field: 'trusted-root',
      hint: 'Name the identity with --issuer and its members, or a bundle that it has signed with --for',
    })
  const named = rootInDocument(edit.document)
  const root =
    args.trustedRoot === undefined ? undefined : await rootGiven(args.trustedRoot, edit.file, named, io)
  const about = { said: [], isProposed: false, ...(root && { root }) }
  if (request === undefined || !isIdentity) {
    const key = args.key === undefined ? undefined : await keyFor(args.key, args, io)
    const keys = [...(key === undefined ? [] : [key]), ...(there?.keys ?? [])]
    if (request !== undefined && keys.length > 0) sayUnsigned(request, { name: args.name, keys }, args, io)
    return { ...about, ...(key !== undefined && { key }), ...(identity && { identity }) }
  }
  return { ...about, ...(await identityFor(request, root, { args, edit, io })) }
}

/** Where the bundle that a grant is for has to be signed by an identity. */
async function identityFor(
  { bundle }: Proposal,
  given: RootGiven | undefined,
  { args, edit, io }: { args: SignerArgs; edit: Editing; io: Io },
): Promise<Partial<Signer>> {
  const { name } = args
  const typed = identityTyped(args)
  const there = anchorInDocument(edit.document, name)
  const isTyped = Object.keys(typed).length > 0
  // Without any it is a signer whose key was forgotten.
  if (!isTyped && there === undefined && keylessWith(bundle) === undefined) return {}
  const root = given ?? (await rootThere(name, bundle.candidate.label, edit))
  const asked = there?.identity ?? typed
  const proofs = await proofsOf(bundle, root, asked, io.signal)
  if (there?.identity !== undefined && !isTyped) {
    assertSignedBy(there.identity, proofs, name)
    return {}
  }
  const { identity, said } = proposalFrom(proofs, typed, name)
  return { identity, said, isProposed: true }
}

async function rootThere(name: string, label: string, { document, file }: Editing): Promise<TrustedRoot> {
  const named = rootInDocument(document)
  if (named !== undefined) return rootInUse(named, file)
  throw new RlpError(
    'NOT_FOUND',
    `Cannot propose an identity for "${name}": ${file.label} names no trusted root, by which the keyless signatures of "${label}" could be proven`,
    { hint: NAME_A_ROOT },
  )
}

async function keyFor(which: string, { allowTestKey }: SignerArgs, io: Io): Promise<string> {
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
  const key = await anchorOf(which, io)
  if (!isTestKey(key) || allowTestKey) return key
  throw new UsageError(
    `Cannot trust ${key}: it is a test key of the conformance kit, and anybody can sign with it`,
    {
      field: 'key',
      hint: 'Ask the signer for their own key. In a test of a reader, add --allow-test-key',
    },
  )
}
