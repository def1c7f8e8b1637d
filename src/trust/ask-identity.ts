// The keyless signatures that came with a bundle, and a trusted root → the identity that a person lets count. Only what is proven is proposed: anybody can
// put a certificate beside a bundle.
import type { Io } from '../cli/command.ts'
import { printable, quoted } from '../format/text/printable.ts'
import { identityProblems, identityRows } from '../format/trust/anchor-fields/identity.ts'
import { compareIdentity, fitsIdentity } from '../format/trust/identity-fits.ts'
import { identityString } from '../format/trust/identity-string.ts'
import { proposedIdentity } from '../format/trust/proposed-identity.ts'
import { inTurns } from '../io/wait/breathe.ts'
import type { Identity } from '../model/anchor.ts'
import type { KeylessFound } from '../model/attestation.ts'
import { RlpError } from '../model/error.ts'
import type { CertificateFacts, KeylessFinding, TrustedRoot } from '../model/keyless.ts'
import { KEYLESS_LIMITS } from '../model/limits.ts'
import type { identityTyped } from './anchor-options.ts'
import type { Foreseeing } from './effect.ts'

type Typed = ReturnType<typeof identityTyped>

export interface IdentityProposal {
  readonly identity: Identity
  /** What a person has to know beside the members: sentences. */
  readonly said: readonly string[]
}

/** Keyless signatures of one bundle, proven or not. */
export interface Proofs {
  /** The name of the bundle. */
  readonly label: string
  readonly root: TrustedRoot
  readonly list: readonly KeylessFinding[]
  /** Why there may be more. */
  readonly problem?: string | undefined
}

/** What came with it: in the file of attestations, or attached where it is stored. */
export function keylessWith({ candidate, attested }: Foreseeing): KeylessFound | undefined {
  return (attested ?? candidate.added?.attestations)?.keyless
}

/** Empty where none came. @param typed only these are asked for, so that strangers cannot crowd the right one out */
export async function proofsOf(
  bundle: Foreseeing,
  root: TrustedRoot,
  typed: Pick<Typed, 'issuer' | 'repository_id' | 'email' | 'subject'>,
  io: Io,
): Promise<Proofs> {
  const { candidate } = bundle
  const { label } = candidate
  const found = keylessWith(bundle)
  if (found === undefined) return { label, root, list: [] }
  const { readKeyless } = await import('./keyless/read-keyless.ts')
  const { proveSigners } = await import('./keyless/prove-keyless.ts')
  const prover = await import('../format/keyless/prove.ts')
  const authorities = prover.authoritiesOf(root)
  if (authorities === undefined) throw new TypeError('a root that was read names authorities')
  const isAsked = (facts: CertificateFacts) => {
    const is = { ...facts, subject: facts.uri }
    return (['issuer', 'repository_id', 'email', 'subject'] as const).every(
      name => typed[name] === undefined || is[name] === typed[name],
    )
  }
  const doing = `reading the keyless signatures of "${label}"`
  const read = await inTurns(readKeyless(found, candidate), doing, io.signal)
  const by = { blake3: root.blake3, authorities }
  const list = await inTurns(proveSigners(read, by, prover, isAsked), doing, io.signal)
  return { label, root, list, problem: found.problem?.message }
}

/**
 * The one identity that is proven, of those that fit what was typed; or what was typed, if that is all of an identity.
 * @throws RlpError NOT_VERIFIED if nothing is proven, NEEDS_ANSWER if there are several
 */
export function proposalFrom(proofs: Proofs, typed: Typed, name: string): IdentityProposal {
  const refuse = (state: string, hint: string, code: 'NOT_VERIFIED' | 'NEEDS_ANSWER' = 'NOT_VERIFIED') =>
    new RlpError(code, `Cannot propose an identity for "${name}": ${state}`, { hint })
  const { label, list } = proofs
  const proven = list.filter(one => isProven(one, proofs))
  if (proven.length === 0) throw refuse(...noneProven(proofs))
  const proposals = proven.map(one => ({ one, is: proposedIdentity(one.facts) }))
  const wanted = new Map(
    proposals.flatMap(({ one, is }) =>
      'identity' in is && hasAll(is.identity, typed) ? [[identityString(is.identity), { one, ...is }]] : [],
    ),
  )
  const [first, ...others] = wanted.values()
  if (first !== undefined && others.length === 0)
    return { identity: first.identity, said: saidOf(first.one, first.identity, proofs) }
  const byHand = wholeIdentity(typed)
  const fitting = byHand && proven.find(({ facts }) => fitsIdentity(byHand, facts))
  if (byHand !== undefined && fitting !== undefined)
    return { identity: byHand, said: saidOf(fitting, byHand, proofs) }
  if (first !== undefined) {
    const all = [...wanted.values()].map(({ identity }) => inWords(identity)).slice(0, MOST_LISTED)
    throw refuse(
      `${wanted.size} identities have signed "${label}": ${all.join('; ')}`,
      'Choose one by its members: --issuer and --repository-id, and --workflow or --ref; or --email, or --subject',
      'NEEDS_ANSWER',
    )
  }
  const [why] = proposals.flatMap(({ is }) => ('problem' in is ? is.problem : []))
  if (why !== undefined) throw refuse(`${why}, in the one that is proven of "${label}"`, BY_HAND)
  const all = proposals.flatMap(({ is }) => ('identity' in is ? inWords(is.identity) : []))
  throw refuse(
    `no proven signature of "${label}" is by what was typed; proven: ${all.slice(0, MOST_LISTED).join('; ')}`,
    'Correct the options, or leave them out',
  )
}

const MOST_LISTED = 8
const BY_HAND =
  'Ask the signer how the bundle was signed. An identity is written by hand with --issuer and its members'

/** @throws RlpError NOT_VERIFIED unless a proven signature is by this identity */
export function assertSignedBy(identity: Identity, proofs: Proofs, name: string): void {
  const proven = proofs.list.filter(one => isProven(one, proofs))
  if (proven.some(({ facts }) => fitsIdentity(identity, facts))) return
  const refuse = (state: string, hint: string) =>
    new RlpError('NOT_VERIFIED', `Cannot let "${name}" grant what "${proofs.label}" asks: ${state}`, { hint })
  const [nearest] = proven
  if (nearest === undefined) throw refuse(...noneProven(proofs))
  const other = compareIdentity(identity, nearest.facts).find(({ fits }) => !fits)
  const found = other?.found === undefined ? 'nothing' : quoted(other.found, 200)
  throw refuse(
    `it is not signed by the identity of ${name}; the ${other?.member} of its signature is ${found}`,
    'Name the signer by whom it is signed; rlp trust explain shows each member',
  )
}

function isProven({ proven }: KeylessFinding, { root }: Proofs): boolean {
  const is = proven.get(root.blake3)
  return is !== undefined && 'proof' in is
}

function noneProven({ label, list, root, problem }: Proofs): readonly [state: string, hint: string] {
  const [first] = list
  if (first === undefined)
    return [
      `no keyless signature of "${label}" came with it that fits`,
      'Take the file of attestations along, or name it with --attestations; or name the key of the signer',
    ]
  const is = first.proven.get(root.blake3)
  const why = is !== undefined && 'problem' in is ? is.problem : (first.problem ?? 'not verified')
  const which =
    list.length === 1
      ? `the keyless signature of "${label}" is not proven`
      : `none of the ${list.length} keyless signatures of "${label}" is proven`
  const more =
    list.length > KEYLESS_LIMITS.verified ? `, and at most ${KEYLESS_LIMITS.verified} are verified` : ''
  const unread = problem === undefined ? '' : `; not all were read: ${problem}`
  return [
    `${which}${more} (${first.where}: ${printable(why.replace(/^not proven: /, ''), 200)})${unread}`,
    'Name the trusted root of the authorities that the signer uses; and narrow the choice with --issuer and --repository-id',
  ]
}

function hasAll(identity: Identity, typed: Typed): boolean {
  return identityRows({ issuer: identity.issuer, ...typed }).every(([name, text]) => identity[name] === text)
}

/** Undefined if something is missing. */
function wholeIdentity({ issuer, ...members }: Typed): Identity | undefined {
  if (issuer === undefined) return undefined
  const identity = { issuer, ...members }
  const names = identityRows(identity).map(([name]) => name)
  return identityProblems(names, identity).length === 0 ? identity : undefined
}

function inWords(identity: Identity): string {
  return identityRows(identity)
    .map(([name, text]) => `${name} ${printable(text, 200)}`)
    .join(', ')
}

function saidOf({ where, facts, proven }: KeylessFinding, identity: Identity, { root }: Proofs): string[] {
  const is = proven.get(root.blake3)
  const at = is !== undefined && 'proof' in is ? `${where} is proven: signed at ${is.proof.time}` : where
  if (identity.repository_id === undefined)
    return [at, 'Anybody can sign. Compare it with what the signer gave you']
  return [
    at,
    `${printable(facts.source ?? '', 200)} is what its repository is called today. Names are for display only: ids count`,
    'Anybody can sign. Compare the ids with those that the signer gave you',
    ...(identity.ref?.endsWith('*') ? [`ref ${identity.ref} lets every later tag count that begins so`] : []),
  ]
}
