// Who it is that is to count: a key that a person names, an identity that is said or proven, or a signer who is there.

import { standingAt } from '../io/bundle/read-bundle.ts'
import { namedPath } from '../io/home.ts'
import type { Setting } from '../io/setting.ts'
import type { Identity } from '../model/anchor.ts'
import { RlpError, UsageError } from '../model/error.ts'
import type { TrustedRoot } from '../model/keyless.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { keyPrefixes } from '../sign/signers/index.ts'
import { isMeantAsAnchor } from '../signature/kinds/index.ts'
import type { IdentityTexts } from '../trust-policy/identity-members.ts'
import { type Proposal, sayUnsigned } from './bundle-request.ts'
import { anchorInDocument, rootInDocument } from './edit.ts'
import type { OpenPolicy } from './edit-policy.ts'
import { NAME_A_ROOT } from './edits/add.ts'
import { isTestKey } from './kit-keys.ts'
import { keylessWith, proofsOf } from './proofs.ts'
import { assertSignedBy, proposalFrom } from './proposal.ts'
import { type RootGiven, rootGiven, rootInUse } from './root-given.ts'

/** Who is to count, as a person says it. */
export interface SignerAsked {
  readonly name: string
  /** As a person names it. */
  readonly key: string | undefined
  /** What is said of an identity; a part of one is enough where a bundle is named. */
  readonly texts: IdentityTexts
  /** All of an identity; undefined where a bundle is named. */
  readonly identity: Identity | undefined
  /** The file of the authorities. */
  readonly trustedRoot: string | undefined
  readonly allowTestKey: boolean
}

interface Signer {
  readonly key?: string | undefined
  readonly identity?: Identity | undefined
  /** A file that was named. */
  readonly root?: RootGiven | undefined
  /** Sentences about it, beside the diff. */
  readonly said: readonly string[]
  /** By a bundle, and not typed. */
  readonly isProposed: boolean
}

/** @param requests what bundles ask for, each of which has to be signed by the signer */
export async function signerOf(
  asked: SignerAsked,
  policy: OpenPolicy,
  requests: readonly Proposal[],
  anchorOf: AnchorOf,
): Promise<Signer> {
  const { name, key: which, texts, identity, trustedRoot } = asked
  const { document, file, editing } = policy
  const isTyped = Object.keys(texts).length > 0
  const there = anchorInDocument(document, name)
  if (which !== undefined && isTyped)
    throw new UsageError(`Cannot add "${name}" with a key and an identity: a signer has one of them`, {
      field: 'key',
      hint: 'Leave out the key, or `identity`',
    })
  const isIdentity = isTyped || there?.identity !== undefined || (which === undefined && there === undefined)
  if (trustedRoot !== undefined && !(isIdentity && (isTyped || there !== undefined || requests.length > 0)))
    throw new UsageError('Cannot use a trusted root: it is for an identity, and none is added', {
      field: 'trustedRoot',
      hint: 'Name the identity with `identity`, or a bundle that it has signed with `for`',
    })
  const named = rootInDocument(document)
  const root = trustedRoot === undefined ? undefined : await rootGiven(trustedRoot, file, named, editing.io)
  const about = { said: [], isProposed: false, root }
  const [request, ...more] = requests
  if (request === undefined || !isIdentity) {
    const key = which === undefined ? undefined : await keyFor(which, asked, editing.io, anchorOf)
    const keys = [...(key === undefined ? [] : [key]), ...(there?.keys ?? [])]
    if (keys.length > 0) for (const one of requests) sayUnsigned(one, { name, keys }, editing)
    return { ...about, key, identity }
  }
  const proposed = await identityFor(request, root, asked, policy)
  const signed = proposed.identity ?? there?.identity
  for (const { bundle } of more) {
    if (signed === undefined) break
    const by = root ?? (await rootThere(name, bundle.candidate.label, policy))
    assertSignedBy(signed, await proofsOf(bundle, by, signed, editing.io.signal), name)
  }
  return { ...about, ...proposed }
}

/** Where the bundle that a grant is for has to be signed by an identity. */
async function identityFor(
  { bundle }: Proposal,
  given: RootGiven | undefined,
  { name, texts }: SignerAsked,
  policy: OpenPolicy,
): Promise<Partial<Signer>> {
  const there = anchorInDocument(policy.document, name)
  const isTyped = Object.keys(texts).length > 0
  // Without any it is a signer whose key was forgotten.
  if (!isTyped && there === undefined && keylessWith(bundle) === undefined) return {}
  const root = given ?? (await rootThere(name, bundle.candidate.label, policy))
  const proofs = await proofsOf(bundle, root, there?.identity ?? texts, policy.editing.io.signal)
  if (there?.identity !== undefined && !isTyped) {
    assertSignedBy(there.identity, proofs, name)
    return {}
  }
  const { identity, said } = proposalFrom(proofs, texts, name)
  return { identity, said, isProposed: true }
}

async function rootThere(name: string, label: string, { document, file }: OpenPolicy): Promise<TrustedRoot> {
  const named = rootInDocument(document)
  if (named !== undefined) return rootInUse(named, file)
  throw new RlpError(
    'NOT_FOUND',
    `Cannot propose an identity for "${name}": ${file.label} names no trusted root, by which the keyless signatures of "${label}" could be proven`,
    { hint: NAME_A_ROOT },
  )
}

async function keyFor(
  which: string,
  { allowTestKey }: SignerAsked,
  io: Setting,
  anchorOf: AnchorOf,
): Promise<string> {
  const isNamed = isMeantAsAnchor(which) || keyPrefixes().some(prefix => which.startsWith(prefix))
  const isBundle =
    !isNamed &&
    (isOciReference(which) || /^(?:un)?signed-bundle$/.test(await standingAt(namedPath(which, io.cwd))))
  if (isBundle) {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot take a key from "${which}": it is a bundle`, {
      hint: 'Anybody can sign a bundle. Ask the signer for the key, and use `for` to propose the rule that this bundle needs',
    })
  }
  const key = await anchorOf(which)
  if (!isTestKey(key) || allowTestKey) return key
  throw new UsageError(
    `Cannot trust ${key}: it is a test key of the conformance kit, and anybody can sign with it`,
    {
      field: 'key',
      hint: 'Ask the signer for their own key. In a test of a reader, add `allowTestKey`',
    },
  )
}
